/** Packages, held-back removals, quarantine, drift, the budget and runs. */
import type { pause, run } from '../../database/schema/runs.ts';
import type { Mode, Status, WalkChange } from '../../database/schema/values.ts';
import type { drift, packageTable, quarantine } from '../../database/schema/videos.ts';
import { query } from '../../database/query.ts';
import type { PackageRow } from '../../lib/package-key.ts';

/** A package that the config names, or once named. */
export interface PackageStatus extends PackageRow {
  name: string | null;
  /** Its own schedule of full walks; null for that of all. */
  schedule: string | null;
  live_count: number;
  totalcount: number | null;
  page_size: number | null;
  walked_at: string | null;
  compared_at: string | null;
  order: 'trusted' | 'untrusted' | null;
  /** The status of its last full walk, and why that failed. */
  last_walk: Status | null;
  last_error: string | null;
}

const PACKAGE_COLUMNS = `package.account, package.package_id, package.name, package.schedule, package.live_count, package.totalcount, package.page_size,
  package.walked_at, package.compared_at, package."order", walk.status as last_walk, walk.error as last_error`;

const LAST_WALK = `left join walk on walk.walk_id = (
  select walk_id from walk
  where walk.account = package.account and walk.package_id = package.package_id and mode = 'full'
  order by walk_id desc limit 1)`;

/**
 * The packages and their last full walk. Those that the config names. `walked_at` is the end of the last walk that read
 * every page.
 */
export const PACKAGES = query<PackageStatus>(`
select ${PACKAGE_COLUMNS}
from package
${LAST_WALK}
where package.retired_at is null
order by package.account, package.package_id`);

/** One package. Also one that the config no longer names (since `retired_at`). */
export const PACKAGE = query<
  PackageStatus & Pick<typeof packageTable.$inferSelect, 'retired_at' | 'last_count' | 'changed_seq'>,
  PackageRow
>(`
select ${PACKAGE_COLUMNS}, package.retired_at, package.last_count, package.changed_seq
from package
${LAST_WALK}
where package.account = :account and package.package_id = :package_id`);

export interface HeldBackCount extends PackageRow {
  removals: number;
  /** When the first of them was held back. */
  since: string;
  /** The last walk that held some of them back. */
  held_by: number;
  /** Some of HELD_REASONS, separated by commas, in any order. */
  reasons: string;
}

/**
 * Held-back removals. By package: since when, by which walk, and why (`many`, `all`, `order`: see removal_candidate in
 * contributing/live-file.md).
 */
export const HELD_BACK_COUNTS = query<HeldBackCount>(`
select account, package_id, count(*) as removals, min(held_at) as since,
  max(held_by) as held_by, group_concat(distinct held_reason) as reasons
from removal_candidate
where held_back = 1
group by account, package_id`);

/** Examples of held-back removals in one package. */
export const HELD_BACK_EXAMPLES = query<
  { id: number; title: string | null },
  PackageRow & { limit: number }
>(`
select video.id, video.title
from removal_candidate
join video using (account, package_id, id)
where held_back = 1 and account = :account and package_id = :package_id
order by id
limit :limit`);

type QuarantineRow = typeof quarantine.$inferSelect;

/** Records in quarantine. Records that could not be stored, and were not stored since. */
export const QUARANTINE_COUNTS = query<Pick<QuarantineRow, 'account' | 'stream'> & { open: number }>(`
select account, stream, count(*) as open
from quarantine
where resolved_at is null
group by account, stream`);

/** Examples of records in quarantine. Oldest first. The column `raw` has the record as it was received. */
export const QUARANTINE_EXAMPLES = query<
  Pick<QuarantineRow, 'package_id' | 'record_id' | 'reason' | 'seen_at'>,
  { account: string; stream: 'videos' | 'storage'; limit: number }
>(`
select package_id, record_id, reason, seen_at
from quarantine
where account = :account and stream = :stream and resolved_at is null
order by quarantine_id
limit :limit`);

