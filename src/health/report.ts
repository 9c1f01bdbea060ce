/** The health of a live file: its facts, the problems in them, and the items that a person sees. */
import { findProblems } from './catalogue.ts';
import { readHealthFacts, type HealthFacts, type HealthParts } from './facts.ts';
import { listItems, type Item } from './items.ts';
import type { Problem } from './problem.ts';

export interface HealthReport extends HealthFacts {
  problems: Problem[];
  /** The problems as a person sees them: one item for each cause. */
  items: Item[];
}

/** Reads the facts at `now` (ms), with this number of runs, and finds the problems in them. */
export function createHealthReport(parts: HealthParts, now: number, runs: number): HealthReport {
  const facts = readHealthFacts(parts, now, runs);
  const problems = findProblems(facts).filter(({ isFading }) => !isFading);
  return { ...facts, problems, items: listItems(problems, facts.formatCommand) };
}
