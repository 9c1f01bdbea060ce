/** Which run made a change: rows of videos have no run number, and only one run is made at a time. */
import type { Db } from '../../database/connection.ts';
import {
  CHANGES_OF_RUN,
  LAST_POSITIONS,
  RUN_FROM,
  type RunSpan,
  type WalkChanges,
} from '../named/changes.ts';

export type RunFinder = ReturnType<typeof createRunFinder>;

type PackageColumns = { account: string; package_id: number };

const toKey = ({ account, package_id: id }: PackageColumns) => `${account}/${id}`;

/** Remembers what it read: it must live within one snapshot. Runs that are no longer stored are not found. */
export function createRunFinder(db: Db) {
  const changes = new Map<number, ReadonlyMap<string, WalkChanges>>();
  let last: RunSpan | null = null;

  /** The last run that had begun at this time, if it had not ended. */
  function findRunAt(at: string): RunSpan | null {
    if (last && isWithin(last, at) && !hasLaterRun(db, last, at)) return last;
    const found = findLastBegun(db, at);
    last = found && isWithin(found, at) ? found : null;
    return last;
  }

  /** What a run changed in a package, by its walks; undefined: nothing. */
  function getChanges(runId: number, key: PackageColumns): WalkChanges | undefined {
    let byPackage = changes.get(runId);
    if (!byPackage) {
      const rows = CHANGES_OF_RUN.all(db, { run_id: runId });
      changes.set(runId, (byPackage = new Map(rows.map((row) => [toKey(row), row]))));
    }
    return byPackage.get(toKey(key));
  }

  return {
    /** The run that made a change of this package at this time; null where no stored run did. */
    find: (key: PackageColumns, at: string): { run_id: number; changes: WalkChanges } | null => {
      const run = findRunAt(at);
      const found = run && getChanges(run.run_id, key);
      return found ? { run_id: run.run_id, changes: found } : null;
    },
  };
}

function isWithin({ started_at: start, finished_at: end }: RunSpan, at: string): boolean {
  return start <= at && (end === null || at <= end);
}

function hasLaterRun(db: Db, { run_id: id }: RunSpan, at: string): boolean {
  const next = RUN_FROM.get(db, { run_id: id + 1 });
  return next !== undefined && next.started_at <= at;
}

/** Numbers of runs rise with their time, with holes where runs are no longer stored. */
function findLastBegun(db: Db, at: string): RunSpan | null {
  let [low, high] = [1, LAST_POSITIONS.one(db, {}).run_id];
  let found: RunSpan | null = null;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const run = RUN_FROM.get(db, { run_id: middle });
    if (run && run.started_at <= at) {
      found = run;
      low = run.run_id + 1;
    } else {
      high = middle - 1;
    }
  }
  return found;
}
