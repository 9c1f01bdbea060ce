/** Runs: the last ones, their requests, pruning; and the requests that quick walks saved. */
import { sql } from 'drizzle-orm';
import { fromTimestamp } from '../../lib/clock.ts';
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { savedRequests, type FailureKind } from '../../database/schema/runs.ts';
import type { Mode, Status } from '../../database/schema/values.ts';
import { upsert } from '../../database/upsert.ts';
import type { PackageKey } from '../../sync/package-key.ts';
import type { StreamName } from '../../sync/streams.ts';

/** Something that a run could not do. */
export interface RunFailure {
  account: string;
  packageId: number | null;
  /** Null for the account as a whole. */
  stream: StreamName | null;
  kind: FailureKind;
  message: string;
  /** Packages that were not asked for, where the run gave the account up or put it off; else null. */
  skipped: number | null;
}

/** The kinds of streams that gave no answer to the last run that sent requests to an account. */
export const listSilentStreams = query<{ stream: StreamName }, { account: string }>(
  `with unanswered as (
      select run_id, stream from run_failure
      where account = :account and kind in ('connection', 'timeout') and run_id = (
        select max(run_id) from run r
        where exists (select 1 from request q where q.run_id = r.run_id and q.account = :account)))
    select stream from unanswered where stream <> 'videos'
    union
    select 'videos' from unanswered u
    where not exists (
      select 1 from request q
      where q.run_id = u.run_id and q.account = :account and package_id is not null and bytes is not null)`,
).all;

/** Counts the requests of the run. */
export const countRequests = query<never, { runId: number }>(
  'select count(*) as count from request where run_id = :runId',
).count;

/** Counts the requests of the run for one package. */
export const countPackageRequests = query<never, PackageKey & { runId: number }>(
  `select count(*) as count from request
    where run_id = :runId and account = :account and package_id = :packageId`,
).count;

/** Runs over everything in a mode; or those for packages that were due by their own schedules. */
export type RunKind = Mode | 'own';

/** The condition for each kind of run. A run with a scope whose trigger is `manual` was made by a person. */
const OF_KIND: Record<RunKind, string> = {
  full: "mode = 'full' and scope is null",
  quick: "mode = 'quick' and scope is null",
  own: "mode = 'full' and scope is not null and trigger <> 'manual'",
};

const selectNewest = <Row>(columns: string, status: string) => {
  const of = (kind: RunKind) =>
    query<Row>(
      `select ${columns} from run where ${OF_KIND[kind]} and status ${status} order by run_id desc limit 1`,
    ).get;
  return { full: of('full'), quick: of('quick'), own: of('own') };
};

/** A run that ended. */
export interface EndedRun {
  /** Its start, or that of the original run that it resumed. */
  startedAt: string;
  runId: number;
  status: Status;
  /** When it may continue, if it was parked. */
  resumeAt: string | null;
}

const LAST_ENDED = selectNewest<EndedRun>(
  'coalesce(origin_started_at, started_at) as startedAt, run_id as runId, status, resume_at as resumeAt',
  "not in ('running', 'interrupted')",
);

/** The newest run of this kind that ended, whatever its status; null before the first. */
export const findLastRun = (tx: Tx, kind: RunKind): EndedRun | null => LAST_ENDED[kind](tx) ?? null;

const LAST_FINISHED = selectNewest<{ started_at: string; finished_at: string }>(
  'started_at, finished_at',
  "in ('succeeded', 'partial')",
);

/** How long the newest successful run of this kind took, in milliseconds; 0 before the first. */
export function getLastDurationMs(tx: Tx, kind: RunKind): number {
  const last = LAST_FINISHED[kind](tx);
  return last ? fromTimestamp(last.finished_at) - fromTimestamp(last.started_at) : 0;
}

/** Lets parked runs continue now. */
export const resumeParked = query<never, { at: string }>(
  'update run set resume_at = :at where resume_at > :at',
).run;

/**
 * Deletes the oldest requests, up to the first one that may have reached the service after `ms`. Requests are
 * stored in the order of their sending.
 */
export const pruneRequests = query<never, { ms: number }>(
  `delete from request where request_id < coalesce(
    (select request_id from request where spent_until_ms >= :ms order by request_id limit 1),
    ${Number.MAX_SAFE_INTEGER})`,
).run;

/** Deletes the runs started before `at`, with their walks and failures. */
export const pruneRuns = query<never, { at: string }>('delete from run where started_at < :at').run;

/** Adds quick walks of packages to the day (UTC), and the requests that they saved against full walks. */
export const addSavedRequests = upsert(savedRequests, {
  set: {
    quick_walks: sql`quick_walks + excluded.quick_walks`,
    requests: sql`requests + excluded.requests`,
  },
});

/** Deletes what was saved before the day (UTC). */
export const pruneSavedRequests = query<never, { date: string }>(
  'delete from saved_requests where date < :date',
).run;
