import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { history, playHistory } from '../support/models/package-history.ts';

describe('a package', () => {
  it('keeps its counts, its stamps and its rows in step through any history', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        expect(await playHistory(steps)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});
