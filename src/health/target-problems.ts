/** Problems of targets: loads that fail, accounts that are refused, and what differs. Pure. */
import { fromTimestamp, HOUR_MS, toTimestamp } from '../lib/clock.ts';
import type { FindingKind } from '../lib/load-report.ts';
import { pluralize } from '../lib/format.ts';
import { shellQuote } from './commands.ts';
import type { HealthFacts } from './facts.ts';
import { createProblem, listFirst, toOneLine, type Advice, type Problem } from './problem-kinds.ts';
import type { TargetAccount, TargetReport } from './targets.ts';

/** SQLSTATEs that no waiting cures: no rights, no disk, a wrong user or password, no such database or schema. */
const LASTING_CODES = /^(?:53100|42501|28.{3}|3D000|3F000)$/;
/** Loads may fail for this long, or for twice `every`, before a person hears of it. */
const PATIENCE_MS = HOUR_MS;
/** More accounts than this with the same problem in a target are one problem of all accounts. */
const GROUP_ABOVE = 10;
const MAX_LISTED = 100;

/** The problems of all targets. An account that another worker holds is none: where it is not synced, it gets stale. */
export function findTargetProblems({ targets, now, formatCommand }: HealthFacts): Problem[] {
  return targets.flatMap((report) => {
    const publish = formatCommand(`publish --target ${shellQuote(report.target)}`);
    const rebuild = formatCommand(`publish --target ${shellQuote(report.target)} --rebuild`);
    return [
      ...findFailing(report, publish, now),
      ...findRefused(report, rebuild),
      ...findFindings(report, 'differs', {
        text: 'to ship the account completely again',
        command: rebuild,
      }),
      ...findFindings(report, 'booked_differs', {
        text: 'booked days are never overwritten: compare both sides, and correct the wrong one',
        command: null,
      }),
      ...findFindings(
        report,
        'columns_missing',
        { text: 'to try it now', command: publish },
        now - PATIENCE_MS,
      ),
    ];
  });
}

/** One problem for each target, however many accounts fail: usually the server is down. */
function findFailing({ target, everyMs, accounts }: TargetReport, publish: string, now: number): Problem[] {
  const patienceMs = everyMs > 0 ? Math.min(PATIENCE_MS, 2 * everyMs) : PATIENCE_MS;
  const isFailing = (row: TargetAccount) => row.outcome === 'failed' && row.failing_since !== null;
  const failing = accounts
    .filter(isFailing)
    .sort((one, other) => ((one.failing_since ?? '') < (other.failing_since ?? '') ? -1 : 1));
  const isDue = ({ code, failing_since: since }: TargetAccount) =>
    LASTING_CODES.test(code ?? '') || now - fromTimestamp(since ?? '') >= patienceMs;
  const first = failing.find(isDue);
  if (!first) return [];
  const names = failing.map(({ account }) => account);
  const error = toOneLine(first.error ?? '');
  return [
    createProblem({
      kind: 'target_failed',
      since: first.failing_since,
      message: `target ${target} fails since ${first.failing_since ?? ''} UTC for ${formatAccounts(names, accounts.length)}: ${error}`,
      advice: [
        ...(first.hint === null ? [] : [{ text: toOneLine(first.hint), command: null }]),
        { text: 'the worker tries again by itself; to try it now', command: publish },
      ],
      fields: {
        targets: [{ target, what: 'failed', accounts: names.slice(0, MAX_LISTED), error, code: first.code }],
      },
    }),
  ];
}

function findRefused({ target, accounts }: TargetReport, rebuild: string): Problem[] {
  const refused = accounts.filter(({ outcome }) => outcome === 'refused');
  return groupAccounts(refused).map(([first, ...others]) => {
    const names = [first, ...others].map(({ account }) => account);
    const error = toOneLine(first.error ?? '');
    return createProblem({
      kind: 'target_refused',
      scope: { account: others.length > 0 ? null : first.account, packageId: null },
      since: first.failing_since,
      message: `target ${target} refuses ${formatAccounts(names, accounts.length)}: ${error}`,
      advice: [
        first.hint === null
          ? { text: 'if the account of this warehouse is the right one', command: rebuild }
          : { text: toOneLine(first.hint), command: null },
      ],
      fields: {
        targets: [{ target, what: 'refused', accounts: names.slice(0, MAX_LISTED), error, code: first.code }],
      },
    });
  });
}

const KINDS = {
  differs: 'target_differs',
  booked_differs: 'target_differs',
  columns_missing: 'target_columns',
} as const satisfies Partial<Record<FindingKind, string>>;

/** Findings of one kind that were found first at `until` (ms) or before. */
function findFindings(
  { target, accounts }: TargetReport,
  kind: keyof typeof KINDS,
  advice: Advice,
  until = Infinity,
): Problem[] {
  const latest = until === Infinity ? '9999' : toTimestamp(until);
  const found = accounts.flatMap(({ account, findings }) => {
    const own = findings.filter((finding) => finding.kind === kind && finding.since <= latest);
    return own[0] ? { account, first: own[0], more: own.length - 1 } : [];
  });
  return groupAccounts(found).map(([{ account, first, more }, ...others]) => {
    const names = [account, ...others.map((row) => row.account)];
    const left = more + others.length;
    const message = toOneLine(first.message);
    return createProblem({
      kind: KINDS[kind],
      scope: { account: others.length > 0 ? null : account, packageId: null },
      since: first.since,
      message: `target ${target}, ${formatAccounts(names, accounts.length)}: ${message}${left > 0 ? ` (and ${left} more)` : ''}`,
      advice: [advice],
      fields: {
        targets: [{ target, what: kind, accounts: names.slice(0, MAX_LISTED), error: message, code: null }],
      },
    });
  });
}

/** Each account on its own; more than ten together. */
function groupAccounts<Row>(rows: readonly Row[]): [Row, ...Row[]][] {
  const [first, ...others] = rows;
  if (first !== undefined && others.length >= GROUP_ABOVE) return [[first, ...others]];
  return rows.map((row) => [row]);
}

/** `account main`, `3 of 12 accounts (main, second, third)`. */
function formatAccounts(names: readonly string[], all: number): string {
  const [first = ''] = names;
  if (names.length === 1) return `account ${first}`;
  if (names.length === all) return `all ${pluralize(all, 'account')}`;
  return `${names.length} of ${pluralize(all, 'account')} (${listFirst(names)})`;
}
