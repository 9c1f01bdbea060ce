/** The state of one target in a few sentences, for `status` and the page. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import { formatAgo, formatCount, formatDuration, pluralize } from '../lib/format.ts';
import { RUNS } from '../lib/load-report.ts';
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
  /** Accounts that differed when they were last compared. */
  differing: number;
  /** Since then, every loaded account was compared; null: some never were. */
  verifiedAt: string | null;
  /** What is wrong or worth knowing, a sentence each; `hint`: what to do about it, or null. */
  notes: { text: string; hint: string | null }[];
}

export function summarizeTarget({ target, everyMs, accounts, runs }: TargetReport): TargetSummary {
  const loaded = accounts.filter(({ loaded_at: at }) => at !== null);
  const verified = loaded.map(({ verified_at: at }) => at);
  const all = runs ? [...accounts, runs] : accounts;
  return {
    ...{ target, everyMs, accounts: accounts.length, upToDate: accounts.filter(isUpToDate).length },
    loadedAt: newest(loaded.map(({ loaded_at: at }) => at)),
    differing: loaded.filter(({ differences }) => (differences?.length ?? 0) > 0).length,
    verifiedAt: verified.includes(null) ? null : (verified.sort()[0] ?? null),
    notes: [
      ...noteFailures(all),
      ...all.flatMap(({ account, notes }) => notes.map((text) => toNote(account, text))),
    ],
  };
}

const newest = (times: readonly (string | null)[]) => [...times].sort().at(-1) ?? null;
const toNote = (account: string, text: string) => ({
  text: `${formatNames([account])}: ${toOneLine(text)}`,
  hint: null,
});

/** `12 accounts, up to date, loaded 2 min ago, verified 7 h ago`; with `every`, `loaded 2 min ago (every 24h at most)`. */
export function summaryText(summary: TargetSummary, now: number): string {
  const { everyMs, accounts, upToDate, loadedAt, verifiedAt, differing } = summary;
  const since = (at: string) => formatAgo(now - fromTimestamp(at));
  if (loadedAt === null) return `${pluralize(accounts, 'account')}, not loaded yet`;
  const nextMs = findNextLoad(summary, now);
  const isAll = upToDate === accounts;
  const behind =
    nextMs === null ? `${formatCount(upToDate)} up to date` : `next load in ${formatDuration(nextMs)}`;
  return [
    pluralize(accounts, 'account'),
    isAll ? 'up to date' : behind,
    `loaded ${since(loadedAt)}${everyMs === 0 ? '' : ` (every ${formatDuration(everyMs)} at most)`}`,
    ...(verifiedAt === null ? [] : [`verified ${since(verifiedAt)}`]),
    ...(differing === 0 ? [] : [`${formatCount(differing)} ${differing === 1 ? 'differs' : 'differ'}`]),
  ].join(', ');
}

/** Where a target lacks changes only because of its `every`: the time to its next load, in milliseconds. Else null. */
export function findNextLoad(summary: TargetSummary, now: number): number | null {
  const { accounts, upToDate, loadedAt, everyMs, differing, notes } = summary;
  if (upToDate === accounts || loadedAt === null || differing + notes.length > 0) return null;
  const until = fromTimestamp(loadedAt) + everyMs - now;
  return until > 0 ? until : null;
}

/** Accounts that fail for the same reason are one note. */
function noteFailures(accounts: readonly TargetAccount[]): TargetSummary['notes'] {
  const failing = accounts.filter(({ outcome }) => outcome === 'failed' || outcome === 'refused');
  return groupFailing(failing).map((group) => {
    const [{ outcome, error, hint }] = group;
    const since = group.flatMap(({ failing_since: at }) => at ?? []).sort()[0] ?? '';
    const names = formatNames(group.map(({ account }) => account));
    const verb = outcome === 'refused' ? 'refused' : 'fails';
    return {
      text: `${names} ${verb} since ${since} UTC: ${toOneLine(error ?? '')}`,
      hint: hint && toOneLine(hint),
    };
  });
}

type Failing = Pick<TargetAccount, 'outcome' | 'error' | 'code'>;

/** Accounts that fail for the same reason, in groups. The error of a refusal names its account. */
export function groupFailing<Row extends Failing>(rows: readonly Row[]): [Row, ...Row[]][] {
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const key = `${row.outcome} ${row.outcome === 'refused' ? row.code : row.error}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()];
}

/** `account main`, `3 accounts (main, second, third)`, `the tables of runs`. */
export function formatNames(accounts: readonly string[]): string {
  const names = accounts.filter((name) => name !== RUNS);
  const [first] = names;
  if (first === undefined) return 'the tables of runs';
  return names.length === 1
    ? `account ${first}`
    : `${formatCount(names.length)} accounts (${listFirst(names)})`;
}
