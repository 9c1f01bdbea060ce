import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../src/database/sqlite.ts';
import { describe, expect, it } from 'vitest';
import { lockOrThrow, type Lock, type LockName } from '../../src/database/lock.ts';
import { migrateFile, SCHEMA_VERSION } from '../../src/database/migrate.ts';
import { LockedError } from '../../src/lib/errors.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { change, insert, liveFileWith, type Cell } from '../support/fixtures/filled-live-file.ts';
import { readContents } from '../support/fixtures/full-warehouse.ts';
import { execute, readRows, readValue, type Row } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';

const clock = createVirtualClock('2026-03-05T06:00Z');

const MIGRATIONS = new URL('../../drizzle/', import.meta.url);

interface Journal {
  entries: { idx: number; when: number; tag: string }[];
}

/** A folder with the migrations of this version, and one more. */
function withNextMigration(sql: string): string {
  const folder = temporaryFolder();
  cpSync(MIGRATIONS, folder, { recursive: true });
  const file = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as Journal;
  const last = journal.entries.at(-1);
  const next = { ...last, idx: journal.entries.length, when: (last?.when ?? 0) + 1, tag: 'next' };
  writeFileSync(file, JSON.stringify({ ...journal, entries: [...journal.entries, next] }));
  writeFileSync(join(folder, 'next.sql'), sql);
  return folder;
}

/** Migrates the file as the version with these migrations would. */
function migrateWith(path: string, folder: string): void {
  const client = new Database(path);
  try {
    migrateFile(client, path, clock.now(), folder);
  } finally {
    client.close();
  }
}

const TABLES = `select name from sqlite_schema where type = 'table'
  and name not in ('sqlite_sequence', '__drizzle_migrations', 'warehouse_state') order by name = 'storage_correction'`;
const VALUES: Record<string, Cell> = { TEXT: 'main', DATE: '2026-02-25', TIMESTAMP: '2026-03-01 03:00:00' };

/** A file with a row in each table, and a value in each column. */
function filledFile(): string {
  const path = liveFileWith();
  const rows = readRows(path, TABLES).map(({ name }) => {
    const columns = readRows(path, `select name, upper(type) as type from pragma_table_info('${name}')`);
    const row = Object.fromEntries(
      columns.map((column) => [String(column['name']), VALUES[String(column['type'])] ?? 7]),
    );
    return insert(String(name), name === 'storage_day' ? { ...row, state: 'booked' } : row);
  });
  execute(path, rows.join('\n'));
  return path;
}

/** The rows of each table. */
function readTables(path: string): Map<string, Row[]> {
  return new Map(
    Object.entries(readContents(path).rows).map(([table, rows]) => [
      table,
      rows.map((row) => JSON.parse(row) as Row),
    ]),
  );
}

/** Adds a column, and rebuilds a table whose rows have children, as drizzle-kit does. The trigger names that table. */
function addAndRebuild(path: string): string {
  const run = String(readValue(path, "select sql from sqlite_schema where name = 'run'"));
  return [
    "ALTER TABLE `package` ADD `note` text DEFAULT 'none' NOT NULL;",
    'DROP TRIGGER `video_version_kept`;',
    run.replace('`run`', '`__new_run`'),
    'INSERT INTO `__new_run` SELECT * FROM `run`;',
    'DROP TABLE `run`;',
    'ALTER TABLE `__new_run` RENAME TO `run`;',
  ].join('\n--> statement-breakpoint\n');
}

const INTERNAL = ['__drizzle_migrations', 'sqlite_sequence'];

/** A file with a row in each table that got the next migration, and its rows before. */
function migrated(): { path: string; folder: string; before: Map<string, Row[]> } {
  const path = filledFile();
  const before = readTables(path);
  const folder = withNextMigration(addAndRebuild(path));
  migrateWith(path, folder);
  return { path, folder, before };
}

