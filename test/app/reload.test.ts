import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { readHolder, tryLock } from '../../src/database/lock.ts';
import { ConfigError } from '../../src/lib/errors.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { START } from '../support/fixtures/open-pipeline.ts';
import { createServerConfig, createTestConfig } from '../support/fixtures/test-config.ts';
import { LEAST, load } from '../support/fixtures/load-config.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { startTestWorker } from '../support/fixtures/test-worker.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { readHealth } from '../support/fixtures/health-report.ts';

/** A worker of three packages that reads its config from `current`, and reloads at `reload`. */
async function startWorker({ onPage = () => undefined }: { onPage?: () => void } = {}) {
  const clock = createVirtualClock(START);
  const { url } = await startSandbox({ clock });
  const path = join(temporaryFolder(), 'vodhouse.db');
  const configOf = (packages: readonly number[], changes: Partial<Config> = {}): Config => {
    const config = createTestConfig({ url, packages, pageSize: 20, concurrency: 1, removalBrake: 0.2 }, path);
    const accounts = config.accounts.map((account) => ({
      ...account,
      videoList: { ...account.videoList, key: 'sandbox-key' },
    }));
    return { ...config, accounts, ...changes };
  };
  const state = { current: () => configOf([101, 102, 103]) };
  const listeners = new Set<() => void>();
  const reloads = {
    load: () => state.current(),
    listen: (onRequest: () => void) => {
      listeners.add(onRequest);
      return () => void listeners.delete(onRequest);
    },
  };
  const worker = startTestWorker(state.current(), clock, { progress: { pageStored: onPage }, reloads });
  const findProblems = () => {
    const { problems } = readHealth({ config: configOf([101]), file: path, clock });
    return problems.filter(({ of }) => of.kind === 'config');
  };
  return {
    ...worker,
    path,
    clock,
    configOf,
    state,
    findProblems,
    reload: () => listeners.forEach((each) => each()),
    isListening: () => listeners.size > 0,
  };
}

const activePackages = (path: string) =>
  readRows(path, 'select package_id from package where retired_at is null order by 1').map(
    ({ package_id: id }) => id,
  );

