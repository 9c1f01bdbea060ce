import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packageHistory, runPackageHistory } from '../support/models/package-history.ts';
import { rounds } from '../support/rounds.ts';

it('a package has consistent counts, stamps, rows and times, and the catalogue of any moment, through any history', async () => {
  const property = fc.asyncProperty(packageHistory, async (history) => {
    expect(await runPackageHistory(history)).toEqual([]);
  });
  await fc.assert(property, { numRuns: rounds(1000) });
}, 1_200_000);
