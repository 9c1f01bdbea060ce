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
    return db.transaction((tx) => work(tx), { behavior: 'immediate' });
  } catch (error) {
    throw isSqliteError(error) ? asWarehouseError(error, db.$client.name) : error;
  }
}

function isSqliteError(error: unknown): boolean {
  return (error as { code?: string } | null)?.code?.startsWith('SQLITE_') ?? false;
}
