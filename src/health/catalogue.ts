/** The catalogue of problems that status, pages and alerts show, and which problem explains which. Pure. */
import type { HealthFacts } from './facts.ts';
import { PACKAGE_KINDS } from './package-kinds.ts';
import { RECORD_KINDS } from './record-kinds.ts';
import { RUN_KINDS } from './run-kinds.ts';
import { STORAGE_KINDS } from './storage-kinds.ts';
import { target } from './target-kinds.ts';
import { WORKER_KINDS } from './worker-kinds.ts';
import { listProblems, WORKER, type Kind, type Problem, type Scope } from './problem.ts';
import { groupBy } from './text.ts';

/** Every kind, in the order in which problems are listed; of a package, the first is its state. */
export const CATALOGUE: readonly Kind[] = [
  ...RUN_KINDS,
  ...PACKAGE_KINDS,
  ...STORAGE_KINDS,
  ...WORKER_KINDS,
  target,
  ...RECORD_KINDS,
];

/** Finds all problems, also those that only keep an incident open, each with the problem that explains it. */
export function findProblems(facts: HealthFacts): Problem[] {
  const problems = CATALOGUE.flatMap((kind) => listProblems(kind, facts));
  const causes = groupBy(
    problems.filter(({ of, isFading }) => of.explains && !isFading),
    ({ scope }) => keyOf(scope),
  );
  return problems.map((problem) => ({ ...problem, causedBy: findCause(problem, causes) }));
}

/** The position of the kind in the catalogue. Of several problems of a package, the first is its state. */
export function getRank({ of }: Pick<Problem, 'of'>): number {
  return CATALOGUE.indexOf(of);
}

/** The kind of this name; undefined where only another version of vodhouse has it. */
export function findKind(name: string): Kind | undefined {
  return CATALOGUE.find(({ kind }) => kind === name);
}

const keyOf = ({ account, packageId, part }: Scope) => JSON.stringify([account, packageId, part]);

/** Finds the problem that explains this one: of several, that with the largest scope. */
function findCause({ of, scope }: Problem, causes: ReadonlyMap<string, readonly Problem[]>): Problem | null {
  const scopes = new Set([WORKER, { ...WORKER, account: scope.account }, scope].map(keyOf));
  const found = [...scopes].flatMap((key) => causes.get(key) ?? []);
  const isOther = (cause: Problem) => cause.of !== of || keyOf(cause.scope) !== keyOf(scope);
  return found.find((cause) => cause.of.explains?.includes(of.kind) && isOther(cause)) ?? null;
}
