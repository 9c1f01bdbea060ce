/** What needs attention, one item a cause, with the place on the pages that shows more. Pure. */
import { groupProblems, type Problem, type ProblemKind } from '../../health/problem-kinds.ts';
import { packagePath, storagePath } from './paths.ts';

export interface AttentionItem extends Pick<Problem, 'message' | 'details' | 'advice' | 'since'> {
  /** Unique on the page. */
  id: string;
  level: 'bad' | 'warn' | 'note';
  place: { text: string; href: string } | null;
}

/** What is worth knowing and is no failure. */
const NOTES: readonly ProblemKind[] = ['drift'];

/** Of these, the later ones of a package or of storage follow from the first. */
const CHAIN: readonly ProblemKind[] = ['failed', 'never_read', 'stale', 'partial'];

/** Failures first, then what else needs attention, then notes. */
export function listAttention(problems: readonly Problem[]): AttentionItem[] {
  const causes = mergeCauses(problems);
  const seen = new Map<string, number>();
  const items = groupProblems(causes).map((problem): AttentionItem => {
    const { kind, scope, severity, message, details, advice, since } = problem;
    const key = `${kind}-${encodeURIComponent(scope.account ?? '')}-${scope.packageId ?? ''}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    const level = NOTES.includes(kind) ? 'note' : severity === 'bad' ? 'bad' : 'warn';
    const place = findPlace(problem, !causes.includes(problem));
    return { id: `about-${key}-${count}`, level, message, details, advice, since, place };
  });
  return (['bad', 'warn', 'note'] as const).flatMap((level) => items.filter((item) => item.level === level));
}

/** Puts the messages that follow from the first one of the same package or storage into its details. */
function mergeCauses(problems: readonly Problem[]): Problem[] {
  const first = new Map<string, number>();
  const causes: Problem[] = [];
  for (const problem of problems) {
    const { scope, kind, message, advice } = problem;
    const key = `${scope.account ?? ''}/${scope.packageId ?? ''}`;
    const at = CHAIN.includes(kind) && scope.account !== null ? first.get(key) : undefined;
    const cause = at === undefined ? undefined : causes[at];
    if (at === undefined || !cause) {
      if (CHAIN.includes(kind) && scope.account !== null) first.set(key, causes.length);
      causes.push(problem);
      continue;
    }
    const known = new Set(cause.advice.map(({ command, text }) => command ?? text));
    causes[at] = {
      ...cause,
      since: cause.since ?? problem.since,
      details: [...cause.details, message],
      advice: [...cause.advice, ...advice.filter(({ command, text }) => !known.has(command ?? text))],
    };
  }
  return causes;
}

const STORAGE: readonly ProblemKind[] = [
  ...(['gap', 'time_zone', 'unconfirmed', 'discrepancy', ...CHAIN] as const),
];
const PARTS: Partial<Record<ProblemKind, AttentionItem['place']>> = {
  restricted: { text: 'Requests', href: '#budgets' },
  parked: { text: 'Runs', href: '/runs' },
  run_failed: { text: 'Runs', href: '/runs' },
  scoped_run_failed: { text: 'Runs', href: '/runs' },
  target_failed: { text: 'Targets', href: '#targets' },
  target_refused: { text: 'Targets', href: '#targets' },
  target_differs: { text: 'Targets', href: '#targets' },
};

/** `isGroup`: of many packages of an account. */
function findPlace({ kind, scope }: Problem, isGroup: boolean): AttentionItem['place'] {
  const { account, packageId } = scope;
  const part = PARTS[kind];
  if (part || account === null) return part ?? null;
  if (packageId !== null) return { text: 'Package', href: packagePath({ account, package_id: packageId }) };
  if (isGroup) return { text: 'Packages', href: '/packages' };
  return STORAGE.includes(kind) ? { text: 'Storage by day', href: storagePath({ account }) } : null;
}
