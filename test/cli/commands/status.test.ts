import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { upsertPause } from '../../../src/budget/statements/pause.ts';
import { openDatabase } from '../../../src/database/connection.ts';
import { Database } from '../../../src/database/sqlite.ts';
import { DAY_MS, systemClock, toTimestamp } from '../../../src/lib/clock.ts';
import type { LoadReport } from '../../../src/publishing/targets/load-report.ts';
import { PUBLISHED_ID } from '../../../src/publishing/replace-file.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import {
  commandFolder,
  NOWHERE,
  sandboxFolder,
  serviceFolder,
  type CommandFolder,
} from '../../support/fixtures/command-folder.ts';
import { loadReport } from '../../support/fixtures/load-report.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
import { listBody, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';
import { transact } from '../../../src/database/transaction.ts';
import { recordLoadReports } from '../../../src/warehouse/statements/target-loads.ts';

vi.setConfig({ testTimeout: 60_000 });

const PACKAGES = [101, 102, 103];

/** A folder whose warehouse is synced with a sandbox. */
async function syncedFolder(top = '') {
  const folder = await sandboxFolder({ packages: PACKAGES, top });
  await folder.succeed('sync');
  return folder;
}

/** Text and document of `status`, and the exit code of both. */
async function readStatus({ run }: Pick<CommandFolder, 'run'>) {
  const [text, document] = [await run('status'), await run('status', '--json')];
  expect(document.code).toBe(text.code);
  return { ...text, report: JSON.parse(document.stdout) as Record<string, unknown[]> };
}

describe('status', () => {
  it('ends with 0 where all is fresh, and prints the state, also as JSON', async () => {
    const { code, stdout, stderr, report } = await readStatus(await syncedFolder());
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^All well: All 3 packages are fresh; last full walk just now \(.*vodhouse\.db\)\n/,
    );
    expect(stdout).toMatch(/^worker: none; to start one: vodhouse start\ndue with a worker: full run /m);
    expect(stdout).toMatch(/^main\/101 +250 +just now +succeeded$/m);
    expect(stdout).toMatch(/^main +just now +\d{4}-\d\d-\d\d +0 +0$/m);
    expect(stdout).toMatch(/^main +\d+ spent +\d+ spent +\d+ spent$/m);
    expect(stdout).toMatch(/^1 +just now +manual +full +everything +succeeded +\d+$/m);
    const walked = { stale: false, last_walk: 'succeeded', order: 'trusted' };
    expect(report).toMatchObject({
      level: 'well',
      needs: [],
      problems: [],
      packages: [
        { account: 'main', package_id: 101, videos: 250, ...walked },
        { account: 'main', package_id: 102, videos: 30 },
        { account: 'main', package_id: 103, videos: 0 },
      ],
      storage: [{ account: 'main', gaps: 0, stale: false }],
      budgets: [
        {
          account: 'main',
          per_day: { limit: null, left: null },
          pause: null,
          saved: { quick_walks: 0, requests: 0 },
        },
      ],
      runs: [{ run_id: 1, status: 'succeeded', trigger: 'manual' }],
    });
  });

  it('prints when the published file was made, and whether it is outdated', async () => {
    const { cwd, text, write, succeed, run, json, execute } = await syncedFolder('publish: {}');
    expect(await succeed('status')).toMatch(/^published file published\/vodhouse\.bi\.db: made just now$/m);
    execute("update package set name = 'New'; update run set finished_at = '2026-01-01 00:00:00'");
    const [problem, note] = ['✕ The published file does not show the last changes', 'newer changes'];
    const behind = await run('status');
    expect(behind.code).toBe(3);
    expect(behind.stdout).toContain(problem);
    expect(behind.stdout).toContain(note);
    write(text.replace('publish: {}', 'publish: { every: 1h }'));
    const deferred = (await run('status')).stdout;
    expect(deferred).not.toContain(problem);
    expect(deferred).toContain(note);
    const file = join(cwd, 'published/vodhouse.bi.db');
    rmSync(file);
    expect(await json('status')).toMatchObject({
      needs: ['The published file does not exist'],
      published: { file, published_at: null, behind: true },
    });
  });

  it('prints the last requests with --requests, newest first', async () => {
    const { succeed, json } = await syncedFolder();
    expect(await succeed('status', '--requests')).toMatch(/main +storage +200 +\d+ +\d/);
    const { requests } = (await json('status', '--requests')) as { requests: { request_id: number }[] };
    expect(requests.map(({ request_id: id }) => id)).toEqual([4, 3, 2, 1]);
    expect(requests.at(-1)).toMatchObject({ account: 'main', purpose: 'storage', status: 200 });
  });

  it('ends with 3 where nothing was walked yet, and prints the next command', async () => {
    const folder = await sandboxFolder({ packages: PACKAGES });
    await folder.succeed('check');
    const { code, stdout, report } = await readStatus(folder);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^Empty: Nothing was synced yet; to begin: vodhouse sync \(.*\)\n\nworker: none/);
    expect(report).toMatchObject({ level: 'new', needs: ['Nothing was synced yet'], problems: [] });
  });

  it('names the worker that runs, and when runs are due', async () => {
    const { start, json, run, text, write } = await syncedFolder();
    const worker = start('start');
    const time = (pattern: RegExp) => expect.stringMatching(pattern) as string;
    await expect
      .poll(() => json('status'), { timeout: 20_000 })
      .toMatchObject({
        worker: { host: hostname(), pid: worker.pid, since: time(/^\d{4}-.* \d\d:\d\d:\d\d$/) },
        next: { full: time(/:00:00$/), quick: null },
      });
    write(text.replace('timezone:', 'timezoen:'));
    const broken = await run('status');
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('timezoen')]);
    expect(broken.stdout).toMatch(
      /^worker: .*, pid \d+, since .* UTC; it continues with the config it had\n$/,
    );
    worker.kill('SIGTERM');
    await worker.ended;
    expect((await run('status')).stdout).toBe('');
    write(text);
    expect(await json('status')).toMatchObject({ worker: null });
  });

  it('prints some of the records in quarantine with their reasons', async () => {
    const bad = [1, 2, 3, 4, 5].map((id) => videoRecord(id, { duration: `${id} s` }));
    const body = listBody({ records: [...bad, videoRecord(6)] });
    const folder = await serviceFolder(serveEverything(() => ({ body })));
    await folder.run('sync');
    folder.execute("update quarantine set seen_at = datetime('now', '-3 hours')");
    const { code, stdout, report } = await readStatus(folder);
    expect(code).toBe(3);
    expect(report.problems?.[0]).toMatchObject({ event: 'quarantine', severity: 'ticket', account: 'main' });
    for (const id of [1, 2, 3])
      expect(stdout).toMatch(new RegExp(`^ {6}.{9}${id} of package 101: duration: .*${id} s.* UTC\\)$`, 'm'));
    expect(stdout).toMatch(/^ +and 2 more$/m);
    const examples = [1, 2, 3].map((id) => ({ package_id: 101, record_id: String(id) }));
    expect(report.quarantine).toMatchObject([{ account: 'main', stream: 'videos', open: 5, examples }]);
  });

  it('prints drift with the command that accepts it', async () => {
    const folder = await syncedFolder();
    folder.execute(`insert into drift (account, stream, field, kind, sample, first_seen_at, last_seen_at) values
      ('main', 'videos', 'playcount', 'new', '17', datetime('now', '-2 days'), datetime('now')),
      ('main', 'videos', 'cdate', 'missing', null, datetime('now', '-3 hours'), datetime('now')),
      ('main', 'storage', 'encoder_size', 'type', '"n/a"', datetime('now', '-6 days'), datetime('now'))`);
    const { code, stdout, report } = await readStatus(folder);
    expect(code).toBe(3);
    for (const text of ['playcount, e.g. 17', 'encoder_size: "n/a"', ': vodhouse acknowledge\n'])
      expect(stdout).toContain(text);
    expect(report.needs).toHaveLength(1);
    expect(report.drift).toHaveLength(3);
    const drift = { account: 'main', stream: 'videos', field: 'playcount', kind: 'new', sample: '17' };
    expect(report.drift?.[1]).toMatchObject(drift);
  });
});

