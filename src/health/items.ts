/** What a person should attend to: one item for each cause, with what it affects. Pure. */
import { formatCount, pluralize } from '../lib/format.ts';
import { ACCOUNT_STREAMS, STREAM_KINDS } from '../sync/streams.ts';
import type { FormatCommand } from '../lib/shell-command.ts';
import { findPlace, PACKAGES_PLACE } from './place.ts';
import { advise } from './advice.ts';
import { SEVERITIES, toKey, type Kind, type Place, type Problem, type Severity } from './problem.ts';
import { findEarliest, groupBy, limitDetails, nameAccounts, toOneLine, toSentence } from './text.ts';

/** What a person sees of one or several problems. The values are those of the first one, but for these. */
export interface Item extends Pick<Problem, 'scope' | 'message' | 'nextTry' | 'advice' | 'details'> {
  kind: Kind['kind'];
  /** The worst of all that it has. */
  severity: Severity;
  /** What else it affects: `50 packages, storage`; null where the message names it already. */
  affects: string | null;
  /** When the first of them began (`YYYY-MM-DD HH:MM:SS` UTC); null: not known. */
  since: string | null;
  /** The page that shows more; null: none does. */
  place: Place | null;
}

/** If more packages of an account than this have the same problem, they are shown as one item. */
const GROUP_ABOVE = 10;
/** How many of them are named. */
const EXAMPLES = 3;

/** Lists the items of these problems, the worst first. */
export function listItems(problems: readonly Problem[], formatCommand: FormatCommand): Item[] {
  const keyOf = ({ of, scope }: Problem) => toKey(of.kind, scope);
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

/** Makes an item of one problem, or of those of accounts with the same cause. `covered` follow from them. */
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
  const [{ of, scope }] = group;
  const examples = group.slice(0, EXAMPLES).map(({ message }) => toOneLine(message));
  return {
    ...toItem(group, []),
    message: groupText(scope.account, group.length, of.grouped ?? ''),
    advice: advise('to list all of them', formatCommand('status --json')),
    details: limitDetails(examples, group.length),
    place: PACKAGES_PLACE,
  };
}

/** Formats `3 packages, storage`. A package that is affected in several ways counts once. */
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
