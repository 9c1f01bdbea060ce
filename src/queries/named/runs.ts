/** Runs: the last ones, a page of them, and the run in progress. */
import { isHeld } from '../../database/lock.ts';
import type { Db } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { KILLED, type run, type walk } from '../../database/schema/runs.ts';
import type { WalkChange } from '../../database/schema/values.ts';
import { readSnapshot } from '../../database/transaction.ts';
import { withShownStatus } from './shown-status.ts';

/** A run, and what its walks did. */
export type RunRow = typeof run.$inferSelect &
  Record<'walks' | 'failed_walks', number> &
  Record<WalkChange | 'quarantined', number>;

/** Selects runs with the totals of their walks, the newest first. */
const selectRuns = (where: string) => `
select last.*, count(walk_id) as walks, count(case when walk.status = 'failed' then 1 end) as failed_walks,
  coalesce(sum(added), 0) as added, coalesce(sum(edited), 0) as edited,
  coalesce(sum(removed), 0) as removed, coalesce(sum(restored), 0) as restored,
  coalesce(sum(quarantined), 0) as quarantined
from (select * from run where ${where} order by run_id desc limit :limit) as last
left join walk on walk.run_id = last.run_id
group by last.run_id
order by last.run_id desc`;

/** The runs before the one of this number, with their changes. */
const RUNS = query<RunRow, { before: number; limit: number }>(selectRuns('run_id < :before'));
/** A number that is larger than that of any run. */
const AT_END = Number.MAX_SAFE_INTEGER;

/**
 * The condition for a run in which something was not done or needs attention. A run that a person stopped
 * does not count. `:is_idle` is 1 if no process makes a run now: then a run with the status `running` was
 * killed.
 */
const NOT_DONE = `(status in ('failed', 'partial') or (status = 'interrupted' and error = '${KILLED}')
  or (status = 'running' and :is_idle = 1))`;

const FAILED_RUNS = query<RunRow, { limit: number; is_idle: 0 | 1 }>(selectRuns(NOT_DONE));

const RUN_COUNTS = query<{ runs: number; failed: number }, { is_idle: 0 | 1 }>(`
select count(*) as runs, count(case when ${NOT_DONE} then 1 end) as failed
from run`);

/** Reads the newest runs first; `before`: only those with a lower number. */
export function readRuns(db: Db, limit: number, before: number | null = null): RunRow[] {
  return withShownStatus(db, RUNS.all(db, { before: before ?? AT_END, limit }));
}

/** Reads the newest runs that are `failed` or `partial`, or were killed. */
export function readFailedRuns(db: Db, limit: number): RunRow[] {
  return withShownStatus(db, FAILED_RUNS.all(db, { limit, is_idle: getIsIdle(db) }));
}

/** Counts the runs that are stored, and those of `readFailedRuns`. */
export const countRuns = (db: Db) => RUN_COUNTS.one(db, { is_idle: getIsIdle(db) });

const getIsIdle = (db: Db): 0 | 1 => (isHeld(db.$client.name, 'run') ? 0 : 1);

/** A run without its walks. */
export type RunGlance = Pick<
  typeof run.$inferSelect,
  'run_id' | 'mode' | 'trigger' | 'status' | 'started_at' | 'finished_at'
>;

/** The last runs without their walks, the newest first. */
export const RUN_STRIP = query<RunGlance, { limit: number }>(`
select run_id, mode, trigger, status, started_at, finished_at
from run
order by run_id desc
limit :limit`);

type Walk = typeof walk.$inferSelect;

/** A walk in progress, with the name of its package. */
export type RunningWalk = { name: string | null } & Pick<
  Walk,
  'walk_id' | 'run_id' | 'account' | 'package_id' | 'mode' | 'started_at'
> &
  Pick<Walk, 'pages' | 'totalcount' | 'page_size' | 'checkpoint_page'>;

/**
 * The walks in progress. A walk reads from its last page to the first; `checkpoint_page` is the page it
 * stored last, and `pages` how many it stored.
 */
export const RUNNING_WALKS = query<RunningWalk>(`
select walk_id, run_id, walk.account, walk.package_id, package.name, mode, started_at, pages, walk.totalcount,
  walk.page_size, checkpoint_page
from walk
left join package on package.account = walk.account and package.package_id = walk.package_id
where status = 'running'
order by walk_id`);

/**
 * How many packages a run has walked, with those of the runs that it resumes: `:origin` is its
 * `origin_started_at`.
 */
export const WALKED_PACKAGES = query<{ walked: number }, { run_id: number; origin: string | null }>(`
select count(distinct walk.account || '/' || package_id) as walked
from walk
join run using (run_id)
where run_id between :run_id - 100 and :run_id
  and (run_id = :run_id or coalesce(run.origin_started_at, run.started_at) = :origin)
  and walk.status in ('succeeded', 'partial', 'failed')`);

export interface RunningRun extends RunRow {
  /** Packages that this run, and the runs that it resumes, have walked. */
  walked: number;
  /** Its walks in progress. */
  running_walks: RunningWalk[];
}

/**
 * Reads the newest run if a process is making it, otherwise null: a killed run keeps the status `running`.
 */
export function readRunningRun(db: Db): RunningRun | null {
  if (!isHeld(db.$client.name, 'run')) return null;
  return readSnapshot(db, () => {
    const run = RUNS.get(db, { before: AT_END, limit: 1 });
    if (run?.status !== 'running') return null;
    const { run_id, origin_started_at: origin } = run;
    const { walked } = WALKED_PACKAGES.one(db, { run_id, origin });
    const walks = RUNNING_WALKS.all(db).filter((walk) => walk.run_id === run_id);
    return { ...run, walked, running_walks: walks };
  });
}
