import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivalScenario, liveThrough } from '../../support/models/arrival-scenario.ts';
import {
  folderOfAccounts,
  mostArrivals,
  startStampedService,
} from '../../support/servers/stamped-service.ts';
import { startVodhouse } from '../../support/processes/vodhouse-command.ts';

const RESTARTS = 30;
const PER_MINUTE = 15;

describe('with the clock of a real server', () => {
  it('no second and no minute has more requests than its limit over many crashes', async () => {
    await fc.assert(
      fc.asyncProperty(arrivalScenario(6, 2_500), async (scenario) => {
        const { inSecond, inMinute } = await liveThrough(scenario);
        expect(inSecond).toBeLessThanOrEqual(scenario.perSecond ?? Infinity);
        expect(inMinute).toBeLessThanOrEqual(scenario.perMinute ?? Infinity);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  }, 120_000);

  it(`a loop of ${RESTARTS} crashes stays within the limit of a minute`, async () => {
    const service = await startStampedService(400, () => ({ latencyMs: 20, outcome: 'well' }));
    const cwd = folderOfAccounts(service.url, [{ name: 'main', limits: `per_minute: ${PER_MINUTE}` }]);
    const before = Date.now();
    for (let restart = 0; restart < RESTARTS; restart++) {
      const command = startVodhouse(['sync', '--log-level', 'silent'], { cwd });
      await pause(400 + Math.random() * 800);
      command.kill('SIGKILL');
      await command.ended;
    }
    expect(Date.now() - before).toBeLessThan(60_000);
    expect(mostArrivals(service.arrivals, 60_000)).toBeLessThanOrEqual(PER_MINUTE);
    expect(service.arrivals.length).toBeGreaterThanOrEqual(PER_MINUTE / 5);
  }, 120_000);
});