describe('a worker that gets a request to reload its config', () => {
  it('takes the changed config, without another start', async () => {
    const worker = await startWorker();
    await expect.poll(() => worker.runs.length).toBe(1);
    await worker.settled;
    worker.state.current = () => worker.configOf([101, 102]);
    worker.reload();
    await expect.poll(() => worker.reloaded.length).toBe(1);
    const left = 'left the config: main/103, 0 videos; the next run retires it, its rows stay';
    expect(worker.logged('package_leaves').join('')).toContain(left);
    worker.clock.advance(3_600_000);
    worker.reload(); // it looks for due runs when it begins to serve a config
    await expect.poll(() => worker.runs.length).toBe(2);
    expect(activePackages(worker.path)).toEqual([101, 102]);
    expect(worker.logged('config_accepted')).toHaveLength(2);
  });

  it('takes other targets, and keeps the ones it has where an address cannot be used', async () => {
    const worker = await startWorker();
    await worker.settled;
    const target = createTargetConfig('postgres://me@127.0.0.1:1/videos');
    const publish = { file: join(temporaryFolder(), 'bi.db'), exclude: [], tagSeparators: [','], everyMs: 0 };
    const changed = { publish: { ...publish, targets: [target] } };
    worker.state.current = () => worker.configOf([101, 102, 103], changed);
    worker.reload();
    await expect.poll(() => worker.reloaded.map((each) => each.publish?.targets)).toEqual([[target]]);
    worker.state.current = () =>
      load(`${LEAST}publish: { targets: [{ name: a, postgres: "x://u:pass-word@h" }] }`);
    worker.reload();
    await expect.poll(() => worker.logged('config_refused').join('')).toContain('x://u:***@h is not valid');
    expect(worker.log.join('')).not.toContain('pass-word');
    expect(worker.reloaded).toHaveLength(1);
  });

  it('takes it between two packages of a run, which resumes under the new config', async () => {
    let onPage: (() => void) | null = null;
    const worker = await startWorker({ onPage: () => onPage?.() });
    onPage = () => {
      onPage = null;
      worker.state.current = () => worker.configOf([101, 102]);
      worker.reload();
    };
    await expect.poll(() => worker.runs.length, { timeout: 10_000 }).toBe(2);
    expect(readRows(worker.path, 'select status, error from run order by run_id')).toMatchObject([
      { status: 'parked', error: expect.stringContaining('the config was reloaded') as string },
      { status: 'succeeded' },
    ]);
    expect(activePackages(worker.path)).toEqual([101, 102]);
    expect(readRows(worker.path, `select count(*) as n from walk where status = 'failed'`)).toEqual([
      { n: 0 },
    ]);
  });

  it('keeps the config it has where the file is invalid, and says so until a valid one comes', async () => {
    const worker = await startWorker();
    await worker.settled;
    worker.state.current = () => {
      throw new ConfigError('vodhouse.yaml has 2 problems:\n  line 3  one\n  line 9  two');
    };
    worker.reload();
    await expect.poll(() => worker.logged('config_refused').length).toBe(1);
    expect(worker.log.join('')).toContain('vodhouse.yaml has 2 problems: line 3  one; line 9  two');
    expect(worker.reloaded).toEqual([]);
    expect(worker.findProblems()).toMatchObject([
      {
        of: { kind: 'config' },
        details: [expect.stringContaining('vodhouse.yaml has 2 problems') as string],
      },
    ]);
    worker.state.current = () => worker.configOf([101, 102, 103]);
    worker.reload();
    await expect.poll(() => worker.reloaded.length).toBe(1);
    expect(worker.findProblems()).toEqual([]);
  });

  const withoutPackages = ({ accounts }: Config) => ({
    accounts: accounts.map((each) => ({ ...each, packages: [{ id: 7, name: null }] })),
  });
  const withoutIds = {
    file: '/tmp/readers.db',
    exclude: ['id'],
    tagSeparators: [','],
    everyMs: 0,
    targets: [],
  };
  it.each<[string, (config: Config) => Partial<Config>, string]>([
    [
      'that loses all packages',
      withoutPackages,
      'no longer names all packages of main; nothing was sent or changed: left the config: main/101, 250 videos; left the config: main/102',
    ],
    ['of another warehouse', () => ({ warehouse: '/tmp/other.db' }), 'but this worker serves'],
    ['that leaves out what readers need', () => ({ publish: withoutIds }), 'cannot be left out'],
  ])('refuses one %s, and serves on', async (_what, change, message) => {
    const worker = await startWorker();
    await worker.settled;
    const config = worker.configOf([101, 102, 103]);
    worker.state.current = () => ({ ...config, ...change(config) });
    worker.reload();
    await expect.poll(() => worker.logged('config_refused').join('')).toContain(message);
    expect(activePackages(worker.path)).toEqual([101, 102, 103]);
    expect(worker.isListening()).toBe(true);
  });

  it('no longer tells of a CSV file that it refused, once the config has a list', async () => {
    const worker = await startWorker();
    await worker.settled;
    const listed = worker.configOf([101, 102, 103]);
    const packagesFile = join(temporaryFolder(), 'missing.csv');
    const accounts = listed.accounts.map((account) => ({ ...account, packagesFile }));
    worker.clock.advance(3_600_000);
    worker.state.current = () => ({ ...listed, accounts });
    worker.reload();
    await expect.poll(() => worker.runs.length).toBe(2);
    expect(worker.findProblems()).toHaveLength(1);
    worker.state.current = () => listed;
    worker.reload();
    await expect.poll(() => worker.reloaded.length).toBe(2);
    expect(worker.findProblems()).toEqual([]);
  });

  it('tells since when it has the schedule of its backups, which a reload that keeps it does not change', async () => {
    const worker = await startWorker();
    const since = () => readHolder(worker.path, 'worker')?.backups?.since;
    await worker.settled;
    expect(since()).toBeUndefined();
    const reloadWith = async (schedule: string | null) => {
      const backup = schedule === null ? null : { schedule, folder: temporaryFolder(), keep: 1 };
      worker.state.current = () => worker.configOf([101, 102, 103], { backup });
      const before = worker.reloaded.length;
      worker.clock.advance(60_000);
      worker.reload();
      await expect.poll(() => worker.reloaded.length).toBe(before + 1);
      await expect.poll(() => worker.isListening()).toBe(true);
    };
    await reloadWith('30 2 * * *');
    const first = since();
    expect(first).toBeDefined();
    await reloadWith('30 2 * * *');
    expect(since()).toBe(first);
    await reloadWith('30 3 * * *');
    expect(since()).not.toBe(first);
    await reloadWith(null);
    expect(since()).toBeUndefined();
  });

  it('waits for the run of another process before it gives an account its new name', async () => {
    const worker = await startWorker();
    await worker.settled;
    const running = tryLock(worker.path, 'run', 'sync', worker.clock.now());
    const config = worker.configOf([101, 102, 103]);
    const accounts = config.accounts.map((account) => ({ ...account, name: 'new', was: 'main' }));
    worker.state.current = () => ({ ...config, accounts });
    worker.reload();
    await expect.poll(() => worker.logged('run_lock_wait').length).toBe(1);
    running?.release();
    worker.clock.advance(1_000);
    await expect.poll(() => worker.logged('account_renamed').length).toBe(1);
    await expect.poll(() => worker.isListening()).toBe(true);
  });

  it('serves on where the refusal cannot be noted, as on a full disk', async () => {
    const worker = await startWorker();
    await worker.settled;
    rmSync(`${worker.path}.worker.holder`);
    mkdirSync(`${worker.path}.worker.holder`);
    worker.state.current = () => {
      throw new ConfigError('it is invalid');
    };
    worker.reload();
    await expect.poll(() => worker.logged('config_refused').length).toBe(1);
    worker.state.current = () => worker.configOf([101, 102]);
    worker.reload();
    await expect.poll(() => worker.reloaded.length).toBe(1);
    expect(worker.logged('config_warning').join('')).toContain('vodhouse status cannot show this');
    rmdirSync(`${worker.path}.worker.holder`);
  });

  it('refuses one whose server cannot listen, before it stops the one it has', async () => {
    const worker = await startWorker();
    await worker.settled;
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    worker.state.current = () => worker.configOf([101, 102, 103], { server: createServerConfig({ port }) });
    worker.reload();
    await expect.poll(() => worker.logged('config_refused').join('')).toContain('cannot listen on 127.0.0.1');
    expect(worker.isListening()).toBe(true);
  });
});
