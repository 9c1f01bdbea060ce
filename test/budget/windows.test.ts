import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyHistory, createHistory, orderlyHistory, type Step } from '../support/models/window-history.ts';

/** Runs the steps in a separate file. */
async function withHistory(
  steps: readonly Step[],
  each: (history: ReturnType<typeof createHistory>, step: Step) => void,
): Promise<void> {
  const history = createHistory();
  try {
    for (const step of steps) {
      await history.play(step);
      each(history, step);
    }
  } finally {
    history.close();
  }
}

describe('the window counts, updated from query to query', () => {
  it('equal the ledger, whatever is added, settled or late, and wherever the clock goes', async () => {
    await fc.assert(
      fc.asyncProperty(orderlyHistory, (steps) =>
        withHistory(steps, (history) => {
          const { carried, exact } = history.read();
          expect(carried).toEqual(exact);
        }),
      ),
      { numRuns: 25 },
    );
  }, 60_000);

  it('are never less than the ledger, also where queries are rare and rows are deleted', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, (steps) =>
        withHistory(steps, (history, step) => {
          if (step.kind !== 'read') return;
          const { carried, exact } = history.read();
          carried.forEach((count, index) => expect(count).toBeGreaterThanOrEqual(exact[index] ?? NaN));
        }),
      ),
      { numRuns: 25 },
    );
  }, 60_000);

  it('are exact again after a recount', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, (steps) =>
        withHistory(steps, (history, step) => {
          if (step.kind === 'read') history.read();
          if (step.kind !== 'recount') return;
          const { recounted, after } = history.recount();
          expect(recounted.carried).toEqual(recounted.exact);
          expect(after.carried).toEqual(after.exact);
        }),
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});
