/** Restrictions of an account. */
import { eq, lt, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../database/connection.ts';
import { pause } from '../../database/schema/runs.ts';

export type PauseRow = typeof pause.$inferSelect;

/** Prepares: the pause of the account, in force or over; or undefined. */
export function prepareFindPause(db: Db): (account: string) => PauseRow | undefined {
  const query = db
    .select()
    .from(pause)
    .where(eq(pause.account, sql.placeholder('account')))
    .prepare();
  return (account) => query.get({ account });
}

/** Keeps the pause in the place of any earlier one of its account. */
export function upsertPause(tx: Tx, row: PauseRow): void {
  tx.insert(pause).values(row).onConflictDoUpdate({ target: pause.account, set: row }).run();
}

/** The pauses that are in force, or whose rate is still coming back. */
export function pausesUntil(tx: Tx, at: string): PauseRow[] {
  return tx
    .select()
    .from(pause)
    .where(sql`${pause.full_rate_at} > ${at}`)
    .all();
}

/** Forgets the pauses after which the full rate has been back since before `at`. */
export function prunePauses(tx: Tx, at: string): void {
  tx.delete(pause).where(lt(pause.full_rate_at, at)).run();
}