it('status has a line for each target, and ends with 3 where a person is needed', async () => {
  const { text, live, write, run, json } = await syncedFolder();
  write(`publish: { targets: [{ name: warehouse, postgres: 'postgres://me:x@127.0.0.1:1/db' }] }\n${text}`);
  const recordLoad = (load: LoadReport) => {
    const warehouse = openWarehouse(live, systemClock);
    transact(warehouse.db, (tx) => recordLoadReports(tx, 'warehouse', [load], systemClock.now()));
    warehouse.close();
  };
  recordLoad(loadReport({ changeSeq: 1_000_000, differences: [] }));
  expect((await run('status')).stdout).toContain(
    'target warehouse: 1 account, 1 up to date, loaded just now, verified just now\n',
  );
  expect((await json('status'))['targets']).toMatchObject([
    { target: 'warehouse', up_to_date: true, every_ms: 0, accounts: [{ outcome: 'loaded' }], runs: null },
  ]);
  const code = 'other_warehouse';
  recordLoad(
    loadReport({ outcome: 'refused', changeSeq: null, code, error: 'main is of another', hint: 'x' }),
  );
  const refused = await run('status');
  expect(refused.code).toBe(3);
  expect(refused.stdout).toMatch(/^ {6}details: main is of another/m);
  expect((await json('status'))['targets']).toMatchObject([{ up_to_date: false, accounts: [{ code }] }]);
});

