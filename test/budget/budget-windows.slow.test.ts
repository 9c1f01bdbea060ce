import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breaches, runBudgetScenario, scenario } from '../support/models/budget-simulation.ts';
import { rounds } from '../support/rounds.ts';

describe('the windows of the budget', () => {
  it('are never overfull in many scenarios', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (each) => {
        expect(breaches(each, await runBudgetScenario(each))).toEqual([]);
      }),
      { numRuns: rounds(1000) },
    );
  }, 1_200_000);
});
