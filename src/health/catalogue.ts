/** The catalogue of problems: what status, pages, alerts and readiness show, and what explains what. Pure. */
import type { HealthFacts } from './facts.ts';
import { PACKAGE_KINDS } from './kinds/package-kinds.ts';
import { RECORD_KINDS } from './kinds/record-kinds.ts';
import { RUN_KINDS } from './kinds/run-kinds.ts';
import { STORAGE_KINDS } from './kinds/storage-kinds.ts';
import { TARGET_KINDS } from './kinds/target-kinds.ts';
import { WORKER_KINDS } from './kinds/worker-kinds.ts';
import type { AnyKind, Problem, Scope } from './problem.ts';

/** Every kind, in the order in which problems are listed; of a package, the first is its state. */
export const CATALOGUE: readonly AnyKind[] = [
  ...RUN_KINDS,
  ...PACKAGE_KINDS,
  ...STORAGE_KINDS,
  ...WORKER_KINDS,
  ...TARGET_KINDS,
  ...RECORD_KINDS,
];

/** All problems with what explains them, those that only keep an incident open included. */
export function findProblems(facts: HealthFacts): Problem[] {
  return explainProblems(CATALOGUE.flatMap((kind) => kind.find(facts)));
}

/** How early a kind stands in the catalogue: of several problems of a package, the lowest is its state. */
export function getRank({ of }: Problem): number {
  return CATALOGUE.indexOf(of);
}

/** The kind of this name; undefined for one that only another version knows. */
export function findKind(name: string): AnyKind | undefined {
  return CATALOGUE.find(({ kind }) => kind === name);
}

const keyOf = ({ account, packageId, part }: Scope) => JSON.stringify([account, packageId, part]);

/** A failure explains the effects in its own scope, a cause also those in all scopes below its own. */
function explainProblems(problems: readonly Problem[]): Problem[] {
  const shown = problems.filter(({ isFading }) => !isFading);
  const causes = shown.filter(({ of }) => of.role === 'cause');
  const failures = shown.filter(({ of }) => of.role === 'failure');
  const explained = new Map(
    failures.map((each) => [keyOf(each.scope), { ...each, causedBy: findCause(each, causes) }]),
  );
  return problems.map((problem) => {
    const failure = explained.get(keyOf(problem.scope));
    if (problem.of.role === 'failure') return { ...problem, causedBy: findCause(problem, causes) };
    if (problem.of.role !== 'effect') return problem;
    return { ...problem, causedBy: failure ? (failure.causedBy ?? failure) : findCause(problem, causes) };
  });
}

function findCause({ of, scope: { account } }: Problem, causes: readonly Problem[]): Problem | null {
  const explains = (cause: Problem) =>
    (cause.scope.account === null || cause.scope.account === account) &&
    (of.role === 'effect' || cause.of.explains !== 'effects');
  return causes.find(explains) ?? null;
}
