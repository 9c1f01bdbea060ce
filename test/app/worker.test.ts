import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountConfig, Config } from '../../src/config/config.ts';
import { LockedError, WarehouseError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { tryLock } from '../../src/database/lock.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { execute, readRows, readValue } from '../support/fixtures/live-file.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { START } from '../support/fixtures/open-pipeline.ts';
import { createStorageConfig, createTestConfig } from '../support/fixtures/test-config.ts';
import { startTestWorker, workOnce, type TestWorker } from '../support/fixtures/test-worker.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock, type VirtualClock } from '../support/clocks/virtual-clock.ts';
import type { Progress } from '../../src/sync/context.ts';
import { silentProgress } from '../../src/sync/context.ts';
import { openPipeline } from '../../src/app/pipeline.ts';

/** Port 1 on loopback: no process listens there. */
const NOWHERE = 'http://127.0.0.1:1';

let folder: string;
let path: string;
let clock: VirtualClock;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'vodhouse.db');
  clock = createVirtualClock(START);
  clock.advance(34 * 60_000);
});

/** A config with one account per address, each with three packages and storage. */
function configFor(accounts: Record<string, string>): Config {
  const base = createTestConfig({ url: NOWHERE, packages: [101, 102, 103], pageSize: 100 }, path);
  const [template] = base.accounts;
  if (!template) throw new Error('the config has no account');
  const named = Object.entries(accounts).map(([name, url]): AccountConfig => ({
    ...template,
    name,
    videoList: { baseUrl: url, key: 'sandbox-key', pageSize: 100, exclude: [] },
    storage: createStorageConfig(url, { key: 'sandbox-key', since: '2026-03-01' }),
  }));
  return { ...base, accounts: named };
}

const counts = () => ({
  videos: readValue(path, 'select count(*) from video where removed_at is null'),
  days: readValue(path, `select count(*) from storage_day where state = 'booked'`),
});

