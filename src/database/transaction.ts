/** Transactions on the live file. */
import { errorCode } from '../lib/errors.ts';
import type { Db, Tx } from './connection.ts';
import { toWarehouseError } from './integrity.ts';

/** Lets the compiler refuse an async callback, which would only fail at run time. */
type NoPromise<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Runs `work` in one IMMEDIATE transaction. A deferred one that reads first, and writes after a commit of
 * another process, would fail at once instead of waiting. Throws WarehouseError for errors of SQLite.
 */
export function transact<T>(db: Db, work: (tx: Tx) => NoPromise<T>): T {
  return withWarehouseErrors(db, () => db.$client.transaction(() => work(db)).immediate());
}

/** Runs `work` on one snapshot of the file. Throws like `transact`. */
export function readSnapshot<T>(db: Db, work: (tx: Db) => NoPromise<T>): T {
  return withWarehouseErrors(db, () => db.$client.transaction(() => work(db)).deferred());
}

function withWarehouseErrors<T>(db: Db, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw errorCode(error).startsWith('SQLITE_') ? toWarehouseError(error, db.$client.name) : error;
  }
}
