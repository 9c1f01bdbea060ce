import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../src/database/sqlite.ts';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { describe, expect, it } from 'vitest';
import { lockOrThrow, type Lock, type LockName } from '../../src/database/lock.ts';
import { SCHEMA_VERSION } from '../../src/database/migrate.ts';
import { LockedError } from '../../src/lib/errors.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { execute, readRows, readValue, type Row } from '../support/fixtures/live-file.ts';
import { writeFormat9, readTables } from '../support/fixtures/old-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';

const clock = createVirtualClock('2026-03-05T06:00Z');

const MIGRATIONS = new URL('../../drizzle/', import.meta.url);

/** Migrates the file of format 9 at `path` to `version`, as vodhouse did at that time. */
function migrateTo(path: string, version: number): void {
  const folder = temporaryFolder();
  cpSync(MIGRATIONS, folder, { recursive: true });
  const file = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: unknown[] };
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, version) }));
  const client = new Database(path);
  migrate(drizzle(client), { migrationsFolder: folder });
  client.pragma(`user_version = ${version}`);
  client.close();
}

/** A file of format 9, migrated after `change` was applied, and the earlier contents of its tables. */
function migrated(change = ''): { path: string; before: Map<string, Row[]>; after: Map<string, Row[]> } {
  const path = join(temporaryFolder(), 'live.db');
  writeFormat9(path);
  if (change) execute(path, change);
  const before = readTables(path);
  openWarehouse(path, clock).close();
  return { path, before, after: readTables(path) };
}

/** Columns that later formats added, and their values in earlier rows; `asked_days` is counted. */
const ADDED: Record<string, Row> = {
  package: { schedule: null },
  storage_discrepancy: { resolved_at: null },
  storage_gap: { reason: 'missing' },
  run: { clock_offset_ms: null },
  drift: { package_id: null, absent_walks: 0, absent_at: null, resolved_at: null },
  warehouse_state: { timezone: null, config_file: null, config_accounts: null, is_demo: 0 },
};
/** Tables and columns that format 12 renamed. */
const RENAMED_TABLES: Record<string, string> = { saving: 'saved_requests' };
const RENAMED_COLUMNS: Record<string, string> = {
  turn_walk_id: 'last_turn_walk_id',
  unexplained: 'missing_records',
  unread: 'unread_reason',
  back_at: 'full_rate_at',
  strikes: 'consecutive_restrictions',
  one: 'singleton',
};
const renamed = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [RENAMED_COLUMNS[name] ?? name, value]));
/** What a state says of the change that led to it. */
const OF_CHANGE = ['version_number', 'change', 'changed_fields', 'title_before', 'run_id'];
/** Columns that a wrong clock may have falsified, and that the migration raises, or computes; old drift is acknowledged, ids are random. */
const RAISED: Record<string, readonly string[]> = {
  video: ['changed_at', 'removed_at', ...OF_CHANGE],
  video_version: ['valid_from', 'valid_to', ...OF_CHANGE],
  drift: ['acknowledged_at'],
  warehouse_state: ['warehouse_id', 'timeline'],
};
/** Tables of the migrator or of SQLite. */
const INTERNAL = ['__drizzle_migrations', 'sqlite_sequence'];

const getKey = ({ account, package_id, id }: Row) => `${account}/${package_id}/${id}`;
/** The start of the present state of a video. */
const since = (video: Row) => String(video['removed_at'] ?? video['changed_at']);

/** The states of each video except the present one, in the order of their changes. */
function listStates(tables: Map<string, Row[]>): Map<string, Row[]> {
  const states = new Map<string, Row[]>();
  for (const row of tables.get('video_version') ?? []) {
    states.set(getKey(row), [...(states.get(getKey(row)) ?? []), row]);
  }
  for (const rows of states.values()) rows.sort((a, b) => Number(a['change_seq']) - Number(b['change_seq']));
  return states;
}

/** Videos with a state that ends before it begins, or begins before the previous one ended. */
function wrongVideos(tables: Map<string, Row[]>): string[] {
  const present = new Map((tables.get('video') ?? []).map((row) => [getKey(row), since(row)]));
  const isWrong = ([key, states]: [string, Row[]]) => {
    const times = states.flatMap((row) => [String(row['valid_from']), String(row['valid_to'])]);
    times.push(present.get(key) ?? '');
    return times.some((time, index) => index > 0 && time < (times[index - 1] ?? ''));
  };
  return [...listStates(tables)].filter(isWrong).map(([key]) => key);
}

