/** How things stand: packages, what is held back, in quarantine or adrift, and the budget. */
import type { Mode, Status } from '../../database/schema/runs.ts';
import type { DriftKind } from '../../database/schema/videos.ts';
import { query } from '../../database/query.ts';

/** A package that the config names, or named when it was last run. */
export interface PackageStatus {
  account: string;
  package_id: number;
  name: string | null;
  live_count: number;
  totalcount: number | null;
  page_size: number | null;
  walked_at: string | null;
  looked_at: string | null;
  order: 'trusted' | 'untrusted' | null;
  /** How its last full walk stands or ended, and why not well. */
  last_walk: Status | null;
  last_error: string | null;
}

const PACKAGE_COLUMNS = `package.account, package.package_id, package.name, package.live_count, package.totalcount, package.page_size,
  package.walked_at, package.looked_at, package."order", walk.status as last_walk, walk.error as last_error`;

const LAST_WALK = `left join walk on walk.walk_id = (
  select walk_id from walk
  where walk.account = package.account and walk.package_id = package.package_id and mode = 'full'
  order by walk_id desc limit 1)`;

export const PACKAGES = query<PackageStatus>(
  'The packages, and how their last full walk ended',
  'Those that the config names; how fresh each is, is `walked_at`: the end of the last walk that read every page.',
  `
select ${PACKAGE_COLUMNS}
from package
${LAST_WALK}
where package.retired_at is null
order by package.account, package.package_id`,
);

export const PACKAGE = query<
  PackageStatus & { retired_at: string | null },
  { account: string; package_id: number }
>(
  'One package',
  'Also one that is no longer in the config: since `retired_at`.',
  `
select ${PACKAGE_COLUMNS}, package.retired_at
from package
${LAST_WALK}
where package.account = :account and package.package_id = :package_id`,
);

export interface HeldBackCount {
  account: string;
  package_id: number;
  removals: number;
  /** The moment the first of them was held back. */
  since: string;
  /** The last of the walks that held them back; null where all are from before that was noted. */
  held_by: number | null;
  /** Words of HELD_REASONS, by commas, in any order; null as above. */
  reasons: string | null;
}

export const HELD_BACK = query<HeldBackCount>(
  'Removals that are held back',
  'By package: since when, by which walk, and why (`many`, `all`, `order`: see removal_candidate in warehouse.md).',
  `
select account, package_id, count(*) as removals, min(coalesce(held_at, proved_at)) as since,
  max(held_by) as held_by, group_concat(distinct held_reason) as reasons
from removal_candidate
where held_back = 1
group by account, package_id`,
);

export const HELD_BACK_EXAMPLES = query<
  { id: number; title: string | null },
  { account: string; package_id: number; limit: number }
>(
  'The first few of them in one package',
  '',
  `
select video.id, video.title
from removal_candidate
join video using (account, package_id, id)
where held_back = 1 and account = :account and package_id = :package_id
order by id
limit :limit`,
);

export interface QuarantineCount {
  account: string;
  stream: 'videos' | 'storage';
  open: number;
}

export const QUARANTINE = query<QuarantineCount>(
  'Records in quarantine',
  'That could not be stored, and have not come well since.',
  `
select account, stream, count(*) as open
from quarantine
where resolved_at is null
group by account, stream`,
);

export interface QuarantineExample {
  package_id: number | null;
  record_id: string | null;
  reason: string;
  seen_at: string;
}

export const QUARANTINE_EXAMPLES = query<
  QuarantineExample,
  { account: string; stream: 'videos' | 'storage'; limit: number }
>(
  'The records longest in quarantine',
  'The record as it came is in the column `raw`.',
  `
select package_id, record_id, reason, seen_at
from quarantine
where account = :account and stream = :stream and resolved_at is null
order by quarantine_id
limit :limit`,
);

export interface DriftRow {
  account: string;
  stream: 'videos' | 'storage';
  field: string;
  kind: DriftKind;
  sample: string | null;
  first_seen_at: string;
  last_seen_at: string;
}

