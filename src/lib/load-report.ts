/** What became of one account in one load of a target: how the process that loads tells it, and how the live file keeps it. */

export const LOAD_OUTCOMES = ['loaded', 'unchanged', 'deleted', 'held', 'refused', 'failed'] as const;
/**
 * What became of one account in one load. `unchanged`: the target had everything. `deleted`: a person removed it from the target. `held`: another worker
 * has the account. `refused`: a person must decide (another warehouse, a copy of the data folder). `failed`: rolled back, and tried again.
 */
export type LoadOutcome = (typeof LOAD_OUTCOMES)[number];

/** Did the target get what it was to get? */
export const isLoadDone = ({ outcome }: { outcome: LoadOutcome | null }): boolean =>
  outcome === 'loaded' || outcome === 'unchanged' || outcome === 'deleted';

export const FINDING_KINDS = [
  ...(['booked_differs', 'history_set_aside', 'nul_replaced', 'columns_missing', 'reloaded'] as const),
  ...(['differs', 'left_behind'] as const),
] as const;
/**
 * Something that a load or a check found. `booked_differs`: a booked day has other figures in the target; they stay.
 * `history_set_aside`: states that only the target had are kept there, apart (in PostgreSQL in `vodhouse_lost_history`). `nul_replaced`: texts with NUL.
 * `columns_missing`: the target could not get the new columns yet. `reloaded`: the account was shipped completely again.
 * `differs`: counts or sums differ after a reload too. `left_behind`: the account is no longer in the warehouse.
 */
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  kind: FindingKind;
  /** One sentence with the values. */
  message: string;
}

/** A finding as it is kept until something settles it, and when it was found first (`YYYY-MM-DD HH:MM:SS` UTC). */
export interface KeptFinding extends Finding {
  since: string;
}

/** Stands for an account in the report about runs and walks, which belong to none. No account can have this name. */
export const RUNS = '(runs)';

/** The result of one load (and check) of one account. Plain values: it comes from a process of its own. */
export interface LoadReport {
  account: string;
  outcome: LoadOutcome;
  /** The last change of a video that the target has now; null if it is unknown. */
  changeSeq: number | null;
  /** Rows that the load wrote, in all tables. */
  rows: number;
  durationMs: number;
  /** Why it is `refused` or `failed`, in one line without any secret, and what to do next; null otherwise. */
  error: string | null;
  hint: string | null;
  /** SQLSTATE, code of the connection, of the file system or of the store, such as `42501`, `ECONNREFUSED`, `ENOSPC`, `AccessDenied`; null if there is none. */
  code: string | null;
  /** Who has the account, and until when (UTC, `YYYY-MM-DD HH:MM:SS`), where it is `held`. */
  heldBy: string | null;
  heldUntil: string | null;
  /** Were counts and sums of both sides compared, and equal? Null: not compared. */
  verified: boolean | null;
  findings: readonly Finding[];
}

/** A report without rows, errors and findings, to which a caller adds what it knows. */
export const emptyReport = (account: string, outcome: LoadOutcome): LoadReport => ({
  ...{ account, outcome, changeSeq: null, rows: 0, durationMs: 0, findings: [], verified: null },
  ...{ error: null, hint: null, code: null, heldBy: null, heldUntil: null },
});
