import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../src/database/sqlite.ts';
import { describe, expect, it } from 'vitest';
import { WarehouseError } from '../../src/lib/errors.ts';
import { openDatabase, openReadOnly, openLedgerConnection } from '../../src/database/connection.ts';
import { APPLICATION_ID, FORMAT_BASE, SCHEMA_VERSION } from '../../src/database/migrate.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { catchError } from '../support/catch-error.ts';
import { execute, hashFile, readRows, readValue } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';

const clock = createVirtualClock('2026-03-01T12:00Z');
const livePath = () => join(temporaryFolder(), 'live.db');

/** A live file that was created and closed. */
function madeFile(): string {
  const path = livePath();
  openWarehouse(path, clock).close();
  return path;
}

const catchRefusal = (run: () => unknown) => catchError(WarehouseError, run);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('a new file', () => {
  it('records the application, the format and the creation time', () => {
    const path = madeFile();
    expect(readValue(path, 'pragma application_id')).toBe(APPLICATION_ID);
    expect(Buffer.from(APPLICATION_ID.toString(16), 'hex').toString()).toBe('vodh');
    expect(readValue(path, 'pragma user_version')).toBe(SCHEMA_VERSION);
    expect(readRows(path, 'select * from warehouse_state')).toMatchObject([
      {
        singleton: 1,
        created_at: '2026-03-01 12:00:00',
        change_seq: 0,
        restored_at: null,
        timezone: null,
        is_demo: 0,
        warehouse_id: expect.stringMatching(UUID) as string,
      },
    ]);
  });

  it('is created with its folder, and is a single file once it is closed', () => {
    const folder = temporaryFolder();
    openWarehouse(join(folder, 'a/b/live.db'), clock).close();
    expect(readdirSync(join(folder, 'a/b'))).toEqual(['live.db']);
  });
});

describe('a connection', () => {
  const settings = (client: Database) =>
    Object.fromEntries(
      ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map((name) => [
        name,
        client.pragma(name, { simple: true }),
      ]),
    );

  it.each([
    ['history syncs to disk at every commit', (path: string) => openDatabase(path, clock.now()), 2],
    ['the ledger does not', openLedgerConnection, 1],
  ] as const)('that stores %s', (_what, open, synchronous) => {
    const db = open(madeFile());
    const shared = { journal_mode: 'wal', foreign_keys: 1, busy_timeout: 5000 };
    expect(settings(db.$client)).toEqual({ ...shared, synchronous });
    db.$client.close();
  });

  it('that is read-only cannot write', () => {
    const db = openReadOnly(madeFile());
    expect(() => db.$client.exec('delete from run')).toThrow(/readonly/);
    expect(db.$client.pragma('busy_timeout', { simple: true })).toBe(5000);
    db.$client.close();
  });
});

/** Files that are not a warehouse, and the expected message. */
type ForeignFile = [what: string, make: (path: string) => void, message: RegExp];
const FOREIGN: ForeignFile[] = [
  ['empty', (path) => writeFileSync(path, ''), /empty/],
  [
    'not SQLite',
    (path) => writeFileSync(path, 'a letter to nobody in particular\n'.repeat(100)),
    /not a SQLite file/,
  ],
  ['cut off in its header', (path) => writeFileSync(path, 'SQLite format 3\0\x10\0'), /./],
  [
    'a database of nobody in particular',
    (path) => execute(path, 'create table t (x); insert into t values (1)'),
    /not a vodhouse warehouse/,
  ],
  [
    'a database of another application',
    (path) =>
      execute(
        path,
        'pragma application_id = 252006673; create table warehouse_state (one); insert into warehouse_state values (1)',
      ),
    /not a vodhouse warehouse/,
  ],
  [
    'a database of another application with a write-ahead log',
    (path) => execute(path, 'pragma journal_mode = wal; create table t (x); insert into t values (1)'),
    /not a vodhouse warehouse/,
  ],
  [
    'a database with our id and nothing of ours',
    (path) => execute(path, `pragma application_id = ${APPLICATION_ID}; create table t (x)`),
    /not a vodhouse warehouse/,
  ],
  [
    'from a newer version',
    (path) => {
      openWarehouse(path, clock).close();
      execute(path, `pragma user_version = ${SCHEMA_VERSION + 1}`);
    },
    new RegExp(
      `has format ${SCHEMA_VERSION + 1}, made by a newer vodhouse; this one knows formats up to ${SCHEMA_VERSION}`,
    ),
  ],
  [
    'from before the first version',
    (path) => {
      openWarehouse(path, clock).close();
      execute(path, `pragma user_version = ${FORMAT_BASE - 1}`);
    },
    new RegExp(
      `has format ${FORMAT_BASE - 1}, made by a checkout before the first version; nothing was changed`,
    ),
  ],
];

