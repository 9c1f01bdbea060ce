/** The result of a load of one account into a target, as the live file stores it. */
import { escapeControls, formatCount, formatDuration, pluralize } from '../../lib/format.ts';

export const LOAD_OUTCOMES = ['loaded', 'unchanged', 'removed', 'refused', 'failed'] as const;
/**
 * `unchanged`: the target had everything. `removed`: the warehouse no longer has it, and it left the target.
 * `refused`: the account is not ours there, and a person must decide. `failed`: rolled back, and tried again.
 */
export type LoadOutcome = (typeof LOAD_OUTCOMES)[number];

/** Does the target have what it should have? */
export const isLoadDone = ({ outcome }: { outcome: LoadOutcome | null }): boolean =>
  outcome === 'loaded' || outcome === 'unchanged' || outcome === 'removed';

/**
 * Takes the place of an account in the report of the tables that belong to none. No account has this name.
 */
export const RUNS = '(runs)';
/** How texts for people name those tables. */
export const RUNS_TEXT = 'runs and calendar';

/**
 * Takes the place of a target in the records of failures of the published file. No target can have this name.
 */
export const PUBLISHED_FILE = '(file)';

/**
 * The `code` of a refusal: another warehouse has the account, or a file that this one does not descend from.
 */
export const OTHER_WAREHOUSE = 'other_warehouse';
export const OTHER_COPY = 'other_copy';

/** The result of one load of one account. Plain values: it comes from a process of its own. */
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
  /**
   * SQLSTATE, or code of the connection, the file system or the store, such as `ECONNREFUSED`; null: none.
   */
  code: string | null;
  /** Values that differ from the published file, a sentence each; null: not compared. */
  differences: readonly string[] | null;
}

/** A report without rows and errors, to which a caller adds what it knows. */
export const emptyReport = (account: string, outcome: LoadOutcome): LoadReport => ({
  account,
  outcome,
  changeSeq: null,
  rows: 0,
  durationMs: 0,
  error: null,
  hint: null,
  code: null,
  differences: null,
});

/**
 * Groups accounts that failed or were refused for the same reason. Any other account is a group of its own.
 */
export function groupFailures<
  Row extends Pick<LoadReport, 'account' | 'error' | 'code'> & { outcome: LoadOutcome | null },
>(rows: readonly Row[]): [Row, ...Row[]][] {
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const { outcome, account, error, code } = row; // the error of a refusal names its account
    const reason = outcome === 'failed' ? error : outcome === 'refused' ? code : account;
    const group = groups.get(`${outcome} ${reason}`);
    if (group) group.push(row);
    else groups.set(`${outcome} ${reason}`, [row]);
  }
  return [...groups.values()];
}

/** How many accounts of a group are named. */
const MOST_NAMES = 5;

/** The result of a group of accounts: a line, then what differs, and what to do. */
export function loadLines([report, ...others]: readonly [LoadReport, ...LoadReport[]]): string[] {
  const { outcome, rows, durationMs, changeSeq, error, hint, differences } = report;
  const names = [report, ...others]
    .slice(0, MOST_NAMES)
    .map(({ account }) => (account === RUNS ? RUNS_TEXT : account));
  const more = others.length >= MOST_NAMES ? `, ${others.length + 1 - MOST_NAMES} more` : '';
  const mark = changeSeq === null ? '' : ` at change ${formatCount(changeSeq)}`;
  const compared =
    differences === null ? '' : differences.length === 0 ? '; every value is equal' : '; DIFFERS:';
  const written =
    outcome === 'unchanged' ? '' : `: ${pluralize(rows, 'row')} in ${formatDuration(durationMs)}`;
  const result =
    error === null ? `${outcome}${mark}${written}${compared}` : `${outcome.toUpperCase()}: ${error}`;
  const lines = [`${names.join(', ')}${more}  ${result}`, ...(differences ?? [])];
  return [...lines, ...(hint === null ? [] : [`-> ${hint}`])].map(escapeControls);
}
