/** Problems of targets: loads that fail, accounts that are refused, and what differs. Pure. */
import { fromTimestamp, HOUR_MS, toTimestamp } from '../lib/clock.ts';
import { RUNS, type FindingKind } from '../lib/load-report.ts';
import { formatCount, pluralize } from '../lib/format.ts';
import { shellQuote, type FormatCommand } from './commands.ts';
import type { HealthFacts } from './facts.ts';
import { createProblem, listFirst, toOneLine, type Advice, type Problem } from './problem-kinds.ts';
import type { TargetAccount, TargetReport } from './targets.ts';

/** SQLSTATEs, and codes of folders and stores, that no waiting cures: no rights, no disk, a wrong login, no such place. */
const LASTING_CODES = [
  /^(?:53100|42501|28.{3}|3D000|3F000)$/,
  /^(?:ENOSPC|EDQUOT|EACCES|EPERM|EROFS|ENOTDIR)$/,
  /^(?:AccessDenied|AllAccessDisabled|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken\w*|InvalidToken\w*)$/,
  /^(?:NoSuchBucket|InvalidBucketName|NotS3|RequestTimeTooSkewed|AuthorizationHeaderMalformed|PermanentRedirect|BadDocument|NewerDocument)$/,
];
/** Loads may fail for this long, or for twice `every`, before a person hears of it. */
const PATIENCE_MS = HOUR_MS;
/** More accounts than this with the same problem in a target are one problem of all accounts. */
const GROUP_ABOVE = 10;
const MAX_LISTED = 100;

/** The problems of all targets. An account that another worker holds is none: where it is not synced, it gets stale. */
export function findTargetProblems({ targets, now, formatCommand }: HealthFacts): Problem[] {
  return targets.flatMap((report) => [
    ...findFailing(report, now, formatCommand),
    ...findRefused(report, formatCommand),
    ...findFindings(report, 'differs', (account) => ({
      text: 'to load the account completely again (booked days stay as they are)',
      command: formatCommand(`${publishTo(report)} --rebuild ${shellQuote(account)}`),
    })),
    ...findFindings(report, 'booked_differs', () => ({
      text: 'booked days are never overwritten: compare both sides, and correct the wrong one',
      command: null,
    })),
    ...findFindings(
      report,
      'columns_missing',
      () => ({ text: 'end that query; to try it now', command: formatCommand(publishTo(report)) }),
      now - PATIENCE_MS,
    ),
  ]);
}

const publishTo = ({ target }: TargetReport) => `publish --target ${shellQuote(target)}`;

/** One problem for each target, however many accounts fail: usually the target is down. */
function findFailing(report: TargetReport, now: number, formatCommand: FormatCommand): Problem[] {
  const { target, everyMs, accounts, runs } = report;
  const patienceMs = everyMs > 0 ? Math.min(PATIENCE_MS, 2 * everyMs) : PATIENCE_MS;
  const failing = [...accounts, ...(runs ? [runs] : [])]
    .filter((row) => row.outcome === 'failed' && row.failing_since !== null)
    .sort((one, other) => ((one.failing_since ?? '') < (other.failing_since ?? '') ? -1 : 1));
  const isDue = ({ code, failing_since: since }: TargetAccount) =>
    LASTING_CODES.some((codes) => codes.test(code ?? '')) || now - fromTimestamp(since ?? '') >= patienceMs;
  const first = failing.find(isDue);
  if (!first) return [];
  const names = listNames(failing);
  const since = first.failing_since ?? '';
  const error = toOneLine(first.error ?? '');
  return [
    createProblem({
      kind: 'target_failed',
      since,
      message: `target ${target} fails since ${since} UTC for ${formatAccounts(names, report)}: ${error}`,
      advice: [
        ...(first.hint === null ? [] : [{ text: toOneLine(first.hint), command: null }]),
        {
          text: 'the worker tries again by itself; to try it now',
          command: formatCommand(publishTo(report)),
        },
      ],
      fields: describe(report, 'failed', names, error, first.code),
    }),
  ];
}

