import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breaches, runBudgetScenario, scenario } from '../support/models/budget-simulation.ts';
import { rounds } from '../support/rounds.ts';

describe('the windows of the budget', () => {
  it('never exceed a limit as the service counts, whatever arrives, fails or crashes', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (each) => {
        expect(breaches(each, await runBudgetScenario(each))).toEqual([]);
      }),
      { numRuns: rounds(1000, 60) },
    );
  }, 1_200_000);
});
