/** The state of one target in a few sentences, for `status` and the page. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import { formatAgo, formatCount, formatDuration, pluralize } from '../lib/format.ts';
import { RUNS, type FindingKind } from '../lib/load-report.ts';
import { listFirst, toOneLine } from './problem-kinds.ts';
import { isUpToDate, type TargetAccount, type TargetReport } from './targets.ts';

export interface TargetSummary {
  target: string;
  /** Least time between two loads, in milliseconds. */
  everyMs: number;
  accounts: number;
  /** Accounts of which the target has every change. */
  upToDate: number;
  /** The newest load that succeeded (`YYYY-MM-DD HH:MM:SS` UTC); null: none did. */
  loadedAt: string | null;
  /** Accounts whose counts or sums differed when they were last compared. */
  differing: number;
  /** Since then, counts and sums of every loaded account were compared; null: those of some never were. */
  verifiedAt: string | null;
  /** What is wrong or worth knowing, a sentence each; `hint`: what to do about it, or null. */
  notes: { text: string; hint: string | null }[];
}

/** Findings that are told but are no problems. `columns_missing` becomes one after an hour. */
const NOTED: readonly FindingKind[] = [
  ...(['history_set_aside', 'left_behind', 'columns_missing', 'nul_replaced'] as const),
];

export function summarizeTarget({ target, everyMs, accounts, runs }: TargetReport): TargetSummary {
  const loaded = accounts.filter(({ loaded_at: at }) => at !== null);
  const verified = loaded.map(({ verified_at: at }) => at);
  return {
    target,
    everyMs,
    accounts: accounts.length,
    upToDate: accounts.filter(isUpToDate).length,
    loadedAt:
      loaded
        .map(({ loaded_at: at }) => at)
        .sort()
        .at(-1) ?? null,
    differing: loaded.filter((row) => row.verified === false).length,
    verifiedAt: verified.includes(null) ? null : (verified.sort()[0] ?? null),
    notes: [
      ...noteFailures(runs ? [...accounts, runs] : accounts),
      ...noteHolders(accounts),
      ...noteFindings(runs ? [...accounts, runs] : accounts),
    ],
  };
}

/** `12 accounts, up to date, loaded 2 min ago, verified 7 h ago`; with `every`, `loaded 2 min ago (every 24h at most)`. */
export function summaryText(summary: TargetSummary, now: number): string {
  const { everyMs, accounts, loadedAt, verifiedAt, differing } = summary;
  const since = (at: string) => formatAgo(now - fromTimestamp(at));
  const parts = [pluralize(accounts, 'account')];
  if (loadedAt === null) return [...parts, 'not loaded yet'].join(', ');
  const state = describeState(summary, now);
  const check = verifiedAt === null ? 'not verified yet' : `verified ${since(verifiedAt)}`;
  const difference =
    differing === 0 ? [] : [`${formatCount(differing)} ${differing === 1 ? 'differs' : 'differ'}`];
  return [...parts, state, `loaded ${since(loadedAt)}${formatEvery(everyMs)}`, check, ...difference].join(
    ', ',
  );
}

function describeState(summary: TargetSummary, now: number): string {
  const { accounts, upToDate } = summary;
  if (upToDate === accounts) return 'up to date';
  const until = findNextLoad(summary, now);
  return until === null
    ? `${upToDate === 0 ? 'none' : formatCount(upToDate)} up to date`
    : `next load in ${formatDuration(until)}`;
}

/** Where a target lacks changes only because of its `every`: the time to its next load, in milliseconds. Else null. */
export function findNextLoad(summary: TargetSummary, now: number): number | null {
  const { accounts, upToDate, loadedAt, everyMs, differing, notes } = summary;
  if (upToDate === accounts || loadedAt === null || differing + notes.length > 0) return null;
  const until = fromTimestamp(loadedAt) + everyMs - now;
  return until > 0 ? until : null;
}

/** A target that lacks the newest changes may do so because of its config. */
const formatEvery = (everyMs: number): string =>
  everyMs === 0 ? '' : ` (every ${formatDuration(everyMs)} at most)`;

/** Accounts that fail for the same reason are one note. */
function noteFailures(accounts: readonly TargetAccount[]): TargetSummary['notes'] {
  const failing = accounts.filter(({ outcome }) => outcome === 'failed' || outcome === 'refused');
  const groups = groupUpTo(failing, [
    ({ outcome, error }) => `${outcome ?? ''} ${error ?? ''}`,
    ({ outcome }) => outcome ?? '',
  ]);
  return groups.map((group) => {
    const [{ outcome, error, hint }] = group;
    const since = group.flatMap(({ failing_since: at }) => at ?? []).sort()[0] ?? '';
    const verb = outcome === 'refused' ? 'refused' : 'behind';
    const others = new Set(group.map((row) => row.error)).size - 1;
    return {
      text: `${formatNames(group, true)} ${verb} since ${since} UTC: ${toOneLine(error ?? '')}${andMore(others)}`,
      hint: hint && toOneLine(hint),
    };
  });
}

function noteHolders(accounts: readonly TargetAccount[]): TargetSummary['notes'] {
  const held = accounts.filter(({ outcome }) => outcome === 'held');
  return groupUpTo(held, [
    ({ held_by: by, held_until: until }) => `${by ?? ''} ${until ?? ''}`,
    () => '',
  ]).map((group) => {
    const [{ held_by: by, held_until: until }] = group;
    const others = new Set(group.map((row) => row.held_by)).size - 1;
    const text = `${formatNames(group, true)} held by ${by ?? ''} until ${until ?? ''} UTC${andMore(others)}`;
    return { text, hint: null };
  });
}

function noteFindings(accounts: readonly TargetAccount[]): TargetSummary['notes'] {
  const found = accounts.flatMap(({ account, findings }) =>
    findings.filter(({ kind }) => NOTED.includes(kind)).map((finding) => ({ ...finding, account })),
  );
  const groups = groupUpTo(found, [({ kind, account }) => `${kind} ${account}`, ({ kind }) => kind]);
  return groups.map((group) => {
    const [{ kind, message, since }] = group;
    const isNamed = group.length === 1 && kind !== 'nul_replaced'; // its message says which account
    const names = isNamed ? '' : `${formatNames(group, false)}: `;
    return {
      text: `${names}${toOneLine(message)} (since ${since} UTC)${andMore(group.length - 1)}`,
      hint: null,
    };
  });
}

/** Notes of one sort that are shown on their own. */
const MOST_GROUPS = 3;

/** Groups the rows by the first key; by the next one where there would be too many groups. */
function groupUpTo<Row>(rows: readonly Row[], keys: readonly ((row: Row) => string)[]): [Row, ...Row[]][] {
  const [first = () => '', ...others] = keys;
  const groups = groupBy(rows, first);
  return groups.length > MOST_GROUPS && others.length > 0 ? groupUpTo(rows, others) : groups;
}

const andMore = (count: number) => (count > 0 ? ` (and ${formatCount(count)} more)` : '');

/** `account main is`, `3 accounts (main, second, third) are`, `runs and walks are`; or without the verb. */
function formatNames(group: readonly { account: string }[], withVerb: boolean): string {
  const names = [...new Set(group.map(({ account }) => account))].filter((name) => name !== RUNS);
  const [one = ''] = names;
  if (names.length === 1) return `account ${one}${withVerb ? ' is' : ''}`;
  const several =
    names.length === 0 ? 'runs and walks' : `${formatCount(names.length)} accounts (${listFirst(names)})`;
  return `${several}${withVerb ? ' are' : ''}`;
}

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): [Row, ...Row[]][] {
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return [...groups.values()];
}
