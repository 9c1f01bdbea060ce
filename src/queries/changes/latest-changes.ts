/** The latest changes; many of one kind of a run in one package are one line. */
import type { Db } from '../../database/connection.ts';
import { CHANGES_OF_RUN, type ChangeRow, type WalkChanges } from '../named/changes.ts';
import { ANY_CHANGE, findChanges } from './find-changes.ts';

/** More than these are one line. */
const MOST_SINGLE = 5;

/** Changes that are read to fill the lines, more where the first ones are of few runs; and the longest time that may take. */
const READS = [50, 500];
const MAX_MS = 250;

/** A change; or the first one of `count` of its kind that its run made in its package. */
export interface LatestChange {
  change: ChangeRow;
  count: number;
}

/** At most `lines`, the newest first. Must run in one snapshot. */
export function readLatestChanges(db: Db, lines: number): LatestChange[] {
  const countOf = createCounter(db);
  let found: LatestChange[] = [];
  for (const limit of READS) {
    const { changes } = findChanges(db, { ...ANY_CHANGE, limit, maxMs: MAX_MS });
    found = group(changes, lines, countOf);
    if (found.length === lines || changes.length < limit) break;
  }
  return found;
}

function group(
  changes: readonly ChangeRow[],
  lines: number,
  countOf: (change: ChangeRow) => number,
): LatestChange[] {
  const grouped = new Set<string>();
  const found: LatestChange[] = [];
  for (const change of changes) {
    const key = `${change.change} ${change.run_id} ${change.account}/${change.package_id}`;
    if (grouped.has(key)) continue;
    const count = countOf(change);
    const isGroup = count > MOST_SINGLE;
    if (isGroup) grouped.add(key);
    found.push({ change, count: isGroup ? count : 1 });
    if (found.length === lines) break;
  }
  return found;
}

/** How many changes of its kind its run made in its package; 0: the run is no longer stored. */
function createCounter(db: Db): (change: ChangeRow) => number {
  const runs = new Map<number, WalkChanges[]>();
  return ({ run_id, account, package_id, change }) => {
    if (run_id === null) return 0;
    let walks = runs.get(run_id);
    if (!walks) runs.set(run_id, (walks = CHANGES_OF_RUN.all(db, { run_id })));
    return walks.find((walk) => walk.account === account && walk.package_id === package_id)?.[change] ?? 0;
  };
}
