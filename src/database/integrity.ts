/** Files that cannot be used: detection of damage, its error messages, and the steps of a recovery. */
import { existsSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { Database } from './sqlite.ts';
import { errorCode, errorMessage, NEXT_LINE, WarehouseError, type Hint } from '../lib/errors.ts';

/** Converts an error of SQLite or the file system. */
export function toWarehouseError(error: unknown, path: string): WarehouseError {
  if (error instanceof WarehouseError) return error;
  const [code, reason] = [errorCode(error), errorMessage(error)];
  const fail = (message: string, hint?: Hint) => new WarehouseError(message, { hint, cause: error });
  if (/^(SQLITE_READONLY|SQLITE_CANTOPEN|EACCES|EPERM|EROFS)/.test(code)) {
    const hint = `check who owns it and its folder: ls -la ${nearestFolder(path)}`;
    return fail(`${path} cannot be opened for writing (${reason})`, hint);
  }
  if (code === 'EBUSY') {
    const hint = 'mount its folder, not the file: a mounted file cannot be replaced';
    return fail(`${path} cannot be replaced: it is a mount point; it stays as it is`, hint);
  }
  if (code === 'SQLITE_NOTADB') {
    const hint = [`name another file ${OR_RESTORE}`, ...restoreSteps(path)];
    return fail(`${path} is not a SQLite file; nothing was changed`, hint);
  }
  if (isLocked(error)) {
    const hint =
      'close what writes to it, such as an open transaction in sqlite3 or a database browser, ' +
      `then try again; fuser -v ${path} lists the programs`;
    return fail(`${path}: the database is locked by another program`, hint);
  }
  if (isDamage(error)) return damagedError(path, reason, error);
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) {
    const hint = `free space on its disk (df -h ${nearestFolder(path)}); what was stored stays`;
    return fail(`${path}: ${reason}`, hint);
  }
  return fail(`${path}: ${reason}`);
}

/** The folder of the file; where that does not exist, the nearest above it that does. */
function nearestFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(folder);
}

/** Throws WarehouseError if the path has no file, or an empty one. */
export function assertNotEmpty(path: string): void {
  let stat: Stats;
  try {
    stat = statSync(path);
  } catch (error) {
    throw toWarehouseError(error, path);
  }
  if (stat.isFile() && stat.size > 0) return;
  const what = stat.isDirectory() ? 'a folder' : 'empty or not a file';
  throw new WarehouseError(`${path} is ${what}: it is not a vodhouse warehouse`, {
    hint: [`name a file ${OR_RESTORE}`, ...restoreSteps(path)],
  });
}

/**
 * Throws WarehouseError if SQLite finds damage in a file. Reads all of it; `start` checks once, before it
 * begins to work.
 */
export function assertUndamaged(path: string): void {
  if (!existsSync(path)) return;
  assertNotEmpty(path);
  let client: Database | undefined;
  try {
    client = new Database(path, { readonly: true });
    const [found] = runCheck(client, 'quick_check(1)');
    if (found !== undefined) throw damagedError(path, found);
  } catch (error) {
    throw toWarehouseError(error, path);
  } finally {
    client?.close();
  }
}

/**
 * Throws WarehouseError if SQLite finds damage in a file, or rows without their parent. Reads all of it,
 * twice.
 */
export function assertIntegrity(client: Database, path: string): void {
  const [found] = runCheck(client, 'integrity_check(1)');
  if (found !== undefined) throw damagedError(path, found);
  const [orphan] = client.pragma('foreign_key_check') as { table: string; parent: string }[];
  if (orphan) throw damagedError(path, `a row of ${orphan.table} has lost its parent in ${orphan.parent}`);
}

function damagedError(path: string, message: string, cause?: unknown): WarehouseError {
  const [line = ''] = message.replace(/^\*\*\* .* \*\*\*\n/, '').split('\n');
  return new WarehouseError(`${path} is damaged: ${line}`, { hint: restoreSteps(path), cause });
}

/** What SQLite finds in a file; empty if it is sound. */
function runCheck(client: Database, check: string): string[] {
  const rows = client.pragma(check) as Record<string, string>[];
  return rows.flatMap((row) => Object.values(row)).filter((message) => message !== 'ok');
}

/** True if SQLite reports that a file is damaged, or not a SQLite file. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(errorCode(error));
}

/**
 * True if an error of SQLite, or a WarehouseError made of one, reports that another program had the file for
 * longer than the timeout.
 */
export function isLocked(error: unknown): boolean {
  const cause = error instanceof WarehouseError ? error.cause : error;
  return errorCode(cause).startsWith('SQLITE_BUSY');
}

const OR_RESTORE = `under \`warehouse\` in the config; or, where this was the warehouse:${NEXT_LINE}`;

/** The ways to recover, a line for each. */
function restoreSteps(path: string): Exclude<Hint, string> {
  return [
    { command: 'restore BACKUP' },
    ` puts a backup in its place, and keeps this file under another name${NEXT_LINE}`,
    `without one: sqlite3 ${path} .recover | sqlite3 new.db (of sqlite.org; not Debian's), `,
    { command: 'restore new.db' },
    `${NEXT_LINE}or move it away, with its -wal and -shm and the published file: `,
    { command: 'sync' },
    ' then makes a new one, without the history',
  ];
}