describe('a file that is migrated', () => {
  it('retains every row of every table, column by column', () => {
    const { path, before } = migrated();
    expect([...before].filter(([, rows]) => rows.length === 0)).toEqual([]);
    const after = readTables(path);
    for (const [table, rows] of before) {
      if (INTERNAL.includes(table)) continue;
      const added = table === 'package' ? { note: 'none' } : {};
      expect(after.get(table), table).toEqual(rows.map((row) => ({ ...row, ...added })));
    }
    expect(readValue(path, 'pragma user_version')).toBe(SCHEMA_VERSION + 1);
    expect(readValue(path, 'pragma integrity_check')).toBe('ok');
    expect(readRows(path, 'pragma foreign_key_check')).toEqual([]);
  });

  it('has the triggers and indexes of a new file', () => {
    const { path, folder } = migrated();
    const fresh = join(folder, 'live.db');
    openWarehouse(fresh, clock).close();
    const query =
      "select type, name, sql from sqlite_schema where type in ('trigger', 'index') order by type, name";
    expect(readRows(path, query)).toEqual(readRows(fresh, query));
  });

  it('rejects as before, and records the states of a video that changes', () => {
    const { path } = migrated();
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
    execute(
      path,
      `update video_version set change_seq = 1; ${change(7, '2026-03-05 06:00:00', "title = 'next'")}`,
    );
    expect(readValue(path, 'select count(*) from video_version')).toBe(2);
    expect(readRows(path, 'select version_number, changed_fields from video')).toEqual([
      { version_number: 8, changed_fields: 'title ' },
    ]);
  });

  it('stays as it was where the migration fails', () => {
    const path = filledFile();
    const before = readContents(path);
    const failing = withNextMigration(
      `${addAndRebuild(path)}\n--> statement-breakpoint\nUPDATE \`package\` SET \`note\` = \`no_such_column\`;`,
    );
    expect(() => migrateWith(path, failing)).toThrow('no_such_column');
    expect(readContents(path)).toEqual(before);
    openWarehouse(path, clock).close();
  });
});

/** A file of this version that has the number of an older one. */
function olderFile(): string {
  const path = filledFile();
  execute(path, `pragma user_version = ${SCHEMA_VERSION - 1}`);
  return path;
}

describe('a file of an older format that another process uses', () => {
  /** As if a process of an older version had the lock. */
  function lockAsOther(path: string, name: LockName): Lock {
    const lock = lockOrThrow(path, name, 'start', clock.now());
    const holder = { host: 'other', pid: 1, since: '2026-03-05 05:00:00', command: 'start' };
    writeFileSync(`${path}.${name}.holder`, JSON.stringify(holder));
    return lock;
  }

  it.each(['worker', 'run'] as const)('stays as it is while the lock of a %s is held', (name) => {
    const path = olderFile();
    const before = readContents(path);
    const lock = lockAsOther(path, name);
    expect(() => openWarehouse(path, clock)).toThrow(LockedError);
    expect(() => openWarehouse(path, clock)).toThrow(
      `${path} has format ${SCHEMA_VERSION - 1}, and this vodhouse needs format ${SCHEMA_VERSION}, but an older one uses it: ` +
        'vodhouse start on other, pid 1, since 2026-03-05 05:00:00 UTC',
    );
    expect(readContents(path)).toEqual(before);
    lock.release();
    openWarehouse(path, clock).close();
    expect(readValue(path, 'pragma user_version')).toBe(SCHEMA_VERSION);
  });

  it('is brought up to date where that process was killed, and by the worker itself', () => {
    const path = olderFile();
    writeFileSync(`${path}.worker.holder`, '{"host":"other","pid":1,"since":"","command":"start"}');
    const own = lockOrThrow(path, 'run', 'start', clock.now());
    openWarehouse(path, clock).close();
    own.release();
    expect(readValue(path, 'pragma user_version')).toBe(SCHEMA_VERSION);
  });
});
