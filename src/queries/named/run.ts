/**
 * One run in full: its walks, failures and requests, and what it held back, put into quarantine and booked.
 */
import type { Db } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import type { FailureKind, runFailure, walk } from '../../database/schema/runs.ts';
import type { quarantine } from '../../database/schema/videos.ts';
import { readSnapshot } from '../../database/transaction.ts';
import type { PackageRow } from '../../sync/package-key.ts';
import type { Purpose } from '../../budget/request-budget.ts';
import { readRuns } from './runs.ts';
import { withShownStatus } from './shown-status.ts';
import { listReasons, type HeldBackCount } from './status.ts';

type RunId = { run_id: number };

/** The time between two requests for a package in which none was in flight, in ms. */
export interface WalkWait extends PackageRow {
  waited_ms: number;
}

/**
 * How long the walks of a run waited between their requests: for the limits of the account, before a retry,
 * for the turns of other packages, or for their own work.
 */
export const WALK_WAITS = query<WalkWait, RunId>(`
select account, package_id, sum(max(0, at_ms - free_at)) as waited_ms
from (
  select account, package_id, at_ms, max(at_ms + coalesce(duration_ms, 0)) over (
    partition by account, package_id order by at_ms, request_id
    rows between unbounded preceding and 1 preceding) as free_at
  from request
  where run_id = :run_id and package_id is not null)
where free_at is not null
group by account, package_id`);

/** A walk, with the name of its package. */
type WalkRow = { name: string | null; resumed: 0 | 1 } & Omit<
  typeof walk.$inferSelect,
  | 'resumed'
  | 'recognised'
  | 'checkpoint_id'
  | 'checkpoint_page'
  | 'page_size'
  | 'order_violated'
  | 'resumed_from_id'
  | 'unread_reason'
  | 'origin_started_at'
>;

/** The walks of a run. A quick walk that found nothing has no row. */
export const RUN_WALKS = query<WalkRow, RunId>(`
select walk_id, run_id, walk.account, walk.package_id, package.name, mode, status, pages, walk.totalcount,
  added, edited, unchanged, removed, restored, quarantined, unsettled, held_back,
  requests, resumed, started_at, finished_at, error
from walk
left join package on package.account = walk.account and package.package_id = walk.package_id
where run_id = :run_id
order by walk_id`);

/** Why a run is not complete: the kind of a failure, what walks found, or `error` of the run itself. */
export type CauseKind = FailureKind | 'incomplete' | 'quarantined' | 'held_back' | 'error';

/** What the failures and walks of a run have in common, in one account. */
export interface CauseRow {
  /** Null: of the run as a whole. */
  account: string | null;
  kind: CauseKind;
  /** Packages that it affects, also those that were not asked for, and one of them. */
  packages: number;
  package_id: number | null;
  /** The other streams that it affects, separated by commas; null: none. */
  streams: string | null;
  /** Records that could not be stored, or removals that are held back. */
  count: number;
}

/**
 * Why a run is not complete. What failed comes first, then what affects most packages; a stop by a person is
 * left out: the status of the run shows it.
 */
export const RUN_CAUSES = query<CauseRow, RunId>(`
with notable as (
  select account, package_id, status, quarantined, held_back from walk
  where run_id = :run_id and (status = 'partial' or quarantined > 0 or held_back > 0))
select account, kind, sum(packages) as packages, max(package_id) as package_id,
  group_concat(stream) as streams, sum(count) as count
from (
  select 1 as rank, account, kind, coalesce(skipped, package_id is not null) as packages, package_id,
    nullif(stream, 'videos') as stream, 0 as count
  from run_failure where run_id = :run_id and kind <> 'interrupted'
  union all
  select 2, account, 'incomplete', 1, package_id, null, 0 from notable where status = 'partial'
  union all
  select 3, account, 'quarantined', 1, package_id, null, quarantined from notable where quarantined > 0
  union all
  select 4, account, 'held_back', 1, package_id, null, held_back from notable where held_back > 0)
group by rank, account, kind
order by rank, kind = 'skipped', packages desc, account`);