/** A published file as another warehouse makes it: of that, status reads only the table `about`. */
function publishFrom(file: string, about: Readonly<Record<string, string>>): void {
  rmSync(file, { force: true });
  const db = new Database(file);
  db.pragma(`application_id = ${PUBLISHED_ID}`);
  db.exec('create table about (key text primary key, value text)');
  for (const [key, value] of Object.entries({ fingerprint: 'other', today: '2026-03-05', ...about }))
    db.prepare('insert into about values (?, ?)').run(key, value);
  db.close();
}

/** A folder with an empty live file, and the path of a file that it publishes. */
function emptyFolder() {
  const folder = commandFolder({ url: NOWHERE, top: 'publish: { file: bi.db }' }, { 'data/note': '' });
  const db = openDatabase(folder.live, Date.now());
  return { ...folder, db, file: join(folder.cwd, 'bi.db') };
}

describe('status of a publication that is refused', () => {
  it('shows at once, without a worker, the error of publish and what to move away', async () => {
    const { file, run } = emptyFolder();
    publishFrom(file, { warehouse_since: '2026-01-01 00:00:00', published_at: '2026-01-02 00:00:00' });
    const { code, stdout } = await run('status');
    expect(code).toBe(3);
    expect(stdout).toContain(`publish.file: ${file} was made from another warehouse`);
    expect(stdout).toContain('move it away, or name another file');
    expect(stdout).toContain('; then: vodhouse publish');
    expect(stdout).not.toContain('try it now');
    writeFileSync(file, 'my own notes');
    expect((await run('status')).stdout).toMatch(/publish\.file: .*vodhouse did not publish it/);
    rmSync(file);
    expect((await run('status')).stdout).not.toContain('cannot be made');
  });
});

describe('status right after a failure', () => {
  it('shows why the last publication failed, until one works', async () => {
    const { run, succeed, execute } = await syncedFolder('publish: {}');
    execute(
      "pragma foreign_keys = off; update package set name = 'Other', package_id = -1 where package_id = 101",
    );
    expect((await run('publish')).code).toBe(1);
    const { code, stdout } = await run('status');
    expect([code, stdout]).toEqual([3, expect.stringContaining('The published file cannot be made')]);
    expect(stdout).toMatch(/-> .*; to try it now: vodhouse publish$/m);
    execute('pragma foreign_keys = off; update package set package_id = 101 where package_id = -1');
    await succeed('publish');
    expect(await succeed('status')).not.toContain('cannot be made');
  });

  it('shows why the last load of a target failed, until one works', async () => {
    const place = temporaryFolder();
    const { run, succeed } = await syncedFolder(
      `publish: { targets: [{ name: lake, every: 0, folder: ${place} }] }`,
    );
    renameSync(place, `${place}.away`);
    expect((await run('publish', '--target', 'lake')).code).not.toBe(0);
    const { code, stdout } = await run('status');
    expect([code, stdout]).toEqual([3, expect.stringContaining('Target lake has failed since')]);
    expect(stdout).toContain(place);
    expect(stdout).toMatch(/-> .*; to try it now: vodhouse publish --target lake$/m);
    renameSync(`${place}.away`, place);
    await succeed('publish', '--target', 'lake');
    expect(await succeed('status')).not.toContain('has failed');
  });
});

it('names the command that ends a pause, and that command ends it', async () => {
  const { db, run, succeed } = emptyFolder();
  const [since, until] = [toTimestamp(Date.now()), toTimestamp(Date.now() + DAY_MS)];
  const row = { account: 'main', reason: 'asked to wait', since, until, full_rate_at: until };
  upsertPause(db, { ...row, consecutive_restrictions: 1 });
  expect((await run('status')).stdout).toContain('vodhouse resume main');
  expect((await run('resume', 'other')).code).toBe(2);
  expect(await succeed('resume', 'main')).toContain('vodhouse sync');
  expect((await run('status')).stdout).not.toContain('vodhouse resume main');
});

it('shows after a restore why the account is paused, and nothing of its limits', async () => {
  const { run, succeed } = await syncedFolder();
  await succeed('backup', 'copy.db');
  await succeed('restore', 'copy.db');
  const { stdout } = await run('status');
  expect(stdout).toMatch(/^ {2}! Account main is paused until \S+ \S+ UTC: the live file was restored$/m);
  expect(stdout).toMatch(/-> .*, if few requests were sent since the backup: vodhouse resume main$/m);
  expect(stdout).not.toMatch(/limits|full rate/);
});

it.each(['status', 'runs', 'plan', 'sync', 'start', 'check', 'publish'])(
  '%s of a live file that is gone, but not its published file, shows how to get it back',
  async (command) => {
    const { cwd, run } = commandFolder({ url: NOWHERE, top: 'publish: { file: bi.db }' });
    publishFrom(join(cwd, 'bi.db'), { warehouse_since: '2026-01-01 00:00:00' });
    const { code, stderr } = await run(command);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /vodhouse\.db is missing, but .*\n *-> .*put the file back; or vodhouse restore BACKUP/,
    );
  },
);
