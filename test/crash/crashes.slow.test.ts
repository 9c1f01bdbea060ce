/**
 * Sync, publication, loads, backup and restore are killed, or get an error, at every call that changes a file, and
 * lose power after every write. A random sample; `npm run crash` takes all.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/sqlite.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { CONFIG, configText, WAREHOUSE } from '../support/fixtures/config-file.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';
import { FAULTS, injecting, runCommand } from './crashed-command.ts';
import { failAfter, recordWrites, type Recording } from './recorded-writes.ts';

const { VODHOUSE_CRASH: given = '2' } = process.env;
/** How many cases of each test are tried; `VODHOUSE_CRASH` is a number or `all`. */
const SAMPLES = given === 'all' ? Infinity : Number(given);

/** Columns with the time of a row's last change. */
const TIMES = new Set([
  'run_id',
  'first_seen_at',
  'changed_at',
  'change_seq',
  'observed_at',
  'removed_at',
  'first_missing_at',
]);
const SUCCEEDED = { code: 0, stderr: '' };
const PUBLISHED = 'published/vodhouse.bi.db';
const FILE = 'publish: {}';
const LAKE = 'publish: { targets: [{ name: lake, folder: lake }] }';
const postgres = findPostgres() === null ? null : postgresForTests();
let schemas = 0;
/** Into a schema of its own for each folder. */
const POSTGRES = () =>
  `publish: { targets: [{ name: warehouse, postgres: '${postgres?.url}', ssl: off, schema: crash_${++schemas} }] }`;

type Start = 'nothing' | 'a sync' | 'a backup';

interface Scenario {
  name: string;
  /** The lines of the config about publishing, for each folder. */
  publish?: string | (() => string);
  /** What was done last in the folder, without publishing. The service has changed since. */
  after: Start;
  command: readonly string[];
}

const RESTORE: Scenario = { name: 'a restore', after: 'a backup', command: ['restore', 'copy.db'] };

const SCENARIOS: readonly Scenario[] = [
  { name: 'a first sync', after: 'nothing', command: ['sync'] },
  {
    name: 'a sync of a list with changes',
    after: 'a sync',
    command: ['sync', '--accept-removals'],
  },
  { name: 'a publication', after: 'a sync', publish: FILE, command: ['publish'] },
  { name: 'a load of a lake', after: 'a sync', publish: LAKE, command: ['publish'] },
  ...(postgres
    ? [{ name: 'a load of PostgreSQL', after: 'a sync' as const, publish: POSTGRES, command: ['publish'] }]
    : []),
  { name: 'a backup', after: 'a sync', command: ['backup', 'copy.db'] },
  RESTORE,
];

const sandbox = createSandbox({
  clock: systemClock,
  packages: [
    { id: 101, videos: 45 },
    { id: 102, videos: 15 },
  ],
});
let url: string;
/** The folder of all folders here. */
const root = mkdtempSync(join(tmpdir(), 'vodhouse-crash-'));
const starts: Record<Start, string> = {
  nothing: join(root, 'nothing'),
  'a sync': join(root, 'a-sync'),
  'a backup': join(root, 'a-backup'),
};

beforeAll(async () => {
  ({ url } = await sandbox.listen());
  for (const name of ['data', 'lake']) mkdirSync(join(starts.nothing, name), { recursive: true });
  writeConfig(starts.nothing, '');
  cpSync(starts.nothing, starts['a sync'], { recursive: true });
  expect(await runCommand(starts['a sync'], ['sync'])).toEqual(SUCCEEDED);
  cpSync(starts['a sync'], starts['a backup'], { recursive: true });
  expect(await runCommand(starts['a backup'], ['backup', 'copy.db'])).toEqual(SUCCEEDED);
  sandbox.churn(40);
  return async () => {
    await sandbox.close();
    rmSync(root, { recursive: true });
  };
});

describe.each(SCENARIOS)('$name', { timeout: SAMPLES > 3 ? 36_000_000 : 600_000 }, (scenario) => {
  let recording: Recording;
  let expected: ReturnType<typeof contents>;
  beforeAll(async () => {
    const undisturbed = makeFolder(scenario);
    recording = await recordWrites(undisturbed, scenario.command);
    expected = contents(undisturbed);
  });

  it('loses nothing at a fault of any call, and leaves nothing behind', async () => {
    const cases = [...recording.calls].flatMap(([call, count]) =>
      FAULTS.flatMap((fault) => Array.from({ length: count }, (_, index) => ({ call, fault, n: index + 1 }))),
    );
    expect(cases.length).toBeGreaterThan(10);
    await forEachOf(sample(cases), async ({ call, fault, n }) => {
      const folder = makeFolder(scenario);
      const { stderr } = await runCommand(folder, scenario.command, injecting(call, fault, n));
      await checkRest(scenario, folder, expected, `${call}, ${fault}, ${n}: ${stderr}`);
    });
  });

  it('survives a power failure after any write', async () => {
    expect(recording.operations.length).toBeGreaterThan(10);
    await forEachOf(sample(recording.operations.map((_, index) => index + 1)), async (count) => {
      const folder = makeFolder(scenario);
      failAfter(recording, count, folder, () => Math.random() < 0.5);
      await checkRest(scenario, folder, expected, `after ${count} of ${recording.operations.length}`);
    });
  });

  if (scenario !== RESTORE) return;
  it('puts a whole file in place, or none, where one of the last writes fails', async () => {
    const count = recording.calls.get('pwrite64') ?? 0;
    const last = Array.from({ length: 8 }, (_, index) => count - index);
    await forEachOf(last, async (n) => {
      const folder = makeFolder(scenario);
      await runCommand(folder, scenario.command, injecting('pwrite64', 'error=EIO:when=N', n));
      expect(integrity(join(folder, WAREHOUSE)), `write ${n} of ${count}`).toBe('ok');
    });
  });
});