function findRefused(report: TargetReport, formatCommand: FormatCommand): Problem[] {
  const refused = report.accounts.filter(({ outcome }) => outcome === 'refused');
  return groupAccounts(refused).map((group) => {
    const [first] = group;
    const names = listNames(group);
    const error = toOneLine(first.error ?? '');
    return createProblem({
      kind: 'target_refused',
      scope: getScope(group),
      since: first.failing_since,
      message: `target ${report.target} refuses ${group.length > 1 ? formatAccounts(names, report) : 'a load'}: ${error}`,
      advice: [
        {
          text: 'if this warehouse is the right one',
          command: formatCommand(`${publishTo(report)} --rebuild ${shellQuote(first.account)}`),
        },
      ],
      fields: describe(report, 'refused', names, error, first.code),
    });
  });
}

const KINDS = {
  differs: 'target_differs',
  booked_differs: 'target_differs',
  columns_missing: 'target_columns',
} as const satisfies Partial<Record<FindingKind, string>>;

/** Findings of one kind that were found first at `until` (ms) or before. Their messages name the account. */
function findFindings(
  report: TargetReport,
  kind: keyof typeof KINDS,
  advise: (account: string) => Advice,
  until = Infinity,
): Problem[] {
  const { target, accounts, runs } = report;
  const latest = until === Infinity ? '9999' : toTimestamp(until);
  const found = [...accounts, ...(runs ? [runs] : [])].flatMap(({ account, findings }) => {
    const own = findings.filter((finding) => finding.kind === kind && finding.since <= latest);
    return own[0] ? { account, first: own[0], count: own.length } : [];
  });
  return groupAccounts(found).map((group) => {
    const [{ account, first }] = group;
    const names = listNames(group);
    const left = group.reduce((sum, { count }) => sum + count, 0) - 1;
    const message = toOneLine(first.message);
    const where = group.length > 1 ? `${target}, ${formatAccounts(names, report)}` : target;
    return createProblem({
      kind: KINDS[kind],
      scope: getScope(group),
      since: first.since,
      message: `target ${where}: ${message}${left > 0 ? ` (and ${formatCount(left)} more)` : ''}`,
      advice: [advise(account)],
      fields: describe(report, kind, names, message, null),
    });
  });
}

type Rows<Row = { account: string }> = readonly [Row, ...Row[]];

/** Each account on its own; more than ten together. */
function groupAccounts<Row>(rows: readonly Row[]): Rows<Row>[] {
  const [first, ...others] = rows;
  if (first !== undefined && others.length >= GROUP_ABOVE) return [[first, ...others]];
  return rows.map((row): Rows<Row> => [row]);
}

function getScope([{ account }, ...others]: Rows): { account: string | null; packageId: null } {
  return { account: others.length > 0 || account === RUNS ? null : account, packageId: null };
}

const listNames = (rows: readonly { account: string }[]) =>
  rows.map(({ account }) => account).filter((account) => account !== RUNS);

/** `account main`, `3 of 12 accounts (main, second, third)`; without names, the runs and walks. */
function formatAccounts(names: readonly string[], { accounts: { length: all } }: TargetReport): string {
  const [first] = names;
  if (first === undefined) return 'runs and walks';
  if (names.length === 1) return `account ${first}`;
  if (names.length === all) return `all ${pluralize(all, 'account')}`;
  return `${formatCount(names.length)} of ${pluralize(all, 'account')} (${listFirst(names)})`;
}

/** The `details` of an alert; several problems of an account or of all are one, with the targets of all. */
function describe(
  { target }: TargetReport,
  what: string,
  names: readonly string[],
  error: string,
  code: string | null,
): Problem['fields'] {
  return { targets: [{ target, what, accounts: names.slice(0, MAX_LISTED), error, code }] };
}