describe('a file of format 9', () => {
  it('has a history in all tables, and traces of a wrong clock', () => {
    const path = join(temporaryFolder(), 'live.db');
    writeFormat9(path);
    const tables = readTables(path);
    expect([...tables].filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(readValue(path, 'pragma user_version')).toBe(9);
    expect(readValue(path, 'pragma integrity_check')).toBe('ok');
    expect(wrongVideos(tables).length).toBeGreaterThanOrEqual(7);
    const removed = readRows(path, 'select 1 from video where removed_at < first_seen_at');
    expect(removed).not.toEqual([]);
  });

  it('retains every row of every table, column by column', () => {
    const { path, before, after } = migrated();
    for (const [table, rows] of before) {
      if (INTERNAL.includes(table)) continue;
      const raised = RAISED[table] ?? [];
      const withoutRaised = (row: Row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !raised.includes(name)));
      const without = (row: Row) =>
        withoutRaised({ ...row, ...(table === 'storage_gap' && { asked_days: 0 }) });
      expect(after.get(RENAMED_TABLES[table] ?? table)?.map(without), table).toEqual(
        rows.map((row) => without({ ...renamed(row), ...ADDED[table] })),
      );
    }
    expect(after.get('storage_correction')).toEqual([]);
    expect(after.get('storage_unconfirmed')).toEqual([]);
    expect(readValue(path, 'pragma user_version')).toBe(SCHEMA_VERSION);
    expect(readValue(path, 'pragma integrity_check')).toBe('ok');
  });

  it('retains booked days without a figure, or with a negative one', () => {
    const { path } = migrated();
    const query =
      "select date, state, mov_org_size, image_size from storage_day where account = 'main' and date in ('2026-02-25', '2026-02-26') order by date";
    expect(readRows(path, query)).toEqual([
      { date: '2026-02-25', state: 'booked', mov_org_size: null, image_size: 20509 },
      { date: '2026-02-26', state: 'booked', mov_org_size: 20510, image_size: -1 },
    ]);
  });

  it('is migrated once: another open changes nothing', () => {
    const { path, after } = migrated();
    openWarehouse(path, clock).close();
    expect(readTables(path)).toEqual(after);
  });
});

describe.each([10, 11])('a file of format %i', (version) => {
  it('is migrated like one of format 9', () => {
    const path = join(temporaryFolder(), 'live.db');
    writeFormat9(path);
    migrateTo(path, version);
    openWarehouse(path, clock).close();
    const { after } = migrated();
    for (const table of INTERNAL) after.delete(table);
    const state = `select 1 from warehouse_state where warehouse_id is not null`; // random
    expect(readRows(path, state)).toHaveLength(1);
    execute(path, 'update warehouse_state set warehouse_id = null');
    const [one] = after.get('warehouse_state') ?? [];
    after.set('warehouse_state', [{ ...one, warehouse_id: null }]);
    for (const [table, rows] of after) expect(readTables(path).get(table), table).toEqual(rows);
    expect(readValue(path, 'pragma user_version')).toBe(SCHEMA_VERSION);
    expect(readValue(path, 'pragma integrity_check')).toBe('ok');
  });
});

describe('storage that failed in a run of an older file', () => {
  const failuresAfter = (error: string) =>
    readRows(
      migrated(
        `delete from request;
         insert into run (run_id, trigger, mode, status, started_at, finished_at, error)
           values (900, 'manual', 'full', 'partial', '2026-03-04 00:00:00', '2026-03-04 00:01:00', '${error}');
         insert into request (account, at_ms, purpose, run_id, spent_until_ms) values
           ('main', 0, 'storage', 900, 0), ('main', 1, 'storage', 900, 1), ('second', 0, 'storage', 900, 0)`,
      ).path,
      'select * from run_failure',
    );
  const failure = { run_id: 900, account: 'main', package_id: null, stream: 'storage', kind: 'unknown' };

  it('has a row with its part of the error', () => {
    const message = 'account main, storage 2026-03-01 to 2026-03-03: status 500; attempt 3';
    const other = 'account main, package 101: status 404';
    expect(failuresAfter(message)).toEqual([{ ...failure, message }]);
    expect(failuresAfter(`${other}; ${message}; ${other}`)).toEqual([{ ...failure, message }]);
  });

  it('has none where the error names packages only', () => {
    expect(failuresAfter('account main, package 101: status 404')).toEqual([]);
  });
});

