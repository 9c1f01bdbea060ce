/** What a person should attend to: one item for each cause, with what it affects. Pure. */
import { formatCount, pluralize } from '../lib/format.ts';
import { ACCOUNT_STREAMS, STREAM_KINDS } from '../sync/streams.ts';
import type { FormatCommand } from '../lib/shell-command.ts';
import { findPlace, PACKAGES_PLACE, type Place } from './place.ts';
import { advise, type Advice } from './advice.ts';
import { SEVERITIES, type Kind, type Problem, type Scope, type Severity } from './problem.ts';
import { findEarliest, groupBy, nameAccounts, toOneLine, toSentence } from './text.ts';

export interface Item {
  /** Those of the problem, or of the first of several. */
  kind: Kind['kind'];
  scope: Scope;
  /** The worst of all that it has. */
  severity: Severity;
  /** One sentence for people without a full stop. */
  message: string;
  /** `50 packages, storage`; null where the message says it all. */
  affects: string | null;
  /** When it began, and when it is tried again (`YYYY-MM-DD HH:MM:SS` UTC); null: not known, or not. */
  since: string | null;
  nextTry: string | null;
  /** The one thing to do; null: nothing. */
  advice: Advice | null;
  /** The technical text, a line each. */
  details: readonly string[];
  /** The page that shows more; null: none does. */
  place: Place | null;
}

/** More packages of an account than this with the same problem are shown as one. */
const GROUP_ABOVE = 10;
const EXAMPLES = 3;

/** The items of these problems, the worst first. */
export function listItems(problems: readonly Problem[], formatCommand: FormatCommand): Item[] {
  const shown = new Set(problems.map(keyOf));
  const causeOf = ({ causedBy }: Problem) => (causedBy && shown.has(keyOf(causedBy)) ? keyOf(causedBy) : '');
  const covered = groupBy(problems, causeOf);
  const groups = groupPackages(covered.get('') ?? [], ({ of: { kind }, scope }) => ({ kind, ...scope }));
  const causes = groupBy(groups, ([first]) =>
    first.shared ? JSON.stringify([first.of.kind, first.shared.cause]) : keyOf(first),
  );
  const items = [...causes.values()].map((same) => {
    if (same[0].length > 1) return toGroupItem(same[0], formatCommand);
    const found = same.flat() as [Problem, ...Problem[]];
    return toItem(
      found,
      found.flatMap((problem) => covered.get(keyOf(problem)) ?? []),
    );
  });
  return SEVERITIES.flatMap((severity) => items.filter((item) => item.severity === severity));
}

const keyOf = ({ of: { kind }, scope: { account, packageId, part } }: Problem) =>
  JSON.stringify([kind, account, packageId, part]);

/** `problems`: one, or those of accounts with the same cause. */
function toItem(problems: readonly [Problem, ...Problem[]], covered: readonly Problem[]): Item {
  const [problem] = problems;
  const { of, scope, message, shared, nextTry, details, advice } = problem;
  const accounts = problems.flatMap(({ scope }) => scope.account ?? []);
  const severity = SEVERITIES.find((each) =>
    [...problems, ...covered].some(({ of }) => of.severity === each),
  );
  return {
    kind: of.kind,
    scope,
    nextTry,
    advice,
    place: findPlace(of, scope),
    message:
      shared && problems.length > 1 ? toSentence(shared.toMessage(nameAccounts(accounts)), null) : message,
    since: findEarliest(problems),
    severity: severity ?? 'note',
    affects: formatAffected(problems, covered),
    details,
  };
}

function toGroupItem(group: readonly [Problem, ...Problem[]], formatCommand: FormatCommand): Item {
  const [{ of, scope, nextTry }] = group;
  return {
    kind: of.kind,
    scope,
    affects: null,
    nextTry,
    severity: of.severity,
    message: groupText(scope.account, group.length, of.grouped ?? ''),
    since: findEarliest(group),
    advice: advise('to list all of them', formatCommand('status --json')),
    details: listExamples(group),
    place: PACKAGES_PLACE,
  };
}

function listExamples(problems: readonly Problem[]): string[] {
  const left = problems.length - EXAMPLES;
  const examples = problems.slice(0, EXAMPLES).map(({ message }) => toOneLine(message));
  return [...examples, ...(left > 0 ? [`and ${formatCount(left)} more`] : [])];
}

/** `3 packages, storage`. A package that is affected in several ways counts once. */
function formatAffected(problems: readonly Problem[], covered: readonly Problem[]): string | null {
  if (problems.some(({ scope }) => scope.packageId !== null || scope.part !== null)) return null;
  const packages = problems.reduce((sum, problem) => sum + problem.packages, 0);
  const ids = covered.flatMap(({ scope: { account, packageId } }) =>
    packageId === null ? [] : `${account ?? ''}/${packageId}`,
  );
  const count = Math.max(packages, new Set(ids).size);
  const others = ACCOUNT_STREAMS.flatMap((stream) => {
    const accounts = new Set(covered.flatMap(({ scope }) => (scope.part === stream ? scope.account : [])));
    const { one } = STREAM_KINDS[stream];
    if (accounts.size === 0) return [];
    return accounts.size === 1 ? one : `${one} of ${accounts.size} accounts`;
  });
  const parts = [...(count > 0 ? [pluralize(count, 'package')] : []), ...others];
  return parts.length > 0 ? parts.join(', ') : null;
}

/** More than ten packages of one kind and account are one group; every other row is one of its own. */
export function groupPackages<Row>(
  rows: readonly Row[],
  describe: (row: Row) => { kind: string; account: string | null; packageId: number | null },
): [Row, ...Row[]][] {
  const groups = groupBy(rows, (row) => {
    const { kind, account, packageId } = describe(row);
    return JSON.stringify(packageId === null ? rows.indexOf(row) : [kind, account]);
  });
  return [...groups.values()].flatMap((group) =>
    group.length > GROUP_ABOVE ? [group] : group.map((row): [Row] => [row]),
  );
}

/** `240 packages of main are stale`. */
export function groupText(account: string | null, packages: number, text: string): string {
  return `${formatCount(packages)} packages of ${account ?? ''} ${text}`;
}
