import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivalScenario, liveThrough } from '../../support/models/arrival-scenario.ts';
import type { SeenRequest } from '../../support/servers/scripted-service.ts';
import { mostArrivals } from '../../support/servers/stamped-service.ts';

describe('with the clock of a real server', () => {
  it('no second and no minute has more requests than its limit, whatever fails and whichever process is killed', async () => {
    await fc.assert(
      fc.asyncProperty(arrivalScenario(4, 2_200), async (scenario) => {
        const { inSecond, inMinute } = await liveThrough(scenario);
        expect(inSecond).toBeLessThanOrEqual(scenario.perSecond ?? Infinity);
        expect(inMinute).toBeLessThanOrEqual(scenario.perMinute ?? Infinity);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  }, 60_000);

  it('a window slides: it includes its beginning, and not its end', () => {
    const at = (...stamps: number[]) => stamps.map((stamp) => ({ at: stamp }) as SeenRequest);
    expect(mostArrivals(at(), 1000)).toBe(0);
    expect(mostArrivals(at(0, 999, 1000), 1000)).toBe(2);
    expect(mostArrivals(at(0, 1000, 2000), 1000)).toBe(1);
    expect(mostArrivals(at(700, 900, 1100, 1300, 1750), 1000)).toBe(4);
  });
});
