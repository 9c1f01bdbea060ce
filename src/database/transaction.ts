/** Transactions on the live file. */
import type { Database, Transaction as SqliteTransaction } from './sqlite.ts';
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
  // better-sqlite3 returns what `work` returns, but its type of a cached transaction is unknown
  return withWarehouseErrors(db, () => getTransaction(db).immediate(() => work(db)) as NoPromise<T>);
}

/** Runs `work` on one snapshot of the file. Throws like `transact`. */
export function readSnapshot<T>(db: Db, work: (tx: Db) => NoPromise<T>): T {
  return withWarehouseErrors(db, () => getTransaction(db).deferred(() => work(db)) as NoPromise<T>);
}

function withWarehouseErrors<T>(db: Db, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw errorCode(error).startsWith('SQLITE_') ? toWarehouseError(error, db.$client.name) : error;
  }
}

type Transaction = SqliteTransaction<(work: () => unknown) => unknown>;

const transactions = new WeakMap<Database, Transaction>();

/** The transaction function of a connection, made once: making one takes 0.2 ms. */
function getTransaction({ $client }: Db): Transaction {
  const transaction = transactions.get($client) ?? $client.transaction((work: () => unknown) => work());
  transactions.set($client, transaction);
  return transaction;
}
