/** Opening the live file: checks, settings, migration. */
import { accessSync, constants, existsSync, linkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { LockedError, NEXT_LINE, WarehouseError, errorCode, type Hint } from '../lib/errors.ts';
import { draftPath, removeDraft, removeStaleDrafts } from './draft-files.ts';
import {
  fsyncPath,
  createPrivateFile,
  FOR_OWNER,
  makeFolder,
  resolveLink,
  restoreMarkerPath,
} from './files.ts';
import { assertNotEmpty, toWarehouseError } from './integrity.ts';
import { findOtherHolder, readLiveHolder } from './lock.ts';
import { APPLICATION_ID, FORMAT_BASE, SCHEMA_VERSION, migrateFile } from './migrate.ts';
import { Database, type DatabaseOptions } from './sqlite.ts';

export type Db = BetterSQLite3Database & { $client: Database };
/** What a statement needs: the database, or its transaction. */
export type Tx = Pick<
  Db,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'get' | 'all' | 'run' | '$client'
>;

/** How long a statement waits for another process that writes. */
const BUSY_TIMEOUT_MS = 5_000;
/** A -wal file that grew during a long read is truncated to this when it is reused. */
const WAL_LIMIT_BYTES = 64 * 2 ** 20;

/**
 * Opens the live file for writing; creates it if it is missing, and migrates an older one. Throws
 * WarehouseError for a file that is empty, damaged, not writable, from a newer version or from before the
 * first one, or not a warehouse, and LockedError for an older one that another process uses.
 */
export function openDatabase(path: string, now: number): Db {
  assertNotRestoring(path);
  removeStaleDrafts(path); // a process that died while it made the file may have left a second name of it
  if (!existsSync(path)) createFile(path, now);
  assertNotEmpty(path);
  assertWritable(path);
  const db = connect(path, {});
  try {
    assertOurs(db, path);
    applySettings(db.$client, 'FULL');
    if (getSchemaVersion(db) < SCHEMA_VERSION) migrate(db, path, now);
  } catch (error) {
    db.$client.close();
    throw error instanceof LockedError ? error : toWarehouseError(error, path);
  }
  return db;
}

/**
 * Throws LockedError if another process uses the file: an older version that has it open would continue to
 * write into tables that it does not know.
 */
function migrate(db: Db, path: string, now: number): void {
  const user = findOtherHolder(path, 'worker') ?? findOtherHolder(path, 'run');
  if (user !== null) {
    const formats = `format ${getSchemaVersion(db)}, and this vodhouse needs format ${SCHEMA_VERSION}`;
    const hint = 'stop that one first, then try again; nothing was changed';
    throw new LockedError(`${path} has ${formats}, but an older one uses it: ${user}`, { hint });
  }
  migrateFile(db.$client, path, now);
}

/** Opens the live file to read. Throws WarehouseError if there is none, or if it is of an older version. */
export function openReadOnly(path: string): Db {
  const db = openForCopy(path);
  const older = getSchemaVersion(db);
  if (older === SCHEMA_VERSION) return db;
  db.$client.close();
  const what = `format ${older}, made by an older vodhouse; this one reads format ${SCHEMA_VERSION}`;
  const hint = ['any run of ', { command: 'sync' }, ' (or ', { command: 'start' }, ') brings it up to date'];
  throw new WarehouseError(`${path} has ${what}`, { hint });
}

/** Opens the live file for one reading, and closes it. Throws as `openReadOnly`. */
export function readLiveFile<T>(path: string, read: (db: Db) => T): T {
  const db = openReadOnly(path);
  try {
    return read(db);
  } finally {
    db.$client.close();
  }
}

function missingFileHint(path: string): Hint {
  const holder = existsSync(dirname(path)) ? readLiveHolder(path, 'worker') : null;
  if (holder === null) return [{ command: 'sync' }, ' makes it'];
  return [
    `a worker had it open, pid ${holder.pid}: stop it, then put the file back, or `,
    { command: 'restore BACKUP' },
    '; without both, ',
    { command: 'sync' },
    ' makes an empty one',
  ];
}

/** Like `openReadOnly`, also for a file of an older version: it can be copied. */
export function openForCopy(path: string): Db {
  assertNotRestoring(path);
  if (!existsSync(path))
    throw new WarehouseError(`there is no warehouse at ${path}`, { hint: missingFileHint(path) });
  assertNotEmpty(path);
  const db = connect(path, { readonly: true });
  try {
    db.$client.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    assertOurs(db, path);
  } catch (error) {
    db.$client.close();
    throw toWarehouseError(error, path);
  }
  return db;
}

/**
 * Opens a connection for the ledger, which commits without an fsync: an fsync for each request would take
 * longer than the request. A process that is killed loses nothing by that; only a machine that loses its
 * power does.
 */
export function openLedgerConnection(path: string): Db {
  const db = connect(path, {});
  applySettings(db.$client, 'NORMAL');
  return db;
}

function connect(path: string, options: DatabaseOptions): Db {
  try {
    return drizzle(new Database(path, { fileMustExist: true, ...options }));
  } catch (error) {
    throw toWarehouseError(error, path);
  }
}

function applySettings(client: Database, synchronous: 'FULL' | 'NORMAL'): void {
  client.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  client.pragma('journal_mode = WAL');
  client.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`);
  client.pragma(`synchronous = ${synchronous}`);
  client.pragma('foreign_keys = ON');
}

function getSchemaVersion(db: Db): number {
  return db.$client.pragma('user_version', { simple: true }) as number;
}

function assertOurs(db: Db, path: string): void {
  const id = db.$client.pragma('application_id', { simple: true });
  if (id !== APPLICATION_ID || !hasStateRow(db)) {
    throw new WarehouseError(`${path} is a SQLite file, but not a vodhouse warehouse; nothing was changed`, {
      hint: 'name another file under `warehouse` in the config',
    });
  }
  const format = getSchemaVersion(db);
  if (format < FORMAT_BASE) {
    const what = `format ${format}, made by a checkout before the first version`;
    const where = 'move it away, with its -wal and -shm, its backups and the published file: ';
    throw new WarehouseError(`${path} has ${what}; nothing was changed`, {
      hint: [where, { command: 'sync' }, ' then makes a new one'],
    });
  }
  if (format > SCHEMA_VERSION) {
    const what = `format ${format}, made by a newer vodhouse; this one knows formats up to ${SCHEMA_VERSION}`;
    const hint = 'update vodhouse, or go back to a backup of before the update; nothing was changed';
    throw new WarehouseError(`${path} has ${what}`, { hint });
  }
}

function hasStateRow({ $client }: Db): boolean {
  const table = $client.prepare("select 1 from sqlite_schema where name = 'warehouse_state'");
  return table.get() !== undefined && $client.prepare('select 1 from warehouse_state').get() !== undefined;
}

/**
 * Throws WarehouseError if this user may not write the file. SQLite would open such a file to read, and leave
 * files next to it that its owner cannot write.
 */
function assertWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw toWarehouseError(error, path);
  }
}

/** Creates an empty warehouse at the path. Throws WarehouseError. */
function createFile(path: string, now: number): void {
  assertNoOrphanLog(path);
  const draft = draftPath(path);
  try {
    makeFolder(dirname(path), FOR_OWNER, path);
    removeDraft(draft);
    try {
      writeDraft(draft, path, now);
      assertNotRestoring(path); // another process may have started a restore just now
      linkIfAbsent(draft, path);
    } finally {
      removeDraft(draft);
    }
  } catch (error) {
    throw toWarehouseError(error, path);
  }
}

/** Throws WarehouseError if a restore of the file was interrupted. */
function assertNotRestoring(path: string): void {
  if (!existsSync(restoreMarkerPath(path))) return;
  throw new WarehouseError(`a restore of ${path} was broken off: ${restoreMarkerPath(path)} is there`, {
    hint: [
      { command: 'restore FILE' },
      ', with the same backup or another one, finishes it; until then nothing is changed',
    ],
  });
}

/** Nothing waits for the disk before the end, because a draft that is not complete is deleted anyway. */
function writeDraft(draft: string, path: string, now: number): void {
  createPrivateFile(draft);
  const client = new Database(draft);
  try {
    client.pragma('journal_mode = MEMORY');
    client.pragma('synchronous = OFF');
    client.pragma(`application_id = ${APPLICATION_ID}`);
    migrateFile(client, path, now);
    // switched in the draft: where two processes switch a file that both have open, one fails at once
    client.pragma('journal_mode = WAL');
  } finally {
    client.close();
  }
  fsyncPath(draft);
}

/** Throws WarehouseError if a log is left of a missing file: SQLite would apply it to the new one. */
function assertNoOrphanLog(path: string): void {
  const orphan = ['-wal', '-journal'].map((ending) => path + ending).find((file) => existsSync(file));
  if (!orphan || existsSync(path)) return; // another process may have made the file just now
  const reason = 'it may hold the last changes of the missing file';
  throw new WarehouseError(`${path} is not there, but ${orphan} is: ${reason}`, {
    hint: `put the file back next to it; or, if it is not needed, move ${orphan} away too`,
  });
}

function linkIfAbsent(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error; // EEXIST: another process created the file just now
  }
}

/**
 * A text that differs for two files at the same path, and that a rename keeps: device, inode and birth time.
 * Null if there is no file.
 */
function getIdentity(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  // the birth time is needed because the inode of a deleted file is used again
  return stat ? `${stat.dev} ${stat.ino} ${stat.birthtimeNs}` : null;
}

/**
 * For a live file that is open now. The returned function throws WarehouseError if another file, or none, is
 * at its path, or at that of its -wal: what is written into the open one would be lost.
 */
export function watchIdentity(path: string): () => void {
  const files = [path, `${resolveLink(path)}-wal`].map((file) => ({ file, opened: getIdentity(file) }));
  return () => {
    const lost = files.find(({ file, opened }) => getIdentity(file) !== opened);
    if (!lost) return;
    throw new WarehouseError(`${lost.file} was replaced, moved or deleted while it was in use`, {
      hint: [
        'after ',
        { command: 'restore' },
        `: run it again${NEXT_LINE}else move ${path} back, with its -wal, or take another file by `,
        { command: 'restore FILE' },
      ],
    });
  };
}