describe.each(FOREIGN)('a file that is %s', (_what, make, message) => {
  const ways: [string, (path: string) => unknown][] = [
    ['to write', (path) => openWarehouse(path, clock)],
    ['to read', (path) => openReadOnly(path)],
  ];
  it.each(ways)('is rejected %s with its path, and its bytes do not change', (_how, open) => {
    const path = livePath();
    make(path);
    const before = hashFile(path);
    const error = catchRefusal(() => open(path));
    expect(error.message).toContain(path);
    expect(error.message).toMatch(message);
    expect(hashFile(path)).toBe(before);
  });
});

describe('a file of an older format', () => {
  it('is rejected by readers with the command that migrates it, and its bytes do not change', () => {
    const path = madeFile();
    execute(path, `drop table drift; drop table page_hash; pragma user_version = ${SCHEMA_VERSION - 1}`);
    const before = hashFile(path);
    const error = catchRefusal(() => openReadOnly(path));
    expect(error.message).toBe(
      `${path} has format ${SCHEMA_VERSION - 1}, made by an older vodhouse; this one reads format ${SCHEMA_VERSION}`,
    );
    expect(error.hint).toContain('vodhouse sync');
    expect(hashFile(path)).toBe(before);
  });
});

describe('a path without a file', () => {
  it('is rejected with its path: a folder', () => {
    const path = join(temporaryFolder(), 'live.db');
    mkdirSync(path);
    expect(catchRefusal(() => openWarehouse(path, clock)).message).toContain(`${path} is a folder`);
    expect(catchRefusal(() => openReadOnly(path)).message).toContain(path);
    expect(readdirSync(path)).toEqual([]);
  });

  it('is rejected with its path: a dangling link, a path below a file', () => {
    const [link, file] = [livePath(), livePath()];
    symlinkSync(join(temporaryFolder(), 'nowhere.db'), link);
    writeFileSync(file, 'a file');
    for (const path of [link, join(file, 'live.db')])
      expect(catchRefusal(() => openWarehouse(path, clock)).message).toContain(path);
  });

  it('is rejected by readers where it does not exist, and nothing is created', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'live.db');
    const error = catchRefusal(() => openReadOnly(path));
    expect(error.message).toBe(`there is no warehouse at ${path}`);
    expect(error.hint).toBe('vodhouse sync makes it');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a damaged warehouse', () => {
  it('is rejected with its path where its triggers are missing when it is migrated', () => {
    const path = madeFile();
    execute(path, `drop trigger storage_day_booked_update; pragma user_version = ${SCHEMA_VERSION - 1}`);
    const { message } = catchRefusal(() => openWarehouse(path, clock));
    expect(message).toContain(path);
    expect(message).toContain('storage_day_booked_update');
  });

  it('is rejected with its path where rows have no parent when it is migrated', () => {
    const path = madeFile();
    execute(
      path,
      `pragma foreign_keys = off; pragma user_version = ${SCHEMA_VERSION - 1};
       insert into walk (run_id, account, package_id, mode, status, started_at, origin_started_at)
       values (7, 'main', 1, 'full', 'succeeded', '2026-03-01 12:00:00', '2026-03-01 12:00:00')`,
    );
    expect(catchRefusal(() => openWarehouse(path, clock)).message).toMatch(/rows without their parent/);
    expect(catchRefusal(() => openWarehouse(path, clock)).message).toContain(path);
  });
});
