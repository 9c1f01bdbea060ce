import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { SeenRequest } from '../../support/servers/scripted-service.ts';
import { folderOfAccounts, startStampedService } from '../../support/servers/stamped-service.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { readRows } from '../../support/fixtures/live-file.ts';

vi.setConfig({ testTimeout: 60_000 });

/** High limits: the rate is back soon after a pause. */
const LIMITS = 'per_second: 100, per_minute: 6000';
const later = (seconds: number) => ({ status: 429, headers: { 'retry-after': String(seconds) } });

/** The arrivals between two moments. */
function between(arrivals: readonly SeenRequest[], from: number, to: number): SeenRequest[] {
  return arrivals.filter(({ at }) => at > from && at < to);
}

describe('with the clock of a real server', () => {
  it('a 429 with a time stops every process of the account until then, and no other account', async () => {
    let restrictedAt = Infinity;
    const service = await startStampedService(400, ({ at }, account) => {
      const isFirst = account === 'main' && restrictedAt === Infinity;
      if (isFirst) restrictedAt = at;
      return { latencyMs: 20, outcome: isFirst ? later(4) : 'well' };
    });
    const cwd = folderOfAccounts(service.url, [
      { name: 'main', limits: LIMITS },
      { name: 'other', limits: 'per_second: 30' },
    ]);
    const sync = startVodhouse(['sync', '--log-level', 'silent'], { cwd });
    await eventually(() => service.getArrivals('main').length).toBeGreaterThan(0);
    const check = await vodhouse(['check'], { cwd });
    sync.kill('SIGKILL');
    const main = service.getArrivals('main');
    const checked = main.filter(({ query }) => query.get('pagesize') === '1');
    expect(check.code).toBe(0);
    expect(checked[0]?.at).toBeGreaterThanOrEqual(restrictedAt + 4_000);
    expect(main.filter(({ at }) => at < restrictedAt + 4_000).length).toBeLessThanOrEqual(4); // those in flight
    expect(between(main, restrictedAt + 1_000, restrictedAt + 4_000)).toEqual([]);
    expect(
      between(service.getArrivals('other'), restrictedAt + 1_000, restrictedAt + 4_000).length,
    ).toBeGreaterThan(10);
  });

  it('a pause longer than max_wait parks the run, and the next run resumes from the checkpoint', async () => {
    let restrictedAt = Infinity;
    const service = await startStampedService(20, ({ at, number }) => {
      if (number === 6) restrictedAt = at;
      return { latencyMs: 0, outcome: number === 6 ? later(4) : 'well' };
    });
    const limits = `${LIMITS}, concurrency: 1, max_wait: 2s`;
    const cwd = folderOfAccounts(service.url, [{ name: 'main', packages: [101], limits }]);
    const parked = await vodhouse(['sync'], { cwd });
    expect([parked.code, service.arrivals.length]).toEqual([3, 6]);
    expect(parked.stdout).toContain('parked');
    expect(parked.stdout + parked.stderr).toMatch(/ is paused until .* UTC: /);
    const again = await vodhouse(['sync'], { cwd });
    expect(again.code).toBe(3);
    await pause(restrictedAt + 5_500 - Date.now());
    expect(service.arrivals).toHaveLength(6);
    const after = await vodhouse(['sync'], { cwd });
    expect([after.code, after.stderr]).toEqual([0, expect.any(String)]);
    expect(
      readRows(join(cwd, WAREHOUSE), 'select status, resumed from walk order by walk_id').at(-1),
    ).toEqual({
      status: 'succeeded',
      resumed: 1,
    });
    expect(readRows(join(cwd, WAREHOUSE), 'select count(*) as videos from video')).toEqual([{ videos: 20 }]);
  });
});
