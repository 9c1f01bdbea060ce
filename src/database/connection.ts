/** Opening the live file: ours or not, of which version, with which settings. */
import { accessSync, constants, existsSync, linkSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { toTimestamp } from '../lib/clock.ts';
import { WarehouseError } from '../lib/errors.ts';
import { toWarehouseError, assertNotEmpty, withDamageErrors } from './integrity.ts';
import { forgetPair, notePair, assertOwnWal } from './wal-owner.ts';
import { draftPath, removeDraft, sweepDrafts } from './draft-files.ts';
import { restoreMarkerPath } from './paths.ts';

export { toWarehouseError };

export type Db = BetterSQLite3Database & { $client: Database.Database };
/** What a statement needs: the database, or the transaction it is part of. */
export type Tx = Pick<
  Db,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'get' | 'all' | 'run' | '$client'
>;

/** `vodh` in ASCII: says that a SQLite file is a vodhouse warehouse. */
export const APPLICATION_ID = 0x766f6468;

/** A -wal file that had to grow, beside a long reader, is cut back to this when it is written over from the start. */
const WAL_LEFT_BYTES = 64 * 2 ** 20;

const MIGRATIONS = join(dirname(fileURLToPath(import.meta.url)), '../../drizzle');
/** How many migrations this version knows; a file that has had more is from a newer one. */
export const SCHEMA_VERSION = countMigrations();
const TRIGGERS = [
  'storage_day_booked_insert',
  'storage_day_booked_update',
  'storage_day_booked_delete',
  'video_version_kept',
  'storage_correction_insert',
  'storage_correction_update',
  'storage_correction_delete',
];

/**
 * Opens the live file for writing; makes a new one where there is none, and brings an older one up to date.
 * Throws WarehouseError for a file that is not ours, empty, from a newer version, damaged or not writable.
 */
export function openDatabase(path: string, now: number): Db {
  refuseHalfRestored(path);
  if (!existsSync(path)) createFile(path, now);
  assertNotEmpty(path);
  refuseReadOnly(path);
  assertOwnWal(path);
  const db = connect(path, {});
  try {
    refuseForeign(db, path);
    applySettings(db.$client, 'FULL');
    if (format(db) < SCHEMA_VERSION) migrateFile(db, path, now);
    notePair(path);
  } catch (error) {
    db.$client.close();
    throw toWarehouseError(error, path);
  }
  return db;
}

/**
 * Opens the live file to read, without changing anything. Throws WarehouseError where there is none of ours, and for
 * one of an older format: what is asked of it may not be there.
 */
export function openReadOnly(path: string): Db {
  const db = openForCopy(path);
  if (format(db) === SCHEMA_VERSION) return db;
  const older = format(db);
  db.$client.close();
  throw new WarehouseError(
    `${path} has format ${older}, made by an older vodhouse; this one reads format ${SCHEMA_VERSION}`,
    { hint: 'any run of vodhouse sync (or vodhouse start) brings it up to date' },
  );
}

/** Like `openFileToRead`, but also a file of an older format: as a whole it can be read. */
export function openForCopy(path: string): Db {
  refuseHalfRestored(path);
  if (!existsSync(path)) {
    throw new WarehouseError(`there is no warehouse at ${path}`, { hint: 'vodhouse sync makes it' });
  }
  assertNotEmpty(path);
  assertOwnWal(path);
  const db = connect(path, { readonly: true });
  try {
    db.$client.pragma('busy_timeout = 5000');
    refuseForeign(db, path);
  } catch (error) {
    db.$client.close();
    throw toWarehouseError(error, path);
  }
  return db;
}

/** A second connection for the ledger: a killed process loses nothing, and an fsync would cost more than the request. */
export function openLedgerConnection(path: string): Db {
  const db = connect(path, {});
  applySettings(db.$client, 'NORMAL');
  return db;
}

function connect(path: string, options: Database.Options): Db {
  try {
    const client = withDamageErrors(new Database(path, { fileMustExist: true, ...options }));
    return drizzle(options.readonly ? client : forgettingPair(client, path));
  } catch (error) {
    throw toWarehouseError(error, path);
  }
}

/** The connection; where its end is the end of the -wal too, nothing is left to be noted of that. */
function forgettingPair(client: Database.Database, path: string): Database.Database {
  const close = client.close.bind(client);
  client.close = () => {
    close();
    forgetPair(path);
    return client;
  };
  return client;
}

function applySettings(client: Database.Database, synchronous: 'FULL' | 'NORMAL'): void {
  client.pragma('busy_timeout = 5000');
  client.pragma('journal_mode = WAL');
  client.pragma(`journal_size_limit = ${WAL_LEFT_BYTES}`);
  client.pragma(`synchronous = ${synchronous}`);
  client.pragma('foreign_keys = ON');
}

/** Made beside and linked in whole, so that a crash never leaves an empty file at the path itself. */
function createFile(path: string, now: number): void {
  refuseOrphan(path);
  const draft = draftPath(path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    sweepDrafts(path);
    removeDraft(draft);
    try {
      writeDraft(draft, path, now);
      refuseHalfRestored(path); // another process may have begun to restore it just now
      linkInto(draft, path);
    } finally {
      removeDraft(draft);
    }
  } catch (error) {
    throw toWarehouseError(error, path);
  }
}

function writeDraft(draft: string, path: string, now: number): void {
  const db: Db = drizzle(new Database(draft));
  try {
    db.$client.pragma(`application_id = ${APPLICATION_ID}`);
    migrateFile(db, path, now);
  } finally {
    db.$client.close();
  }
}

/** SQLite would take what stands beside a missing file for part of a new one. */
function refuseOrphan(path: string): void {
  const orphan = ['-wal', '-journal'].map((ending) => path + ending).find((file) => existsSync(file));
  if (!orphan || existsSync(path)) return; // another process may have made the file just now
  throw new WarehouseError(
    `${path} is not there, but ${orphan} is: it may hold the last changes of the file that is gone`,
    {
      hint: `put the file back beside it; or, if it is not needed, move ${orphan} away too`,
    },
  );
}

function refuseHalfRestored(path: string): void {
  if (!existsSync(restoreMarkerPath(path))) return;
  throw new WarehouseError(`a restore of ${path} was broken off: ${restoreMarkerPath(path)} is there`, {
    hint: 'vodhouse restore FILE, with the same backup or another one, finishes it; until then nothing is changed',
  });
}

function linkInto(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    const madeByAnother = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (!madeByAnother) throw error;
  }
}