/**
 * Drift: where the responses of the service differ from their description. Without what is gone since three whole walks.
 * What is not acknowledged needs attention.
 */
export const DRIFT = query<typeof drift.$inferSelect>(`
select account, stream, field, kind, sample, first_seen_at, last_seen_at, package_id, absent_walks, absent_at,
  acknowledged_at, resolved_at
from drift
where resolved_at is null
order by first_seen_at desc, account, stream, field, kind`);

type PauseStatus = Omit<typeof pause.$inferSelect, 'consecutive_restrictions'>;

/**
 * Is the account restricted? A row while a pause is in force (`until`), or while the rate rises again (until
 * `full_rate_at`).
 */
export const PAUSE = query<PauseStatus, { account: string; at: string }>(`
select account, until, reason, since, full_rate_at
from pause
where account = :account and full_rate_at > :at`);

/**
 * Requests in the windows that end now. A request counts until one window after its response, or after its deadline if none
 * came. `:now_ms`: milliseconds since 1970.
 */
export const SPENT_REQUESTS = query<
  { second: number; minute: number; day: number },
  { account: string; now_ms: number }
>(`
select count(case when spent_until_ms > :now_ms - 1000 then 1 end) as second,
  count(case when spent_until_ms > :now_ms - 60000 then 1 end) as minute,
  count(*) as day
from request
where account = :account and spent_until_ms > :now_ms - 86400000`);

/** A run, and what its walks did. */
export type RunRow = typeof run.$inferSelect &
  Record<'walks' | 'failed_walks', number> &
  Record<WalkChange | 'quarantined', number>;

/** Selects runs with the totals of their walks, the newest first. */
export const selectRuns = (where = '') => `
select last.*, count(walk_id) as walks, count(case when walk.status = 'failed' then 1 end) as failed_walks,
  coalesce(sum(inserted), 0) as added, coalesce(sum(updated), 0) as edited, coalesce(sum(removed), 0) as removed,
  coalesce(sum(restored), 0) as restored, coalesce(sum(quarantined), 0) as quarantined
from (
  select run_id, trigger, mode, status, started_at, finished_at, requests, error, scope, resume_at, origin_started_at,
    clock_offset_ms
  from run${where === '' ? '' : `\n  where ${where}`}
  order by run_id desc
  limit :limit) as last
left join walk on walk.run_id = last.run_id
group by last.run_id
order by last.run_id desc`;

/** The last runs and their changes. A quick walk that found nothing is not stored. */
export const RUNS = query<RunRow, { limit: number }>(selectRuns());

/** A walk in progress. */
export interface RunningWalk extends PackageRow {
  walk_id: number;
  run_id: number;
  name: string | null;
  mode: Mode;
  started_at: string;
  /** Pages stored by this walk. */
  pages: number;
  totalcount: number | null;
  page_size: number | null;
  /** The page that it stored last; counts down to 1. */
  checkpoint_page: number | null;
}

/** The walks in progress. A walk reads from its last page to the first; `checkpoint_page` is the page it stored last. */
export const RUNNING_WALKS = query<RunningWalk>(`
select walk_id, run_id, walk.account, walk.package_id, package.name, mode, started_at, pages, walk.totalcount,
  walk.page_size, checkpoint_page
from walk
left join package on package.account = walk.account and package.package_id = walk.package_id
where status = 'running'
order by walk_id`);

/** How many packages has a run walked? Includes those of the runs that it resumes: `:origin` is its `origin_started_at`. */
export const WALKED_PACKAGES = query<{ walked: number }, { run_id: number; origin: string | null }>(`
select count(distinct walk.account || '/' || package_id) as walked
from walk
join run using (run_id)
where run_id between :run_id - 100 and :run_id
  and (run_id = :run_id or coalesce(run.origin_started_at, run.started_at) = :origin)
  and walk.status in ('succeeded', 'partial', 'failed')`);