/** What a run could not do, by package, storage or account. */
export const RUN_FAILURES = query<Omit<typeof runFailure.$inferSelect, 'run_id'>, RunId>(`
select account, package_id, stream, kind, message, skipped
from run_failure
where run_id = :run_id
order by account, stream, package_id`);

/**
 * The requests of a run for one purpose; `duration_ms`: of those with a response, from the first byte sent to
 * the last one received.
 */
export interface RequestCount {
  account: string;
  purpose: Purpose;
  requests: number;
  /** With a status below 400; the service reports some errors with it. */
  answered: number;
  /** With a status from 400 up. */
  error_status: number;
  /** Without a response. */
  unanswered: number;
  duration_ms: number;
  bytes: number;
}

/** The requests of a run by purpose, as far as the ledger still has them (`retention.requests_days`). */
export const RUN_REQUESTS = query<RequestCount, RunId>(`
select account, purpose, count(*) as requests, count(case when status < 400 then 1 end) as answered,
  count(case when status >= 400 then 1 end) as error_status, count(*) - count(status) as unanswered,
  coalesce(sum(case when status is not null then duration_ms end), 0) as duration_ms,
  coalesce(sum(bytes), 0) as bytes
from request
where run_id = :run_id
group by account, purpose
order by account, purpose`);

/**
 * Removals that still wait in packages in which a run held some back, with those that an earlier run held
 * back.
 */
export const RUN_HELD_BACK = query<Omit<HeldBackCount, 'since'> & { name: string | null }, RunId>(`
select w.account, w.package_id, package.name, max(c.held_by) as held_by, count(*) as removals,
  group_concat(distinct held_reason) as reasons
from walk w
join removal_candidate c on c.account = w.account and c.package_id = w.package_id and c.held_by <= w.walk_id
left join package on package.account = w.account and package.package_id = w.package_id
where w.run_id = :run_id and w.held_back > 0 and c.held_back = 1
group by w.walk_id
order by w.walk_id`);

type QuarantineRow = Pick<
  typeof quarantine.$inferSelect,
  'account' | 'stream' | 'package_id' | 'record_id' | 'reason' | 'seen_at' | 'resolved_at'
>;
/** The time of a run. Records and days have no run number, but only one run is made at a time. */
export interface Span {
  from: string;
  to: string;
}

/** Records that were put into quarantine during a run. */
export const RUN_QUARANTINE = query<QuarantineRow, Span & { limit: number }>(`
select account, stream, package_id, record_id, reason, seen_at, resolved_at
from quarantine
where seen_at between :from and :to
order by quarantine_id
limit :limit`);

/** Storage days that were booked during a run. */
export const BOOKED_DAYS = query<{ account: string; date: string }, Span>(`
select account, date
from storage_day
where state = 'booked' and observed_at between :from and :to
order by account, date`);

/** The most records in quarantine that are listed. */
const MAX_QUARANTINE = 1_000;
/**
 * Later than any time. It is no number, because the columns have numeric affinity and would compare it as
 * one.
 */
const END_OF_TIME = '9999-12-31';

/** One run in full. */
export type RunDetails = NonNullable<ReturnType<typeof readRun>>;

/** Reads one run in full; null where there is no such run. */
export function readRun(db: Db, runId: number) {
  return readSnapshot(db, () => {
    const id = { run_id: runId };
    const [run] = readRuns(db, 1, runId + 1);
    if (run?.run_id !== runId) return null;
    const span: Span = { from: run.started_at, to: run.finished_at ?? END_OF_TIME };
    return {
      run,
      walks: withShownStatus(db, RUN_WALKS.all(db, id)).map((row) => ({
        ...row,
        resumed: row.resumed === 1,
      })),
      failures: RUN_FAILURES.all(db, id),
      requests: RUN_REQUESTS.all(db, id),
      held_back: RUN_HELD_BACK.all(db, id).map((row) => ({
        ...row,
        reasons: listReasons(row.reasons),
      })),
      quarantine: RUN_QUARANTINE.all(db, { ...span, limit: MAX_QUARANTINE }),
      booked: BOOKED_DAYS.all(db, span),
    };
  });
}
