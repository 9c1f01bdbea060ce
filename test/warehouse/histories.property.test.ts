import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { history, runPackageHistory } from '../support/models/package-history.ts';
import { rounds } from '../support/rounds.ts';

describe('a package', () => {
  it('has consistent counts, stamps, rows and times, and the catalogue of any moment, through any history', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        expect(await runPackageHistory(steps)).toEqual([]);
      }),
      { numRuns: rounds(1000, 40) },
    );
  }, 1_200_000);
});
