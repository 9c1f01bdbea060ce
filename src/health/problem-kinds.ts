/** Things that need attention: their kinds, and the one form in which `status`, the page, alerts and readiness show them. */
import { escapeControls, formatCount, truncate } from '../lib/format.ts';

/** The kinds of problems, in the order in which they are listed; of a package, the first is its state. */
export const PROBLEM_KINDS = [
  'restricted',
  'parked',
  'run_failed',
  'scoped_run_failed',
  'failed',
  'never_read',
  'stale',
  'partial',
  'held_back',
  'unordered',
  'clock',
  'gap',
  'time_zone',
  'unconfirmed',
  'discrepancy',
  'unpublished',
  'backup',
  'target_failed',
  'target_refused',
  'target_differs',
  'config_refused',
  'quarantine',
  'drift',
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** The kinds of problems that a single package can have, the most severe first. */
export const PACKAGE_PROBLEM_KINDS = [
  'failed',
  'never_read',
  'stale',
  'partial',
  'held_back',
  'unordered',
] as const;
export type PackageProblemKind = (typeof PACKAGE_PROBLEM_KINDS)[number];

/** A package; an account where `packageId` is null; the worker where `account` is null. */
export interface Scope {
  account: string | null;
  packageId: number | null;
}

/** Text, a command to type, or both. */
export interface Advice {
  text: string | null;
  command: string | null;
}

export interface Problem {
  kind: ProblemKind;
  scope: Scope;
  /** When it began (`YYYY-MM-DD HH:MM:SS` UTC); null if that is not known. */
  since: string | null;
  /** `bad`: something is stale or failed. */
  severity: 'bad' | 'attention';
  /** One sentence without a full stop. */
  message: string;
  /** The message of an alert, where `message` says how long ago something was: it changes only with the problem. */
  alertMessage: string | null;
  /** Lines below the message: examples, possibly in the words of the service. */
  details: readonly string[];
  advice: readonly Advice[];
  /** The content of the message as fields: the `details` of an alert (docs/alerts.md). */
  fields: Readonly<Record<string, unknown>>;
  /** It keeps an incident open that exists, but opens none, and is not shown. */
  isFading: boolean;
}

export type PackageProblem = Problem & { kind: PackageProblemKind };

export function isPackageProblem(problem: Problem): problem is PackageProblem {
  return problem.scope.packageId !== null && PACKAGE_PROBLEM_KINDS.some((kind) => kind === problem.kind);
}

/** Only the kinds of package problems may name a package. */
type NewProblem<Kind extends ProblemKind> = Pick<Problem, 'message'> &
  Partial<Problem> & {
    kind: Kind;
    scope?: Kind extends PackageProblemKind ? Scope : Scope & { packageId: null };
  };

const BAD: readonly ProblemKind[] = ['run_failed', 'scoped_run_failed', 'failed', 'never_read', 'stale'];

/** Completes a problem: of the worker, without details and advice, unless given. */
export function createProblem<Kind extends ProblemKind>(given: NewProblem<Kind>): Problem {
  return {
    scope: { account: null, packageId: null },
    since: null,
    severity: BAD.includes(given.kind) ? 'bad' : 'attention',
    alertMessage: null,
    details: [],
    advice: [],
    fields: {},
    isFading: false,
    ...given,
  };
}

/** More packages of an account than this with the same problem are shown as one. */
const GROUP_ABOVE = 10;
const EXAMPLES = 3;

/** What more than ten packages with the same problem have in common. Held-back removals are not grouped. */
export const GROUP_TEXTS: Record<Exclude<PackageProblemKind, 'held_back'>, string> = {
  failed: 'failed in their last full walk',
  never_read: 'have had no full walk yet',
  stale: 'are stale',
  partial: 'were not read completely by their last full walk',
  unordered: 'are not listed in order of ids',
};

function isGrouped(kind: ProblemKind): kind is keyof typeof GROUP_TEXTS {
  return kind in GROUP_TEXTS;
}

/** Replaces the problems of more than ten packages of an account by one, if they are of the same kind. */
export function groupProblems(problems: readonly Problem[]): Problem[] {
  const groups = groupPackages(problems, ({ kind, scope: { account, packageId } }) => ({
    kind,
    account,
    packageId: isGrouped(kind) ? packageId : null,
  }));
  return groups.map((group) => {
    const [{ kind, scope }, ...others] = group;
    if (others.length === 0) return group[0];
    const examples = group.slice(0, EXAMPLES).map(({ message }) => message);
    return createProblem({
      kind,
      scope: { ...scope, packageId: null },
      since: group.flatMap(({ since }) => since ?? []).sort()[0] ?? null,
      message: groupText(scope.account, group.length, isGrouped(kind) ? GROUP_TEXTS[kind] : kind),
      details: [...examples, `and ${formatCount(group.length - EXAMPLES)} more`],
    });
  });
}

/** Puts items of more than ten packages of one kind and account into one group; every other item is a group of its own. */
export function groupPackages<Item>(
  items: readonly Item[],
  describe: (item: Item) => Scope & { kind: string },
): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>();
  const keyOf = (item: Item) => {
    const { kind, account, packageId } = describe(item);
    return packageId === null ? '' : JSON.stringify([kind, account]);
  };
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return items.flatMap((item): [Item, ...Item[]][] => {
    const key = keyOf(item);
    const group = key === '' ? undefined : groups.get(key);
    if (!group || group.length <= GROUP_ABOVE) return [[item]];
    return item === group[0] ? [group] : [];
  });
}

/** `240 packages of main are stale`. */
export function groupText(account: string | null, packages: number, text: string): string {
  return `${formatCount(packages)} packages of ${account ?? ''} ${text}`;
}

/** The first three, and the number of the others. */
export function listFirst(items: readonly (string | number)[]): string {
  const left = items.length - EXAMPLES;
  return [...items.slice(0, EXAMPLES), ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

/** The text on one line, without control characters, up to this many columns. */
export function toOneLine(text: string, columns = 300): string {
  return truncate(escapeControls(text.replaceAll(/\s+/g, ' ').trim()), columns);
}
