/** What failed: packages, storage and whole runs, and the booked days that the service changed. */
import { query } from '../../database/query.ts';
import type { FailureKind, runFailure } from '../../database/schema/runs.ts';
import type { storageDiscrepancy } from '../../database/schema/storage.ts';
import type { PackageRow } from '../../sync/package-key.ts';
import { ACCOUNT_STREAMS, type AccountStream } from '../../sync/streams.ts';

/** A package whose last finished full walk failed. */
export interface FailedWalk extends PackageRow {
  walk_id: number;
  kind: FailureKind;
  error: string;
  /** The end of the first of the failures in a row, and their number. */
  since: string;
  failures: number;
}

const ERROR = "coalesce(w.error, 'no error was stored') as error";

/** The SQL of the last full walks of the package `p` that ended with one of these statuses. */
export const lastWalks = (statuses: string, most: number) => `select x.walk_id from walk x
    where x.account = p.account and x.package_id = p.package_id
      and x.mode = 'full' and x.status in (${statuses})
    order by x.walk_id desc limit ${most}`;

const lastWalk = (statuses: string) => lastWalks(statuses, 1);

/** Packages whose last full walk failed. An interrupted or parked walk does not count. */
export const FAILED_WALKS = query<FailedWalk>(`
with last as (
  select p.account, p.package_id,
    (${lastWalk(`'succeeded', 'partial', 'failed'`)}) as walk_id,
    coalesce((${lastWalk(`'succeeded', 'partial'`)}), 0) as good_id
  from package p where p.retired_at is null and p.failed_walks > 0
)
select l.account, l.package_id, l.walk_id, ${ERROR}, min(f.finished_at) as since, count(*) as failures,
  coalesce((
    select kind from run_failure x
    where x.run_id = w.run_id and x.account = l.account and x.package_id = l.package_id), 'unknown') as kind
from last l
join walk w on w.walk_id = l.walk_id and w.status = 'failed'
join walk f on f.account = l.account and f.package_id = l.package_id and f.walk_id > l.good_id
  and f.mode = 'full' and f.status = 'failed'
group by l.account, l.package_id`);

/** A package whose last finished full walk did not read every page. */
export type PartialWalk = Omit<FailedWalk, 'kind' | 'failures'>;

/** Packages whose last full walk is incomplete. An interrupted or parked walk does not count. */
export const PARTIAL_WALKS = query<PartialWalk>(`
with last as (
  select p.account, p.package_id, (${lastWalk(`'succeeded', 'partial', 'failed'`)}) as walk_id
  from package p where p.retired_at is null
)
select p.account, p.package_id, p.walk_id, ${ERROR},
  (select min(f.finished_at) from walk f
    where f.account = p.account and f.package_id = p.package_id and f.mode = 'full' and f.status = 'partial'
      and f.walk_id > coalesce((${lastWalk(`'succeeded', 'failed'`)}), 0)) as since
from last p
join walk w on w.walk_id = p.walk_id and w.status = 'partial'`);

/**
 * The runs over everything that ended. One that was interrupted or parked has not done all that it should.
 */
const ENDED_RUNS = "select * from run where scope is null and status in ('succeeded', 'partial', 'failed')";

export interface FailedRun {
  run_id: number;
  error: string | null;
  /** End of the first of the failures in a row. */
  since: string;
  /** 1 if full walks failed in it, or only streams that accounts have once: those are problems themselves. */
  is_explained: 0 | 1;
}

/** The last run over everything, if it failed. */
export const FAILED_RUN = query<FailedRun>(`
with ended as (${ENDED_RUNS}),
last as (select * from ended order by run_id desc limit 1),
good as (select run_id from ended where status <> 'failed' order by run_id desc limit 1)
select last.run_id, last.error,
  (select min(finished_at) from ended where run_id > coalesce((select run_id from good), 0)) as since,
  exists (select 1 from walk w where w.run_id = last.run_id and w.mode = 'full' and w.status = 'failed')
    or (
      select coalesce(min(coalesce(f.stream in ('${ACCOUNT_STREAMS.join("', '")}'), 0)), 0)
      from run_failure f where f.run_id = last.run_id) as is_explained
from last where last.status = 'failed'`);

/** One thing that a run over everything could not do. What only had to wait is left out. */
export type LastFailure = Omit<typeof runFailure.$inferSelect, 'skipped'> &
  Record<'started_at' | 'finished_at', string>;

/**
 * What failed in the last run over everything, and before it in the last full one. `kind` is `skipped` where
 * the run gave the account up.
 */
export const LAST_FAILURES = query<LastFailure>(`
with ended as (${ENDED_RUNS}),
last as (
  select * from ended
  where run_id in ((select max(run_id) from ended), (select max(run_id) from ended where mode = 'full')))
select f.account, l.run_id, l.started_at, l.finished_at, f.package_id, f.stream, f.kind, f.message
from last l join run_failure f using (run_id)
where f.kind not in ('parked', 'preempted', 'interrupted', 'clock')
order by l.run_id desc, f.account, f.package_id`);

/**
 * The failed readings of a stream that the account has once, the newest first: in the last 50 runs over
 * everything, since one of these succeeded, and since `:read_at`. One that was skipped or parked does not
 * count.
 */
export const STREAM_FAILURES = query<
  { kind: FailureKind; message: string; finished_at: string },
  { account: string; stream: AccountStream; read_at: string }
>(`
with recent as (${ENDED_RUNS} order by run_id desc limit 50)
select f.kind, f.message, r.finished_at
from recent r
join run_failure f on f.run_id = r.run_id and f.account = :account and f.stream = :stream
  and f.kind not in ('parked', 'skipped', 'preempted', 'interrupted')
where r.run_id > coalesce((select max(run_id) from recent where status = 'succeeded'), 0)
  and r.started_at > :read_at
order by r.run_id desc`);

/**
 * Figures of booked days that the service now reports differently, with the newest one that it reported, and
 * since when it differs.
 */
export const DIFFERENCES = query<
  { since: string } & Pick<typeof storageDiscrepancy.$inferSelect, 'date' | 'field' | 'booked' | 'observed'>,
  { account: string }
>(`
select date, field, booked, observed, since from (
  select date, field, booked, observed, min(observed_at) over (partition by date, field) as since,
    row_number() over (partition by date, field order by discrepancy_id desc) as newest
  from storage_discrepancy
  where account = :account and resolved_at is null)
where newest = 1
order by date, field`);

/** Past days, from `:since` on, that the service has not served yet, or not completely. */
export const OPEN_GAPS = query<{ date: string; since: string }, { account: string; since: string }>(`
select date, first_missed_at as since
from storage_gap
where account = :account and date >= :since and given_up_at is null and reason <> 'unconfirmed'
order by date`);
