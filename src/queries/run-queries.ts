/** The runs of a live file for `vodhouse runs`: the list, and one run in full. Read over a connection that cannot write. */
import { openReadOnly, type Db } from '../database/connection.ts';
import { isHeld } from '../database/lock.ts';
import { query } from '../database/query.ts';
import { KILLED, type runFailure, type walk } from '../database/schema/runs.ts';
import { HELD_REASONS, type HeldReason, type quarantine } from '../database/schema/videos.ts';
import { readSnapshot } from '../database/transaction.ts';
import type { Purpose } from '../lib/request-budget.ts';
import { selectRuns, type RunRow } from './named/status.ts';

type RunId = { run_id: number };

/** Whether no process makes a run now: what has the status `running` was killed then. */
type AnyKilled = { is_idle: 0 | 1 };

/** In all, something was not done or needs attention; a run that a person stopped is none of them. */
const NOT_DONE = `(status in ('failed', 'partial') or (status = 'interrupted' and error = '${KILLED}')
  or (status = 'running' and :is_idle = 1))`;

const RUNS = query<RunRow, { limit: number }>(selectRuns());
const FAILED_RUNS = query<RunRow, { limit: number } & AnyKilled>(selectRuns(NOT_DONE));
const RUN = query<RunRow, RunId & { limit: 1 }>(selectRuns('run_id = :run_id'));

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

const WALKS = query<WalkRow, RunId>(`
select walk_id, run_id, walk.account, walk.package_id, package.name, mode, status, pages, walk.totalcount, inserted,
  updated, unchanged, removed, restored, quarantined, unsettled, held_back, requests, resumed, started_at, finished_at,
  error
from walk
left join package on package.account = walk.account and package.package_id = walk.package_id
where run_id = :run_id
order by walk_id`);

const FAILURES = query<Omit<typeof runFailure.$inferSelect, 'run_id'>, RunId>(`
select account, package_id, stream, kind, message
from run_failure
where run_id = :run_id
order by account, stream, package_id`);

/** The requests of a run for one purpose; `duration_ms`: from the first byte sent to the last one received, in total. */
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

const REQUESTS = query<RequestCount, RunId>(`
select account, purpose, count(*) as requests, count(case when status < 400 then 1 end) as answered,
  count(case when status >= 400 then 1 end) as error_status, count(*) - count(status) as unanswered,
  coalesce(sum(duration_ms), 0) as duration_ms, coalesce(sum(bytes), 0) as bytes
from request
where run_id = :run_id
group by account, purpose
order by account, purpose`);

interface HeldRow {
  account: string;
  package_id: number;
  held_by: number;
  removals: number;
  reasons: string | null;
}

/** Removals that the walks of a run held back, and that still wait. */
export type HeldByRun = Omit<HeldRow, 'reasons'> & { reasons: HeldReason[] };

const HELD_BACK = query<HeldRow, RunId>(`
select w.account, w.package_id, w.walk_id as held_by, count(*) as removals, group_concat(distinct held_reason) as reasons
from walk w
join removal_candidate c on c.account = w.account and c.package_id = w.package_id and c.held_by = w.walk_id
where w.run_id = :run_id and w.held_back > 0 and c.held_back = 1
group by w.walk_id
order by w.walk_id`);

type QuarantineRow = Pick<
  typeof quarantine.$inferSelect,
  'account' | 'stream' | 'package_id' | 'record_id' | 'reason' | 'seen_at' | 'resolved_at'
>;
/** The time of a run; records and days have no run number, and only one run is made at a time. */
interface Span {
  from: string;
  to: string;
}

const QUARANTINE = query<QuarantineRow, Span & { limit: number }>(`
select account, stream, package_id, record_id, reason, seen_at, resolved_at
from quarantine
where seen_at between :from and :to
order by quarantine_id
limit :limit`);

const BOOKED_DAYS = query<{ account: string; date: string }, Span>(`
select account, date
from storage_day
where state = 'booked' and observed_at between :from and :to
order by account, date`);

/** The most records in quarantine that are listed. */
const MAX_QUARANTINE = 1_000;
const END_OF_TIME = '9999-12-31'; // a number would compare as one: these columns have numeric affinity

/** One run in full. */
export type RunDetails = NonNullable<ReturnType<typeof readRun>>;

/** Opens the live file at `path`. Throws as `openReadOnly`. */
export function openRunQueries(path: string) {
  const db = openReadOnly(path);
  const isIdle = () => (isHeld(path, 'run') ? 0 : 1);
  return {
    /** The newest runs first; `isFailedOnly`: those that are `failed` or `partial`, or were killed. */
    list: (limit: number, isFailedOnly: boolean) =>
      isFailedOnly ? FAILED_RUNS.all(db, { limit, is_idle: isIdle() }) : RUNS.all(db, { limit }),
    count: () => COUNTS.one(db, { is_idle: isIdle() }),
    /** Null where there is no such run. */
    find: (runId: number) => readSnapshot(db, () => readRun(db, runId)),
    /** Whether a process makes a run now: a killed run keeps the status `running`. */
    isRunning: () => isHeld(path, 'run'),
    close: (): void => void db.$client.close(),
  };
}

function readRun(db: Db, run_id: number) {
  const found = RUN.get(db, { run_id, limit: 1 });
  if (!found) return null;
  const span: Span = { from: found.started_at, to: found.finished_at ?? END_OF_TIME };
  return {
    run: found,
    walks: WALKS.all(db, { run_id }).map(({ resumed, ...row }) => ({ ...row, resumed: resumed === 1 })),
    failures: FAILURES.all(db, { run_id }),
    requests: REQUESTS.all(db, { run_id }),
    held_back: HELD_BACK.all(db, { run_id }).map((row): HeldByRun => ({
      ...row,
      reasons: HELD_REASONS.filter((reason) => row.reasons?.split(',').includes(reason)),
    })),
    quarantine: QUARANTINE.all(db, { ...span, limit: MAX_QUARANTINE }),
    booked: BOOKED_DAYS.all(db, span),
  };
}
