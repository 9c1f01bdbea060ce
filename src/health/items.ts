/** What a person should attend to: one item for each cause, with what it affects. Pure. */
import { formatCount, pluralize } from '../lib/format.ts';
import { STORAGE_PART, type Advice, type Problem } from './problem.ts';
import { groupBy, toOneLine } from './text.ts';
import type { FormatCommand } from '../lib/shell-command.ts';

export interface Item {
  /** The problem, or the first of a group. */
  problem: Problem;
  /** The worst of all that it has. */
  severity: 'bad' | 'attention' | 'note';
  /** One sentence without a full stop. */
  message: string;
  /** `50 packages, storage`; null where the message says it all. */
  affects: string | null;
  /** When it began, and when it is tried again by itself (`YYYY-MM-DD HH:MM:SS` UTC); null: not known, or not. */
  since: string | null;
  nextTry: string | null;
  details: readonly string[];
  advice: readonly Advice[];
  /** More than ten packages of an account with a problem of the same kind. */
  isGroup: boolean;
}

/** More packages of an account than this with the same problem are shown as one. */
const GROUP_ABOVE = 10;
const EXAMPLES = 3;
const SEVERITIES = ['bad', 'attention', 'note'] as const;

/** The items of these problems, the worst first. */
export function listItems(problems: readonly Problem[], formatCommand: FormatCommand): Item[] {
  const shown = new Set(problems.map(keyOf));
  const causeOf = ({ causedBy }: Problem) => (causedBy && shown.has(keyOf(causedBy)) ? keyOf(causedBy) : '');
  const covered = groupBy(problems, causeOf);
  const groups = groupPackages(covered.get('') ?? [], ({ of: { kind }, scope }) => ({ kind, ...scope }));
  const items = groups.map((group) =>
    group.length > 1
      ? toGroupItem(group, formatCommand)
      : toItem(group[0], covered.get(keyOf(group[0])) ?? []),
  );
  return SEVERITIES.flatMap((severity) => items.filter((item) => item.severity === severity));
}

const keyOf = ({ of: { kind }, scope: { account, packageId, part } }: Problem) =>
  JSON.stringify([kind, account, packageId, part]);

function toItem(problem: Problem, covered: readonly Problem[]): Item {
  const { message, since, nextTry, details, advice } = problem;
  const severity = SEVERITIES.find((each) => [problem, ...covered].some(({ of }) => of.severity === each));
  return {
    ...{ problem, message, since, nextTry, advice, isGroup: false },
    severity: severity ?? 'note',
    affects: formatAffected(problem, covered),
    details: [...details, ...listExamples(covered)],
  };
}

function toGroupItem(group: readonly [Problem, ...Problem[]], formatCommand: FormatCommand): Item {
  const [problem] = group;
  return {
    ...{ problem, affects: null, nextTry: problem.nextTry, isGroup: true },
    severity: problem.of.severity,
    message: groupText(problem.scope.account, group.length, problem.of.grouped?.text ?? ''),
    since: group.flatMap(({ since }) => since ?? []).sort()[0] ?? null,
    details: listExamples(group),
    advice: [{ text: 'all of them', command: formatCommand('status --json') }],
  };
}

function listExamples(problems: readonly Problem[]): string[] {
  const left = problems.length - EXAMPLES;
  const examples = problems.slice(0, EXAMPLES).map(({ message }) => toOneLine(message));
  return [...examples, ...(left > 0 ? [`and ${formatCount(left)} more`] : [])];
}

/** `3 packages, storage`. A package that is affected in several ways counts once. */
function formatAffected({ packages, scope }: Problem, covered: readonly Problem[]): string | null {
  if (scope.packageId !== null || scope.part !== null) return null;
  const ids = covered.flatMap(({ scope: { account, packageId } }) =>
    packageId === null ? [] : `${account ?? ''}/${packageId}`,
  );
  const count = Math.max(packages, new Set(ids).size);
  const storages = new Set(
    covered.flatMap(({ scope }) => (scope.part === STORAGE_PART ? scope.account : [])),
  );
  const parts = [
    ...(count > 0 ? [pluralize(count, 'package')] : []),
    ...(storages.size > 0 ? [storages.size === 1 ? 'storage' : `storage of ${storages.size} accounts`] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : null;
}

/** Puts rows of more than ten packages of one kind and account into one group; every other row is a group of its own. */
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
