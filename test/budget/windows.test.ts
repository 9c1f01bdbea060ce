import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyHistory, createHistory, orderlyHistory, type Step } from '../support/models/window-history.ts';

/** Plays the steps in a file of their own. */
async function playing(
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

describe('the counts of the windows, carried on from look to look', () => {
  it('are exactly what the ledger holds, whoever adds, settles, is late, and wherever the clock goes', async () => {
    await fc.assert(
      fc.asyncProperty(orderlyHistory, (steps) =>
        playing(steps, (history) => {
          const { carried, exact } = history.look();
          expect(carried).toEqual(exact);
        }),
      ),
      { numRuns: 25 },
    );
  }, 60_000);

  it('are never less than what the ledger holds, also where looks are rare and rows are gone', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, (steps) =>
        playing(steps, (history, step) => {
          if (step.kind !== 'look') return;
          const { carried, exact } = history.look();
          carried.forEach((count, index) => expect(count).toBeGreaterThanOrEqual(exact[index] ?? NaN));
        }),
      ),
      { numRuns: 25 },
    );
  }, 60_000);

  it('are exact again once they are counted anew', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, (steps) =>
        playing(steps, (history, step) => {
          if (step.kind === 'look') history.look();
          if (step.kind !== 'recount') return;
          const { anew, after } = history.recount();
          expect(anew.carried).toEqual(anew.exact);
          expect(after.carried).toEqual(after.exact);
        }),
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});
