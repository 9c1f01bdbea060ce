import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Reply } from '../../support/servers/scripted-service.ts';
import { listRefusal } from '../../support/fixtures/service-responses.ts';
import { folderOfAccounts, startStampedService } from '../../support/servers/stamped-service.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseRows } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 120_000 });

/** The first pause for a restriction without a time. */
const FIRST_MS = 30_000;
const LIMITS = 'per_second: 100, per_minute: 6000, restricted_codes: [TooMuch]';

/** The response to the first request of each account. */
const RESTRICTIONS: Record<string, Reply> = {
  unnamed: { status: 429 },
  zero: { status: 429, headers: { 'retry-after': '0' } },
  coded: listRefusal('TooMuch', 'slow down'),
};

describe('with the clock of a real server', () => {
  it('a restriction without a time stops its account for half a minute, over restarts, and no other', async () => {
    const restrictedAt = new Map<string, number>();
    const service = await startStampedService(400, ({ at }, account) => {
      const restriction = restrictedAt.has(account) ? undefined : RESTRICTIONS[account];
      if (restriction) restrictedAt.set(account, at);
      return { latencyMs: 20, outcome: restriction ?? 'well' };
    });
    const names = Object.keys(RESTRICTIONS);
    const other = { name: 'other', limits: 'per_second: 10' };
    const cwd = folderOfAccounts(service.url, [...names.map((name) => ({ name, limits: LIMITS })), other]);
    const first = startVodhouse(['sync', '--log-level', 'silent'], { cwd });
    await eventually(() => restrictedAt.size).toBe(names.length);
    await pause(1_500);
    first.kill('SIGKILL');
    await first.ended;
    const second = startVodhouse(['sync', '--log-level', 'silent'], { cwd });
    const check = await vodhouse(['check'], { cwd });
    second.kill('SIGKILL');
    expect(check.code).toBe(0);
    for (const name of names) {
      const restricted = restrictedAt.get(name) ?? NaN;
      const stamps = service.getArrivals(name).map(({ at }) => at - restricted);
      expect(stamps.filter((at) => at < FIRST_MS).length, name).toBeLessThanOrEqual(4); // those in flight
      expect(
        stamps.filter((at) => at > 1_000 && at < FIRST_MS),
        name,
      ).toEqual([]);
      expect(stamps.filter((at) => at >= FIRST_MS).length, name).toBeGreaterThan(0);
      const others = service
        .getArrivals('other')
        .filter(({ at }) => at > restricted + 1_000 && at < restricted + FIRST_MS);
      expect(others.length).toBeGreaterThan(100);
    }
    const strikes = readWarehouseRows(
      cwd,
      'select account, consecutive_restrictions as strikes from pause order by account',
    );
    expect(strikes).toEqual(names.sort().map((account) => ({ account, strikes: 1 })));
  });
});
