/** Problems of targets: loads that fail, accounts that are refused, and values that differ. Pure. */
import { fromTimestamp, HOUR_MS } from '../lib/clock.ts';
import { pluralize } from '../lib/format.ts';
import { OTHER_WAREHOUSE, RUNS } from '../lib/load-report.ts';
import { shellQuote, type FormatCommand } from './commands.ts';
import type { HealthFacts } from './facts.ts';
import { createProblem, toOneLine, type Problem } from './problem-kinds.ts';
import { formatNames, groupFailing } from './target-summary.ts';
import type { TargetAccount, TargetReport } from './targets.ts';

/** Loads may fail for this long before a person hears of it: a server may be restarted. */
const PATIENCE_MS = HOUR_MS;
const MAX_LISTED = 100;

/** The problems of all targets: one for each reason, however many accounts have it. */
export function findTargetProblems({ targets, now, formatCommand }: HealthFacts): Problem[] {
  return targets.flatMap((report) => {
    const rows = [...report.accounts, ...(report.runs ? [report.runs] : [])];
    const failed = rows.filter(({ outcome, failing_since: since }) => {
      return outcome === 'failed' && since !== null && now - fromTimestamp(since) >= PATIENCE_MS;
    });
    const refused = rows.filter(({ outcome }) => outcome === 'refused');
    const differing = rows.filter(({ differences }) => (differences?.length ?? 0) > 0);
    return [
      ...groupFailing(failed).map((group) => toFailure(report, group, formatCommand)),
      ...groupFailing(refused).map((group) => toRefusal(report, group, formatCommand)),
      ...toDifference(report, differing, formatCommand),
    ];
  });
}

type Rows = readonly [TargetAccount, ...TargetAccount[]];

const publishTo = ({ target }: TargetReport) => `publish --target ${shellQuote(target)}`;

function toFailure(report: TargetReport, rows: Rows, formatCommand: FormatCommand): Problem {
  const [{ error, hint, code, failing_since: since }] = rows;
  const names = rows.map(({ account }) => account);
  return createProblem({
    kind: 'target_failed',
    since,
    message: `target ${report.target} fails since ${since} UTC for ${formatNames(names)}: ${toOneLine(error ?? '')}`,
    advice: [
      ...(hint === null ? [] : [{ text: toOneLine(hint), command: null }]),
      { text: 'the worker tries again by itself; to try it now', command: formatCommand(publishTo(report)) },
    ],
    fields: describe(report, 'failed', names, error, code),
  });
}

function toRefusal(report: TargetReport, rows: Rows, formatCommand: FormatCommand): Problem {
  const [{ account, error, code, failing_since: since }, ...others] = rows;
  const words = `${publishTo(report)} --${code === OTHER_WAREHOUSE ? 'take-over' : 'rebuild'} ${shellQuote(account)}`;
  return createProblem({
    kind: 'target_refused',
    scope: { account: others.length > 0 ? null : account, packageId: null },
    since,
    message: `target ${report.target}: ${toOneLine(error ?? '')}${andMore(others.length)}`,
    advice: [{ text: 'if this warehouse is the right one', command: formatCommand(words) }],
    fields: describe(
      report,
      'refused',
      rows.map((row) => row.account),
      error,
      code,
    ),
  });
}

const andMore = (accounts: number): string =>
  accounts > 0 ? ` (and ${pluralize(accounts, 'other account')})` : '';

function toDifference(
  report: TargetReport,
  rows: readonly TargetAccount[],
  formatCommand: FormatCommand,
): Problem[] {
  const [first, ...others] = rows;
  if (!first) return [];
  const { account, differences, verified_at: since } = first;
  const text = toOneLine(differences?.[0] ?? '');
  const names = rows.map((row) => row.account);
  const problem = createProblem({
    kind: 'target_differs',
    scope: { account: others.length > 0 || account === RUNS ? null : account, packageId: null },
    since,
    message: `target ${report.target}: ${text}${andMore(others.length)}`,
    advice: [
      {
        text: 'to load the account again completely',
        command: formatCommand(`${publishTo(report)} --rebuild ${shellQuote(account)}`),
      },
    ],
    fields: describe(report, 'differs', names, text, null),
  });
  return [problem];
}

/** The `details` of an alert. */
function describe(
  { target }: TargetReport,
  what: string,
  names: readonly string[],
  error: string | null,
  code: string | null,
): Problem['fields'] {
  const accounts = names.filter((name) => name !== RUNS).slice(0, MAX_LISTED);
  return { targets: [{ target, what, accounts, error: toOneLine(error ?? ''), code }] };
}
