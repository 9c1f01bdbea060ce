import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admittedInPauses,
  breaches,
  mostWithin,
  runBudgetScenario,
  scenario,
  type Fate,
} from '../support/models/budget-simulation.ts';

describe('the windows of the budget', () => {
  it('never exceed a limit as the service counts, whatever arrives, fails or crashes', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (each) => {
        expect(breaches(each, await runBudgetScenario(each))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('are counted correctly by this test', () => {
    const seen = (from: number, until: number): Fate => ({ kind: 'seen', from, until });
    expect(mostWithin([seen(0, 0), seen(999, 999), seen(1000, 1000)], 1000)).toBe(2);
    expect(mostWithin([seen(0, 500), seen(1200, 1200)], 1000)).toBe(2);
    expect(mostWithin([seen(0, 200), seen(1200, 1200)], 1000)).toBe(1);
    expect(mostWithin([seen(0, 5000), seen(100, 100), seen(1050, 1050)], 1000)).toBe(3);
  });

  it('and so are the pauses', () => {
    const seen = (from: number, until: number): Fate => ({ kind: 'seen', from, until });
    const restricted = (from: number, until: number, waitMs: number | null): Fate => ({
      ...{ kind: 'seen', from, until },
      restriction: { waitMs },
    });
    expect(admittedInPauses([restricted(0, 10, 500), seen(10, 20), seen(11, 20), seen(509, 600)])).toBe(2);
    expect(admittedInPauses([restricted(0, 10, 500), seen(9, 20), seen(510, 600)])).toBe(0);
    expect(admittedInPauses([restricted(0, 10, null), seen(30_009, 30_020), seen(30_010, 30_020)])).toBe(1);
    expect(admittedInPauses([restricted(0, 10, 5), restricted(0, 20, null), seen(21, 22)])).toBe(0);
  });
});
