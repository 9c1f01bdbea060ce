import type Database from 'better-sqlite3';
import { asWarehouseError, type Db, type Tx } from './file.ts';

/** Refuses promises: an async callback type-checks in drizzle and fails at run time. */
type NoPromise<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Runs `work` in one IMMEDIATE transaction: all of it is stored, or nothing. IMMEDIATE, because a transaction
 * that begins with a read and writes after another's commit fails at once, whatever the busy timeout.
 * Throws WarehouseError for what SQLite refuses.
 */
export function transact<T>(db: Db, work: (tx: Tx) => NoPromise<T>): T {
  try {
    return runnerOf(db)(() => work(db)) as NoPromise<T>;
  } catch (error) {
    throw isSqliteError(error) ? asWarehouseError(error, db.$client.name) : error;
  }
}

type Runner = (work: () => unknown) => unknown;

const runners = new WeakMap<Database.Database, Runner>();

/** Made once a connection: to make one for every transaction, as drizzle does, costs 0.2 ms each. */
function runnerOf({ $client }: Db): Runner {
  const known = runners.get($client);
  if (known) return known;
  const transaction = $client.transaction((work: () => unknown) => work());
  const runner: Runner = (work) => transaction.immediate(work);
  runners.set($client, runner);
  return runner;
}

function isSqliteError(error: unknown): boolean {
  return (error as { code?: string } | null)?.code?.startsWith('SQLITE_') ?? false;
}