export const DRIFT = query<DriftRow>(
  'Where the answers of the service differ from their description',
  '',
  `
select account, stream, field, kind, sample, first_seen_at, last_seen_at
from drift
order by first_seen_at desc, account, stream, field, kind`,
);

export interface PauseRow {
  account: string;
  until: string;
  reason: string;
  since: string;
  full_rate_at: string;
}

export const PAUSE = query<PauseRow, { account: string; at: string }>(
  'Is the account restricted?',
  'A row while a pause is in force (`until`), or the full rate is still coming back (`full_rate_at`).',
  `
select account, until, reason, since, full_rate_at
from pause
where account = :account and full_rate_at > :at`,
);

export const SPENT_REQUESTS = query<
  { second: number; minute: number; day: number },
  { account: string; now_ms: number }
>(
  'Requests spent in the windows that end now',
  'A request counts from its answer, or where none came from its deadline, until one window later. `:now_ms` in milliseconds since 1970.',
  `
select count(case when spent_until_ms > :now_ms - 1000 then 1 end) as second,
  count(case when spent_until_ms > :now_ms - 60000 then 1 end) as minute,
  count(*) as day
from request
where account = :account and spent_until_ms > :now_ms - 86400000`,
);

/** A run, and what its walks did. */
export interface RunRow {
  run_id: number;
  trigger: 'schedule' | 'catch_up' | 'manual';
  mode: Mode;
  status: Status;
  started_at: string;
  finished_at: string | null;
  requests: number;
  error: string | null;
  scope: string | null;
  resume_at: string | null;
  origin_started_at: string | null;
  /** How far the service's clock was ahead of the machine's (negative: behind); NULL where they agreed. */
  clock_offset_ms: number | null;
  walks: number;
  failed_walks: number;
  inserted: number;
  updated: number;
  removed: number;
  restored: number;
  quarantined: number;
}

export const RUNS = query<RunRow, { limit: number }>(
  'The last runs, and what they did',
  'A quick look at a package that found nothing leaves no walk.',
  `
select last.*, count(walk_id) as walks, count(case when walk.status = 'failed' then 1 end) as failed_walks,
  coalesce(sum(inserted), 0) as inserted, coalesce(sum(updated), 0) as updated, coalesce(sum(removed), 0) as removed,
  coalesce(sum(restored), 0) as restored, coalesce(sum(quarantined), 0) as quarantined
from (
  select run_id, trigger, mode, status, started_at, finished_at, requests, error, scope, resume_at, origin_started_at,
    clock_offset_ms
  from run
  order by run_id desc
  limit :limit) as last
left join walk on walk.run_id = last.run_id
group by last.run_id
order by last.run_id desc`,
);

/** A walk under way. */
export interface RunningWalk {
  walk_id: number;
  run_id: number;
  account: string;
  package_id: number;
  name: string | null;
  mode: Mode;
  started_at: string;
  /** Pages stored by this walk. */
  pages: number;
  totalcount: number | null;
  page_size: number | null;
  /** The page that it stored last; it counts down to 1. */
  checkpoint_page: number | null;
}

export const RUNNING_WALKS = query<RunningWalk>(
  'The walks under way',
  'A walk reads its pages from the last to the first: `checkpoint_page` is where it is.',
  `
select walk_id, run_id, walk.account, walk.package_id, package.name, mode, started_at, pages, walk.totalcount,
  walk.page_size, checkpoint_page
from walk
left join package on package.account = walk.account and package.package_id = walk.package_id
where status = 'running'
order by walk_id`,
);

export const RUN_DONE = query<{ walked: number }, { run_id: number; origin: string | null }>(
  'How many packages has a run walked?',
  'With those of the runs that it goes on from: `:origin` is its `origin_started_at`.',
  `
select count(distinct walk.account || '/' || package_id) as walked
from walk
join run using (run_id)
where run_id between :run_id - 100 and :run_id
  and (run_id = :run_id or coalesce(run.origin_started_at, run.started_at) = :origin)
  and walk.status in ('succeeded', 'partial', 'failed')`,
);