/** Foreign keys are off meanwhile: a table rebuild inside the migrator would delete cascading children. */
function migrateFile(db: Db, path: string, now: number): void {
  db.$client.pragma('foreign_keys = OFF');
  migrate(db, { migrationsFolder: MIGRATIONS });
  db.run(
    sql`insert or ignore into warehouse_state (singleton, created_at, change_seq) values (1, ${toTimestamp(now)}, 0)`,
  );
  checkMigrated(db, path);
  db.$client.pragma(`user_version = ${SCHEMA_VERSION}`);
  db.$client.pragma('foreign_keys = ON');
}

function checkMigrated(db: Db, path: string): void {
  const violations = db.$client.pragma('foreign_key_check') as unknown[];
  if (violations.length > 0)
    throw new WarehouseError(`${path}: the migration left rows without their parent`);
  const names = db.all<{ name: string }>(sql`select name from sqlite_schema where type = 'trigger'`);
  const missing = TRIGGERS.filter((trigger) => !names.some((row) => row.name === trigger));
  if (missing.length > 0)
    throw new WarehouseError(`${path}: the migration lost the triggers ${missing.join(', ')}`);
}

function countMigrations(): number {
  const journal = JSON.parse(readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8')) as {
    entries: unknown[];
  };
  return journal.entries.length;
}

function format(db: Db): number {
  return db.$client.pragma('user_version', { simple: true }) as number;
}

function refuseForeign(db: Db, path: string): void {
  const id = db.$client.pragma('application_id', { simple: true });
  const isOurs = id === APPLICATION_ID && hasStateRow(db);
  if (!isOurs) {
    throw new WarehouseError(`${path} is a SQLite file, but not a vodhouse warehouse; nothing was changed`, {
      hint: 'name another file under `warehouse` in the config',
    });
  }
  if (format(db) > SCHEMA_VERSION) {
    throw new WarehouseError(
      `${path} has format ${format(db)}, made by a newer vodhouse; this one knows formats up to ${SCHEMA_VERSION}`,
      { hint: 'update vodhouse; nothing was changed' },
    );
  }
}

function hasStateRow(db: Db): boolean {
  const table = sql`select 1 from sqlite_schema where name = 'warehouse_state'`;
  return db.get(table) !== undefined && db.get(sql`select 1 from warehouse_state`) !== undefined;
}

/** Asked before SQLite is: it opens such a file to read, and leaves files beside it that its owner cannot write. */
function refuseReadOnly(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw toWarehouseError(error, path);
  }
}
