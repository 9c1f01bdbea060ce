import type Database from 'better-sqlite3';
import { toWarehouseError, type Db, type Tx } from './connection.ts';

/** Refuses promises: an async callback type-checks in drizzle and fails at run time. */
type NoPromise<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Runs `work` in one IMMEDIATE transaction: all of it is stored, or nothing. IMMEDIATE, because a transaction
 * that begins with a read and writes after another's commit fails at once, whatever the busy timeout.
 * Throws WarehouseError for what SQLite refuses.
 */
export function transact<T>(db: Db, work: (tx: Tx) => NoPromise<T>): T {
  return withWarehouseErrors(db, () => getTransaction(db).immediate(() => work(db)) as NoPromise<T>);
}

/** Runs `work` on one look at the file: it sees nothing of what others commit meanwhile. Throws as `transact` does. */
export function readSnapshot<T>(db: Db, work: (tx: Db) => NoPromise<T>): T {
  return withWarehouseErrors(db, () => getTransaction(db).deferred(() => work(db)) as NoPromise<T>);
}

function withWarehouseErrors<T>(db: Db, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isSqliteError(error) ? toWarehouseError(error, db.$client.name) : error;
  }
}

type Transaction = Database.Transaction<(work: () => unknown) => unknown>;

const transactions = new WeakMap<Database.Database, Transaction>();

/** Made once a connection: to make one for every transaction, as drizzle does, costs 0.2 ms each. */
function getTransaction({ $client }: Db): Transaction {
  const transaction = transactions.get($client) ?? $client.transaction((work: () => unknown) => work());
  transactions.set($client, transaction);
  return transaction;
}

function isSqliteError(error: unknown): boolean {
  return (error as { code?: string } | null)?.code?.startsWith('SQLITE_') ?? false;
}
