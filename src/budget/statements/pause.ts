/** Restrictions of an account. */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { pause } from '../../database/schema/runs.ts';

export type PauseRow = typeof pause.$inferSelect;

const FIND = query<PauseRow, { account: string }>('select * from pause where account = :account');
const UNTIL = query<PauseRow, { at: string }>('select * from pause where full_rate_at > :at');
const PRUNE = query<never, { at: string }>('delete from pause where full_rate_at < :at');

/** The pause of the account, in force or over; or undefined. */
export const findPause = (tx: Tx, account: string): PauseRow | undefined => FIND.get(tx, { account });

/** Stores the pause in place of any earlier one of its account. */
export function upsertPause(tx: Tx, row: PauseRow): void {
  tx.insert(pause).values(row).onConflictDoUpdate({ target: pause.account, set: row }).run();
}

/** The pauses after which the full rate is not back at this time. */
export const pausesUntil = (tx: Tx, at: string): PauseRow[] => UNTIL.all(tx, { at });

/** Deletes the pauses after which the full rate was back before this time. */
export const prunePauses = (tx: Tx, at: string): number => PRUNE.run(tx, { at });
