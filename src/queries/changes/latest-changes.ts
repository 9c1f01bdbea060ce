/** The latest changes; many of one kind of a run in one package are one line. */
import type { Db } from '../../database/connection.ts';
import { readSnapshot } from '../../database/transaction.ts';
import { CHANGES_OF_RUN, type ChangeRow } from '../named/changes.ts';
import {
  ANY_CHANGE,
  findChanges,
  findLastPosition,
  type FoundChanges,
  type Positions,
} from './find-changes.ts';

/** More changes than this, of one kind, one run and one package, are one line. */
const MOST_SINGLE = 5;

/** How many changes are read at a time to fill the lines, and how many times at most. */
const READ = 250;
const MOST_READS = 20;

/** A change, or the newest one of `count` changes of its kind that its run made in its package. */
export interface LatestChange {
  change: ChangeRow;
  count: number;
}

/** Reads at most `lines`, the newest first. */
export function readLatestChanges(db: Db, lines: number): LatestChange[] {
  return readSnapshot(db, () => findLatestChanges(db, lines));
}

function findLatestChanges(db: Db, lines: number): LatestChange[] {
  const counts = new Map<string, number>();
  const found: LatestChange[] = [];
  let from: Positions | null = null;
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const { changes, next }: FoundChanges = findChanges(db, { ...ANY_CHANGE, from, limit: READ });
    let isLastGrouped = false;
    for (const change of changes) {
      const { run_id, account, package_id, change: kind } = change;
      const key = `${kind} ${run_id} ${account}/${package_id}`;
      const known = counts.get(key);
      // the count is 0 if the run is no longer stored
      const count = known ?? CHANGES_OF_RUN.one(db, { run_id, account, package_id })[kind];
      counts.set(key, count);
      isLastGrouped = count > MOST_SINGLE;
      if (isLastGrouped && known !== undefined) continue;
      found.push({ change, count: isLastGrouped ? count : 1 });
      if (found.length === lines) return found;
    }
    const last = changes.at(-1);
    if (!next || !last) break;
    from = isLastGrouped ? findBefore(db, next, last.at) : next;
  }
  return found;
}

/**
 * Where the changes before a time begin. A removal of a hundred thousand videos takes effect in one second:
 * it is not read to its end.
 */
const findBefore = (db: Db, { first, later }: Positions, at: string): Positions => ({
  first: findLastPosition(db, 'first', first, (each) => each < at),
  later: findLastPosition(db, 'later', later, (each) => each < at),
});