describe('states of a video that ran backward in time', () => {
  it('are consecutive afterwards, each until the next one and the last until the present row', () => {
    const { after } = migrated();
    const present = new Map((after.get('video') ?? []).map((row) => [getKey(row), row]));
    for (const [key, states] of listStates(after)) {
      states.forEach((state, index) => {
        const video = present.get(key) ?? {};
        const next = states[index + 1]?.['valid_from'] ?? since(video);
        expect(String(state['valid_from']) <= String(state['valid_to']), key).toBe(true);
        expect(state['valid_to'], key).toBe(next);
        expect(String(video['changed_at']) >= String(state['valid_to']), key).toBe(true);
      });
    }
  });

  it('are raised to the latest time before them', () => {
    const { after } = migrated();
    const one = listStates(after).get('main/101/1') ?? [];
    expect(one.map((row) => [row['valid_from'], row['valid_to']])).toEqual([
      ['2026-03-01 03:00:09', '2026-03-02 03:00:08'],
      ['2026-03-02 03:00:08', '2026-03-06 04:00:08'],
      ['2026-03-06 04:00:08', '2026-03-06 04:00:08'],
      ['2026-03-06 04:00:08', '2026-03-06 04:00:08'],
    ]);
  });

  it('do not affect the states of any other video', () => {
    const { before, after } = migrated();
    const wrong = wrongVideos(before);
    for (const table of ['video', 'video_version']) {
      const withoutChange = (row: Row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !OF_CHANGE.includes(name)));
      const right = (rows: Row[] | undefined) =>
        rows?.filter((row) => !wrong.includes(getKey(row))).map(withoutChange);
      expect(right(after.get(table))).toEqual(right(before.get(table)));
      expect(right(after.get(table))?.length).toBeGreaterThan(10);
    }
    expect(wrongVideos(after)).toEqual([]);
  });

  it('leave no trace of the change: no new state, and no new number', () => {
    const { before, after } = migrated();
    expect(after.get('video_version')?.length).toBe(before.get('video_version')?.length);
    expect(after.get('warehouse_state')?.[0]?.['change_seq']).toBe(
      before.get('warehouse_state')?.[0]?.['change_seq'],
    );
  });
});

describe('the states of a video of an older file', () => {
  it('are numbered, and have the change that led to each and the former title', () => {
    const { after } = migrated();
    const changes = new Set<unknown>();
    for (const video of after.get('video') ?? []) {
      const states = [...(listStates(after).get(getKey(video)) ?? []), video];
      states.forEach((state, index) => {
        const before = states[index - 1];
        const change = state['removed_at'] ? 'removed' : before?.['removed_at'] ? 'restored' : 'edited';
        const isEdited = before !== undefined && before['title'] !== state['title'];
        expect(state, getKey(video)).toMatchObject({
          version_number: index + 1,
          change: index === 0 && change === 'edited' ? 'added' : change,
          title_before: isEdited ? before['title'] : null,
        });
        changes.add(state['change']);
      });
    }
    expect([...changes].sort()).toEqual(['added', 'edited', 'removed', 'restored']);
  });

  it('are counted on after the migration', () => {
    const { path, after } = migrated();
    const [video = {}] = after.get('video') ?? [];
    const key = JSON.stringify([video['account'], video['package_id'], video['id']]);
    const one = `(account, package_id, id) = (${key.slice(1, -1).replaceAll('"', "'")})`;
    execute(path, `update video set title = 'next', change_seq = 9000 where ${one}`);
    expect(
      readRows(path, `select version_number, changed_fields, title_before from video where ${one}`),
    ).toEqual([
      {
        version_number: Number(video['version_number']) + 1,
        changed_fields: 'title ',
        title_before: video['title'],
      },
    ]);
  });
});

describe('a gap of an older file', () => {
  const readRequestCounts = (path: string, where = '1') =>
    readRows(
      path,
      `select account, date, asked_days from storage_gap where ${where} order by account, date`,
    ).map((row) => [row['account'], row['date'], row['asked_days']]);

  it('was requested on as many days as storage requests were sent, between its first and its last', () => {
    expect(readRequestCounts(migrated().path)).toEqual([
      ['main', '2026-02-22', 6],
      ['main', '2026-02-24', 6], // 03-01 to 03-05, and on "03-06" by a clock that was 3 days ahead
      ['main', '2026-03-01', 2],
      ['main', '2026-03-04', 1], // last requested before it was missed
      ['second', '2026-03-01', 4],
      ['second', '2026-03-04', 1],
    ]);
  });

  it('was not requested on days without requests: a worker was off, or a clock ahead', () => {
    const { path } = migrated("update storage_gap set last_asked_at = '2026-05-01 03:00:00'");
    expect(readRequestCounts(path, "account = 'second'")).toEqual([
      ['second', '2026-03-01', 5],
      ['second', '2026-03-04', 1],
    ]);
  });

  it('counts each day once, however many requests it had, and none of another account', () => {
    const { path } = migrated(
      `update storage_gap set first_missed_at = '2026-03-02 23:59:59', last_asked_at = '2026-03-03 00:00:00';
       delete from request where account = 'second'`,
    );
    expect(readRequestCounts(path, "date = '2026-03-01'")).toEqual([
      ['main', '2026-03-01', 2],
      ['second', '2026-03-01', 1],
    ]);
  });
});

