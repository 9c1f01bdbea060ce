/** The health of a live file: its facts, and the problems in them. */
import { readHealthFacts, type HealthFacts, type HealthParts } from './facts.ts';
import { findProblems } from './problems.ts';
import type { Problem } from './problem-kinds.ts';

export interface HealthReport extends HealthFacts {
  /** Not grouped: see groupProblems. */
  problems: Problem[];
}

/** Reads the facts at `now` (ms), with this number of runs, and finds the problems in them. */
export function createHealthReport(parts: HealthParts, now: number, runs: number): HealthReport {
  const facts = readHealthFacts(parts, now, runs);
  return { ...facts, problems: findProblems(facts).filter(({ isFading }) => !isFading) };
}
