import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { createVirtualClock, type VirtualClock } from '../support/clocks/virtual-clock.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';
import { workOnce } from '../support/fixtures/test-worker.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';

const HOUR_MS = 3_600_000;
const SUNDAYS = '0 3 * * 0';

let path: string;
let clock: VirtualClock;

beforeEach(() => {
  path = join(temporaryFolder(), 'vodhouse.db');
  clock = createVirtualClock('2026-03-10T12:34:00Z'); // a Tuesday
});

/** Package 101 by `schedule.full`, 102 by its own schedule. */
function createConfig(url: string, own: string | null, schedule: Partial<Config['schedule']> = {}): Config {
  const base = createTestConfig({ url, packages: [101], pageSize: 100 }, path);
  const packages = [
    { id: 101, name: null },
    own === null ? { id: 102, name: null } : { id: 102, name: null, full: own },
  ];
  const [account] = base.accounts;
  if (!account) throw new Error('the config has no account');
  const videoList = { ...account.videoList, key: 'sandbox-key' };
  return {
    ...base,
    accounts: [{ ...account, packages, videoList }],
    schedule: { ...base.schedule, ...schedule },
  };
}

/** Each run since `after` with its packages: `catch_up: 101 102`, `own schedule: 102`. */
function listRuns(after = 0): string[] {
  const rows = readRows(
    path,
    `select r."trigger", r.scope, group_concat(w.package_id, ' ' order by w.package_id) as packages
      from run r left join walk w using (run_id) where r.run_id > ${after} group by r.run_id order by r.run_id`,
  );
  return rows.map(({ trigger, scope, packages }) => `${scope === null ? '' : 'own '}${trigger}: ${packages}`);
}

describe('a package with its own schedule', () => {
  it('is read at first, then left out of full runs until its own tick', async () => {
    const { url } = await startSandbox({ clock });
    const config = createConfig(url, SUNDAYS);
    await workOnce(config, clock);
    expect(listRuns()).toEqual(['catch_up: 101 102']);
    clock.advance(HOUR_MS);
    await workOnce(config, clock);
    expect(listRuns(1)).toEqual(['catch_up: 101']);
    clock.advance(4 * 24 * HOUR_MS + 14 * HOUR_MS); // Sunday, 03:34
    await workOnce(config, clock);
    expect(listRuns(2)).toEqual(['catch_up: 101 102']);
    await workOnce(config, clock);
    expect(listRuns(3)).toEqual([]);
  });

  it('has a run of its own between full runs, without storage, once per tick', async () => {
    const { url } = await startSandbox({ clock });
    const config = createConfig(url, '*/10 * * * *');
    await workOnce(config, clock);
    clock.advance(6 * 60_000); // 12:40
    await workOnce(config, clock);
    expect(listRuns(1)).toEqual(['own schedule: 102']);
    await workOnce(config, clock);
    expect(listRuns(2)).toEqual([]);
    expect(readRows(path, 'select scope, status from run where run_id = 2')).toEqual([
      { scope: 'packages main/102, videos only', status: 'succeeded' },
    ]);
  });

  it('is read once after a downtime, however many ticks were missed', async () => {
    const { url } = await startSandbox({ clock });
    const config = createConfig(url, '*/10 * * * *', { full: '0 3 * * *' });
    await workOnce(config, clock);
    clock.advance(5 * HOUR_MS);
    await workOnce(config, clock);
    expect(listRuns(1)).toEqual(['own catch_up: 102']);
  });

  it('is not read again because it got its schedule', async () => {
    const { url } = await startSandbox({ clock });
    await workOnce(createConfig(url, null), clock);
    clock.advance(HOUR_MS);
    await workOnce(createConfig(url, SUNDAYS), clock);
    expect(listRuns(1)).toEqual(['catch_up: 101']);
  });

  it('is tried again with full runs where it failed, and once per tick by itself', async () => {
    const { url } = await startSandbox({ clock, packages: [{ id: 101, videos: 5 }] });
    await workOnce(createConfig(url, '*/10 * * * *'), clock);
    clock.advance(6 * 60_000);
    await workOnce(createConfig(url, '*/10 * * * *'), clock);
    clock.advance(60_000);
    await workOnce(createConfig(url, '*/10 * * * *'), clock);
    expect(listRuns()).toEqual(['catch_up: 101 102', 'own schedule: 102']);
    clock.advance(HOUR_MS);
    await workOnce(createConfig(url, SUNDAYS), clock);
    expect(listRuns(2)).toEqual(['catch_up: 101 102']);
  });
});