describe('triggers and constraints', () => {
  it('equal those of a new file', () => {
    const { path } = migrated();
    const fresh = join(temporaryFolder(), 'live.db');
    openWarehouse(fresh, clock).close();
    const triggers = "select name, sql from sqlite_schema where type = 'trigger' order by name";
    expect(readRows(path, triggers)).toEqual(readRows(fresh, triggers));
    const indexes = "select name, sql from sqlite_schema where type = 'index' order by name";
    expect(readRows(path, indexes)).toEqual(readRows(fresh, indexes));
  });

  it('reject as before, and record the states of a video that changes', () => {
    const { path, after } = migrated();
    const refuse = (statement: string) => expect(() => execute(path, statement), statement).toThrow();
    const day = "account = 'main' and date = '2026-02-25'";
    refuse(`update storage_day set mov_org_size = 1 where ${day}`);
    refuse(`delete from storage_day where ${day}`);
    refuse(`insert or replace into storage_day select * from storage_day where ${day}`);
    const correction = (date: string) =>
      `insert into storage_correction (account, date, accepted_at, reason) values ('main', '${date}', '2026-03-05 06:00:00', 'r')`;
    refuse(correction('2026-02-24'));
    execute(path, correction('2026-02-25'));
    refuse(correction('2026-02-25'));
    refuse('delete from storage_correction');
    refuse("update storage_correction set reason = ''");
    execute(path, 'update video set title = title, change_seq = 1000 + package_id * 100 + id');
    expect(readValue(path, 'select count(*) from video_version')).toBe(
      (after.get('video_version')?.length ?? 0) + (after.get('video')?.length ?? 0),
    );
  });
});

it('leave no temporary table in the connection that migrated', () => {
  const path = join(temporaryFolder(), 'live.db');
  writeFormat9(path);
  openWarehouse(path, clock).close();
  const client = new Database(path);
  expect(client.prepare("select name from sqlite_schema where name like 'raised%'").all()).toEqual([]);
  client.close();
});

describe('a file of an older format that another process uses', () => {
  /** As if a process of an older version had the lock. */
  function lockAsOther(path: string, name: LockName): Lock {
    const lock = lockOrThrow(path, name, 'start', clock.now());
    const holder = { host: 'other', pid: 1, since: '2026-03-05 05:00:00', command: 'start' };
    writeFileSync(`${path}.${name}.holder`, JSON.stringify(holder));
    return lock;
  }

  it.each(['worker', 'run'] as const)('stays as it is while the lock of a %s is held', (name) => {
    const path = join(temporaryFolder(), 'live.db');
    writeFormat9(path);
    const before = readTables(path);
    const lock = lockAsOther(path, name);
    expect(() => openWarehouse(path, clock)).toThrow(LockedError);
    expect(() => openWarehouse(path, clock)).toThrow(
      `${path} has format 9, and this vodhouse needs format ${SCHEMA_VERSION}, but an older one uses it: ` +
        'vodhouse start on other, pid 1, since 2026-03-05 05:00:00 UTC',
    );
    expect(readTables(path)).toEqual(before);
    lock.release();
    openWarehouse(path, clock).close();
    expect(readValue(path, 'pragma user_version')).toBe(SCHEMA_VERSION);
  });

  it('gets no locks by that, where it has none', () => {
    const folder = temporaryFolder();
    writeFormat9(join(folder, 'live.db'));
    openWarehouse(join(folder, 'live.db'), clock).close();
    expect(readdirSync(folder)).toEqual(['live.db']);
  });

  it('is brought up to date where that process was killed, and by the worker itself', () => {
    const path = join(temporaryFolder(), 'live.db');
    writeFormat9(path);
    writeFileSync(`${path}.worker.holder`, '{"host":"other","pid":1,"since":"","command":"start"}');
    const own = lockOrThrow(path, 'run', 'start', clock.now());
    openWarehouse(path, clock).close();
    own.release();
    expect(readValue(path, 'pragma user_version')).toBe(SCHEMA_VERSION);
  });
});
