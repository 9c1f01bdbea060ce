/** The runs of a live file for `vodhouse runs`: the list, and one run in full. Read over a connection that cannot write. */
import { openReadOnly, type Db } from '../database/connection.ts';
import { isHeld } from '../database/lock.ts';
import { query } from '../database/query.ts';
import { KILLED } from '../database/schema/runs.ts';
import { HELD_REASONS, type HeldReason } from '../database/schema/videos.ts';
import { readSnapshot } from '../database/transaction.ts';
import * as runs from './named/runs.ts';
import { selectRuns, type RunRow } from './named/status.ts';
import { createShowStatus, withShownStatus, type ShowStatus } from './shown-status.ts';

/** Whether no process makes a run now: what has the status `running` was killed then. */
type AnyKilled = { is_idle: 0 | 1 };

/** In all, something was not done or needs attention; a run that a person stopped is none of them. */
const NOT_DONE = `(status in ('failed', 'partial') or (status = 'interrupted' and error = '${KILLED}')
  or (status = 'running' and :is_idle = 1))`;

const RUNS = query<RunRow, { limit: number }>(selectRuns());
const FAILED_RUNS = query<RunRow, { limit: number } & AnyKilled>(selectRuns(NOT_DONE));

/** How many runs are stored, how many of them failed or were killed, and their first and last number (null for none). */
export interface RunCounts {
  runs: number;
  failed: number;
  first: number | null;
  last: number | null;
}

const COUNTS = query<RunCounts, AnyKilled>(`
select count(*) as runs, count(case when ${NOT_DONE} then 1 end) as failed, min(run_id) as first, max(run_id) as last
from run`);

/** Removals that the walks of a run held back, and that still wait. */
export type HeldByRun = Omit<runs.HeldRow, 'reasons'> & { reasons: HeldReason[] };

/** The most records in quarantine that are listed. */
const MAX_QUARANTINE = 1_000;
const END_OF_TIME = '9999-12-31'; // a number would compare as one: these columns have numeric affinity

/** One run in full. */
export type RunDetails = NonNullable<ReturnType<typeof readRun>>;

/** Opens the live file at `path`. Throws as `openReadOnly`. */
export function openRunQueries(path: string) {
  const db = openReadOnly(path);
  const isIdle = () => (isHeld(path, 'run') ? 0 : 1);
  const show = createShowStatus(path);
  return {
    /** The newest runs first; `isFailedOnly`: those that are `failed` or `partial`, or were killed. */
    list: (limit: number, isFailedOnly: boolean) => {
      const rows = isFailedOnly ? FAILED_RUNS.all(db, { limit, is_idle: isIdle() }) : RUNS.all(db, { limit });
      return withShownStatus(rows, show);
    },
    count: () => COUNTS.one(db, { is_idle: isIdle() }),
    /** Null where there is no such run. */
    find: (runId: number) => readSnapshot(db, () => readRun(db, runId, show)),
    close: (): void => void db.$client.close(),
  };
}

/** Null where there is no such run. Call it within `readSnapshot`. */
export function readRun(db: Db, run_id: number, show: ShowStatus) {
  const found = runs.RUN.get(db, { run_id, limit: 1 });
  if (!found) return null;
  const span: runs.Span = { from: found.started_at, to: found.finished_at ?? END_OF_TIME };
  return {
    run: { ...found, status: show(found.status) },
    walks: withShownStatus(runs.RUN_WALKS.all(db, { run_id }), show).map(({ resumed, ...row }) => ({
      ...row,
      resumed: resumed === 1,
    })),
    failures: runs.RUN_FAILURES.all(db, { run_id }),
    requests: runs.RUN_REQUESTS.all(db, { run_id }),
    held_back: runs.RUN_HELD_BACK.all(db, { run_id }).map((row): HeldByRun => ({
      ...row,
      reasons: HELD_REASONS.filter((reason) => row.reasons.split(',').includes(reason)),
    })),
    quarantine: runs.RUN_QUARANTINE.all(db, { ...span, limit: MAX_QUARANTINE }),
    booked: runs.BOOKED_DAYS.all(db, span),
  };
}
