/** The latest changes; many of one kind of a run in one package are one line. */
import type { Db } from '../../database/connection.ts';
import { readSnapshot } from '../../database/transaction.ts';
import { CHANGES_OF_RUN, type ChangeRow } from '../named/changes.ts';
import { ANY_CHANGE, findChanges } from './find-changes.ts';

/** More changes than this, of one kind, one run and one package, are one line. */
const MOST_SINGLE = 5;

/** Changes that are read to fill the lines. */
const READ = 250;

/** A change; or the first one of `count` of its kind that its run made in its package. */
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
  for (const change of findChanges(db, { ...ANY_CHANGE, limit: READ }).changes) {
    const { run_id, account, package_id, change: kind } = change;
    const key = `${kind} ${run_id} ${account}/${package_id}`;
    const known = counts.get(key);
    if (known !== undefined && known > MOST_SINGLE) continue;
    // the count is 0 if the run is no longer stored
    const count = known ?? CHANGES_OF_RUN.one(db, { run_id, account, package_id })[kind];
    counts.set(key, count);
    found.push({ change, count: count > MOST_SINGLE ? count : 1 });
    if (found.length === lines) break;
  }
  return found;
}
