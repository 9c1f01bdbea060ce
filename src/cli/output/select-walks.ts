/** Which packages of a run get a line of their own. */
import { formatCount } from '../../lib/format.ts';
import type { RunSummary } from '../../sync/run.ts';
import { isNotable } from './log-progress.ts';
import { MOST_ROWS } from './output.ts';

type Walk = RunSummary['walks'][number];

/** A line for every package, for those that changed or failed, or for as many as a person reads on a terminal. */
export type Shown = 'all' | 'notable' | 'fitting';

/**
 * The packages that get a line, in their order, and those that changed or failed and get none. On a terminal all of them, if
 * they are few, else those that changed or failed; if these are many too, first those that failed or need attention.
 */
export function selectWalks(walks: readonly Walk[], shown: Shown): { listed: Walk[]; unlisted: Walk[] } {
  if (shown === 'all' || (shown === 'fitting' && walks.length <= MOST_ROWS))
    return { listed: [...walks], unlisted: [] };
  const notable = walks.filter(isNotable);
  if (shown === 'notable' || notable.length <= MOST_ROWS) return { listed: notable, unlisted: [] };
  const byNeed = [...notable.filter(isTrouble), ...notable.filter((walk) => !isTrouble(walk))];
  const chosen = new Set(byNeed.slice(0, MOST_ROWS));
  return { listed: notable.filter((walk) => chosen.has(walk)), unlisted: byNeed.slice(MOST_ROWS) };
}

function isTrouble({ status, quarantined, unsettled, held_back }: Walk): boolean {
  return status !== 'succeeded' || quarantined + unsettled + held_back > 0;
}

/** The first of these lines, and how many more there are; `shown` as for the packages, `command` lists all. */
export function limitLines(
  lines: readonly string[],
  shown: Shown,
  what: string,
  command: string,
): readonly string[] {
  const more = lines.length - MOST_ROWS;
  if (shown !== 'fitting' || more <= 0) return lines;
  return [...lines.slice(0, MOST_ROWS), formatMore(more, what, command)];
}

/** `… and 9,960 more packages: vodhouse runs 12 lists all`. */
export function formatMore(more: number, what: string, command: string): string {
  return `… and ${formatCount(more)} more ${what}: ${command} lists all`;
}
