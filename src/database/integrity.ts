/** Files that cannot be used: how damage is found, what is said of it, and which steps lead back. */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { errorCode, errorMessage, WarehouseError } from '../lib/errors.ts';
import { assertOwnWal } from './wal-owner.ts';

/** Says in words what SQLite or the file system said with a code. */
export function toWarehouseError(error: unknown, path: string): WarehouseError {
  if (error instanceof WarehouseError) return error;
  const code = errorCode(error);
  const cannotWrite = /^(SQLITE_READONLY|SQLITE_CANTOPEN|EACCES|EPERM|EROFS)/.test(code);
  if (cannotWrite) {
    return new WarehouseError(`${path} cannot be opened for writing (${errorMessage(error)})`, {
      hint: `check who owns it and its folder: ls -la ${dirname(path)}`,
      cause: error,
    });
  }
  if (code === 'SQLITE_NOTADB') {
    return new WarehouseError(`${path} is not a SQLite file; nothing was changed`, {
      hint: `name another file under \`warehouse\` in the config; or, where this was the warehouse:${NEXT_LINE}${restoreSteps(path)}`,
      cause: error,
    });
  }
  if (isDamage(error)) return damagedError(path, errorMessage(error), error);
  return new WarehouseError(`${path}: ${errorMessage(error)}`, { cause: error });
}

/** Throws WarehouseError for a path without a file, or with one that holds nothing. */
export function assertNotEmpty(path: string): void {
  if (hasContent(path)) return;
  throw new WarehouseError(`${path} is empty or not a file: it is not a vodhouse warehouse`, {
    hint: restoreSteps(path),
  });
}

/**
 * Throws WarehouseError for a file in which SQLite finds damage. It reads all of the file, for `start`: whoever works
 * for months looks once before it sends anything. A path without a file is let be.
 */
export function assertUndamaged(path: string): void {
  if (!existsSync(path)) return;
  assertNotEmpty(path);
  assertOwnWal(path);
  let client: Database.Database | undefined;
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

/** Throws WarehouseError where SQLite finds damage in a file, or rows without their parent; it reads all of it, twice. */
export function assertIntegrity(client: Database.Database, path: string): void {
  const [found] = runCheck(client, 'integrity_check(1)');
  if (found !== undefined) throw damagedError(path, found);
  const [orphan] = client.pragma('foreign_key_check') as { table: string; parent: string }[];
  if (orphan) throw damagedError(path, `a row of ${orphan.table} has lost its parent in ${orphan.parent}`);
}

/** The connection, which says in words of ours what its statements find damaged, wherever they are asked. */
export function withDamageErrors(client: Database.Database): Database.Database {
  const prepare = client.prepare.bind(client);
  client.prepare = ((source: string) => {
    const statement = withDamageError(() => prepare(source), client.name);
    for (const name of ['get', 'all', 'run'] as const) {
      const ask = statement[name].bind(statement) as (...parameters: unknown[]) => never;
      statement[name] = (...parameters: unknown[]) => withDamageError(() => ask(...parameters), client.name);
    }
    return statement;
  }) as typeof client.prepare;
  return client;
}

function withDamageError<T>(ask: () => T, path: string): T {
  try {
    return ask();
  } catch (error) {
    throw isDamage(error) ? toWarehouseError(error, path) : error;
  }
}

function damagedError(path: string, words: string, cause?: unknown): WarehouseError {
  const [line = ''] = words.replace(/^\*\*\* .* \*\*\*\n/, '').split('\n');
  return new WarehouseError(`${path} is damaged: ${line}`, { hint: restoreSteps(path), cause });
}

/** What SQLite finds in a file; nothing where it is sound. */
function runCheck(client: Database.Database, check: string): string[] {
  const rows = client.pragma(check) as Record<string, string>[];
  return rows.flatMap((row) => Object.values(row)).filter((words) => words !== 'ok');
}

/** Did SQLite say that a file is damaged, or none of its own? */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(errorCode(error));
}

function hasContent(path: string): boolean {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size > 0;
  } catch (error) {
    throw toWarehouseError(error, path);
  }
}

/** The next line of a hint, as far in as its first. */
const NEXT_LINE = '\n     ';

/** The ways back, one a line. */
function restoreSteps(path: string): string {
  return [
    'vodhouse restore BACKUP puts a backup in its place, and keeps this file beside it',
    `without one: sqlite3 ${path} .recover | sqlite3 new.db (of sqlite.org; not Debian's), vodhouse restore new.db`,
    'or move it, and -wal and -shm beside it, away: vodhouse sync begins anew, without the history',
  ].join(NEXT_LINE);
}