/** What is left is readable; the command does the rest when it runs again, and nothing else is there. Deletes the folder. */
async function checkRest(
  { command, publish }: Scenario,
  folder: string,
  expected: ReturnType<typeof contents>,
  what: string,
): Promise<void> {
  const copy = join(folder, 'copy.db');
  for (const file of [PUBLISHED, WAREHOUSE].map((name) => join(folder, name)))
    if (existsSync(file)) expect(integrity(file), what).toBe('ok');
  if (command[0] === 'backup' && existsSync(copy)) expect(integrity(copy), what).toBe('ok');
  else expect(await runCommand(folder, command), what).toEqual(SUCCEEDED);
  if (publish && publish !== FILE)
    expect((await runCommand(folder, ['publish', '--verify'])).code, what).toBe(0);
  expect(contents(folder), what).toEqual(expected);
  const pages = 'select (select count(*) from request) >= (select sum(pages) from walk)';
  expect(
    read(join(folder, WAREHOUSE), (db) => db.prepare(pages).pluck().get()),
    what,
  ).toBe(1);
  rmSync(folder, { recursive: true });
}

/** A new folder in which the command of the scenario can run. */
function makeFolder({ after, publish = '' }: Scenario): string {
  const folder = mkdtempSync(join(root, 'case-'));
  cpSync(starts[after], folder, { recursive: true });
  writeConfig(folder, typeof publish === 'string' ? publish : publish());
  return folder;
}

const writeConfig = (folder: string, top: string): void =>
  writeFileSync(
    join(folder, CONFIG),
    configText({ url, packages: [101, 102], pageSize: 20, limits: 'concurrency: 1', top }),
  );

/** All, or a few in equal distances, from a random one. */
function sample<Case>(cases: readonly Case[]): readonly Case[] {
  const step = Math.max(1, Math.ceil(cases.length / SAMPLES));
  const first = Math.floor(Math.random() * step);
  return cases.filter((_, index) => index % step === first);
}

/** As many cases at a time as the machine has processors. */
const forEachOf = <Case>(cases: readonly Case[], check: (one: Case) => Promise<void>): Promise<unknown> =>
  pLimit(availableParallelism()).map(cases, check);

const integrity = (file: string): unknown =>
  read(file, (db) => db.pragma('integrity_check', { simple: true }));

function read<Result>(file: string, ask: (db: InstanceType<typeof Database>) => Result): Result {
  const db = new Database(file, { readonly: true });
  try {
    return ask(db);
  } finally {
    db.close();
  }
}

/** The rows of a folder without times and numbers of changes, and the names of its files without digits. */
function contents(folder: string) {
  const rows = (file: string, table: string, order: string) =>
    existsSync(join(folder, file))
      ? read(join(folder, file), (db) =>
          (db.prepare(`select * from ${table} order by ${order}`).all() as Record<string, unknown>[]).map(
            (row) =>
              Object.fromEntries(
                Object.entries(row).filter(([name]) => !TIMES.has(name) && !/_(?:at|day|seq)$/.test(name)),
              ),
          ),
        )
      : [];
  return {
    videos: rows(WAREHOUSE, 'video', 'package_id, id'),
    days: rows(WAREHOUSE, "storage_day where state = 'booked'", 'date'),
    published: rows(PUBLISHED, 'videos', 'video_key'),
    versions: rows(PUBLISHED, 'video_versions', 'video_key, version_number').length,
    files: [...new Set(listFiles(folder))].sort(),
  };
}

/**
 * Files of the lake have random names, and a second restore within a second adds a number to the name of the file it replaces. Drafts
 * of the lake's log are deleted after `keep`, those of a backup by the next one there.
 */
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/-(?:wal|shm)$|\.draft-|copy\.db\.new-/.test(name))
    .map((name) => name.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'ID').replace(/(?<=-restore-.*)\.\d+$/, ''))
    .map((name) => name.replace(/\d+/g, '0'));