describe('the worker', () => {
  it('catches up at its start, with all data of the service', async () => {
    const { url } = await startSandbox({ clock });
    const { runs } = await workOnce(configFor({ main: url }), clock);
    expect(runs).toMatchObject([{ status: 'succeeded', failures: [] }]);
    expect(readRows(path, 'select "trigger", mode, status, scope from run')).toEqual([
      { trigger: 'catch_up', mode: 'full', status: 'succeeded', scope: null },
    ]);
    expect(counts()).toEqual({ videos: 280, days: 9 });
  });

  it('does not run again when it restarts immediately, and does when a tick has passed', async () => {
    const { url } = await startSandbox({ clock });
    const config = configFor({ main: url });
    await workOnce(config, clock);
    clock.advance(60_000);
    expect((await workOnce(config, clock)).runs).toEqual([]);
    clock.advance(3_600_000);
    expect((await workOnce(config, clock)).runs).toHaveLength(1);
    expect(readRows(path, 'select status from run')).toHaveLength(2);
  });

  it('publishes what its runs changed next to them, once, and pending changes at its start', async () => {
    const { url, sandbox } = await startSandbox({ clock });
    const file = join(folder, 'bi.db');
    const config = {
      ...configFor({ main: url }),
      publish: { file, exclude: [], tagSeparators: [','], everyMs: 0, targets: [] },
    };
    const first = startTestWorker(config, clock);
    const videos = () => first.publications.at(-1)?.rows['videos'];
    await expect.poll(videos, { timeout: 30_000 }).toBe(280);
    await first.stop();
    // the publication at the start may include a part of the run
    expect(first.publications.length).toBeLessThanOrEqual(2);

    sandbox.churn(5);
    clock.advance(3_600_000);
    const second = startTestWorker(config, clock);
    await second.settled;
    await second.stop(); // during the publication or before it
    expect([0, 1]).toContain(second.publications.length);
    expect(readRows(file, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);

    const third = startTestWorker(config, clock);
    const changes = 'select max(change_seq) from ';
    await expect
      .poll(() => readValue(file, `${changes} all_videos`), { timeout: 30_000 })
      .toBe(readValue(path, `${changes} video`));
    await third.stop();
    expect(third.runs).toEqual([]);
    expect(third.log.filter((line) => line.includes('publishing failed'))).toEqual([]);
  });

  it.each([
    ['deleted', () => rmSync(path)],
    ['replaced', () => renameSync(`${path}.other`, path)],
  ])('ends with the reason within a tick when its file was %s, though nothing is due', async (_how, swap) => {
    const { url } = await startSandbox({ clock });
    openWarehouse(`${path}.other`, clock).close();
    const worker = startTestWorker(configFor({ main: url }), clock);
    await worker.settled;
    await worker.tick();
    swap();
    await worker.tick();
    await expect(worker.ended).rejects.toThrow(WarehouseError);
    await expect(worker.ended).rejects.toThrow(path);
    expect(worker.runs).toHaveLength(1);
    expect(worker.log.filter((line) => line.includes('the run failed'))).toEqual([]);
    const lock = tryLock(path, 'worker', 'test', clock.now());
    expect(lock).not.toBeNull();
    lock?.release();
  });

  it('runs again when it was killed in the middle of a run', async () => {
    const { url } = await startSandbox({ clock });
    const config = configFor({ main: url });
    await workOnce(config, clock);
    execute(path, `update run set status = 'running', finished_at = null`);
    const { runs } = await workOnce(config, clock);
    expect(runs).toMatchObject([{ status: 'succeeded' }]);
    expect(readRows(path, 'select status from run order by run_id').map(({ status }) => status)).toEqual([
      'interrupted',
      'succeeded',
    ]);
  });

  it('ends a run after the page in flight when it receives a stop signal, and resumes it at its next start', async () => {
    const { url } = await startSandbox({ clock });
    const config = configFor({ main: url });
    let stop = (): void => undefined;
    const pageStored: Progress['pageStored'] = ({ packageId }) => {
      if (packageId === 101) stop();
    };
    const worker = startTestWorker(config, clock, { progress: { pageStored } });
    stop = () => void worker.stop();
    await worker.ended;
    expect(worker.runs).toMatchObject([{ status: 'interrupted', failures: [] }]);
    const { runs } = await workOnce(config, clock);
    expect(runs).toMatchObject([{ status: 'succeeded' }]);
    const resumed = runs[0]?.walks.filter((walk) => walk.resumed).map((walk) => walk.package_id);
    expect(resumed).toContain(101);
    expect(counts()).toEqual({ videos: 280, days: 9 });
  });

  it('is the only one of its warehouse', async () => {
    const { url } = await startSandbox({ clock });
    const config = configFor({ main: url });
    const first = startTestWorker(config, clock);
    await first.settled;
    const second = startTestWorker(config, clock);
    await expect(second.ended).rejects.toThrow(LockedError);
    await expect(second.ended).rejects.toThrow(`a worker is running: vodhouse start on`);
    expect(second.runs).toEqual([]);
    await first.stop();
    expect((await workOnce(config, clock)).runs).toEqual([]);
  });

  it('leaves the lock free while it waits, and leaves nothing open at its end', async () => {
    const { url } = await startSandbox({ clock });
    const config = configFor({ main: url });
    const worker = startTestWorker(config, clock);
    await worker.settled;
    const logger = createLogger({ level: 'silent', format: 'json', secrets: [] });
    const other = openPipeline(config, { clock, logger, progress: silentProgress, command: 'sync' });
    const summary = await other.run({ trigger: 'manual', signal: new AbortController().signal });
    expect(summary.status).toBe('succeeded');
    other.close();
    await worker.stop();
    expect(readdirSync(folder).sort()).toEqual([
      'vodhouse.db',
      'vodhouse.db.run.lock',
      'vodhouse.db.worker.lock',
    ]);
  });

  it('defers its run while another process runs', async () => {
    const { url } = await startSandbox({ clock });
    const config = configFor({ main: url });
    const logger = createLogger({ level: 'silent', format: 'json', secrets: [] });
    let worker: TestWorker | undefined;
    const walkStarted: Progress['walkStarted'] = () => (worker ??= startTestWorker(config, clock));
    const progress = { ...silentProgress, walkStarted };
    const pipeline = openPipeline(config, { clock, logger, progress, command: 'sync' });
    const summary = await pipeline.run({ trigger: 'manual', signal: new AbortController().signal });
    pipeline.close();
    if (!worker) throw new Error('no walk has begun');
    await worker.settled;
    await worker.stop();
    expect(summary.status).toBe('succeeded');
    expect(worker.runs).toEqual([]);
    expect(worker.log.join('')).toMatch(/postponed: a run is under way: vodhouse sync on .*, pid \d+, since/);
  });

  it('keeps one account up to date although another one is unreachable', async () => {
    const { url } = await startSandbox({ clock });
    const { runs, log } = await workOnce(configFor({ dead: NOWHERE, alive: url }), clock);
    expect(runs).toMatchObject([{ status: 'partial', storage: [{ account: 'alive', booked: 9 }] }]);
    expect(new Set(runs[0]?.failures.map(({ account }) => account))).toEqual(new Set(['dead']));
    expect(readRows(path, 'select distinct account from video')).toEqual([{ account: 'alive' }]);
    expect(counts()).toEqual({ videos: 280, days: 9 });
    expect(readRows(path, 'select status, error from run')).toMatchObject([{ status: 'partial' }]);
    const walks = readRows(
      path,
      'select account, status from walk group by account, status order by account',
    );
    expect(walks).toEqual([
      { account: 'alive', status: 'succeeded' },
      { account: 'dead', status: 'failed' },
    ]);
    expect(log.join('')).toContain('no connection');
  });

  it('does not start where its file cannot be used, and holds no lock afterwards', async () => {
    execute(path, 'create table t (x)');
    const worker = startTestWorker(configFor({ main: NOWHERE }), clock);
    await expect(worker.ended).rejects.toThrow(`${path} is a SQLite file, but not a vodhouse warehouse`);
    expect(readdirSync(folder).filter((name) => name.endsWith('holder'))).toEqual([]);
  });
});
