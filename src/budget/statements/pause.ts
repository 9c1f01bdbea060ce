/** Restrictions of an account. */
import { query } from '../../database/query.ts';
import { pause } from '../../database/schema/runs.ts';
import { upsert } from '../../database/upsert.ts';

export type PauseRow = typeof pause.$inferSelect;

/** The pause of the account, in force or over. */
export const findPause = query<PauseRow, { account: string }>(
  'select * from pause where account = :account',
).get;

/** Stores the pause in place of any earlier one of its account. */
export const upsertPause = upsert(pause);

/** Deletes the pause of the account, if it is in force. */
export const deletePause = query<never, { account: string; at: string }>(
  'delete from pause where account = :account and until > :at',
).run;

/** Deletes the pauses after which the full rate was back before this time. */
export const prunePauses = query<never, { at: string }>('delete from pause where full_rate_at < :at').run;
