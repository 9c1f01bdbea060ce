/** The packages of the live file: their state, their changes, and what their videos add up to. */
import type { Db } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import type { Status } from '../../database/schema/values.ts';
import type { packageTable } from '../../database/schema/videos.ts';
import type { PackageRow } from '../../sync/package-key.ts';
import { getShownStatus } from './shown-status.ts';

type Package = typeof packageTable.$inferSelect;

/** A package that the config names, or once named. `schedule`: null where it has none of its own. */
export interface PackageStatus
  extends
    Pick<Package, 'account' | 'package_id' | 'name' | 'schedule' | 'live_count'>,
    Pick<Package, 'totalcount' | 'page_size' | 'walked_at' | 'order'> {
  /** The status of its last full walk, and why that failed. */
  last_walk: Status | null;
  last_error: string | null;
}

const PACKAGE_COLUMNS = `package.account, package.package_id, package.name, package.schedule,
  package.live_count, package.totalcount, package.page_size, package.walked_at, package."order",
  walk.status as last_walk, walk.error as last_error`;

const LAST_WALK = `left join walk on walk.walk_id = (
  select walk_id from walk
  where walk.account = package.account and walk.package_id = package.package_id and mode = 'full'
  order by walk_id desc limit 1)`;

/** The packages that the config names. `walked_at` is the end of the last walk that read every page. */
export const PACKAGES = query<PackageStatus>(`
select ${PACKAGE_COLUMNS}
from package
${LAST_WALK}
where package.retired_at is null
order by package.account, package.package_id`);

/** Reads `PACKAGES` with the status of the last walk that is shown to readers. */
export function readPackages(db: Db): PackageStatus[] {
  return PACKAGES.all(db).map((row) => ({ ...row, last_walk: getShownStatus(db, row.last_walk) }));
}

export type StoredPackage = PackageStatus & Pick<Package, 'retired_at' | 'last_count' | 'changed_seq'>;

/** One package, also one that the config no longer names (since `retired_at`). */
export const PACKAGE = query<StoredPackage, PackageRow>(`
select ${PACKAGE_COLUMNS}, package.retired_at, package.last_count, package.changed_seq
from package
${LAST_WALK}
where package.account = :account and package.package_id = :package_id`);

export type LastChange = Pick<Package, 'account' | 'package_id' | 'changed_seq'>;

/** The change of the file with which the videos of each package of the config last changed; 0: never. */
export const PACKAGE_CHANGES = query<LastChange>(`
select account, package_id, changed_seq
from package
where retired_at is null`);

/**
 * Sums of the videos of a package; `duration` is in the unit of the service. They are rounded beyond 2^53.
 */
export interface PackageTotals {
  size_bytes: number;
  duration: number;
  /** Videos that were added or came back since `:since`. */
  added: number;
  /** Videos that left since `:since`, also with their package where that has come back. */
  removed: number;
}

const OF_PACKAGE = 'account = :account and package_id = :package_id';

/** Reads all states of the package. A video of unknown size or length counts as 0. */
export const PACKAGE_TOTALS = query<PackageTotals, PackageRow & { since: string }>(`
select total(filesize) as size_bytes, total(duration) as duration,
  coalesce(sum(change in ('added', 'restored', 'returned') and changed_at >= :since), 0) as added,
  coalesce(sum(change in ('removed', 'retired') and changed_at >= :since), 0) as removed
from (
  select iif(removed_at is null, filesize, 0) as filesize,
    iif(removed_at is null, max(0, duration), 0) as duration, change, changed_at
  from video where ${OF_PACKAGE}
  union all
  select 0, 0, change, changed_at from video_version where ${OF_PACKAGE})`);

/** By how much a package grew in a minute; negative: it shrank. */
export interface Growth {
  /** `YYYY-MM-DD HH:MM` UTC */
  minute: string;
  videos: number;
  size_bytes: number;
}

/**
 * A state that is not removed adds its video when it begins, and subtracts it when it ends: as
 * `package_daily` is published.
 */
export const PACKAGE_GROWTH = query<Growth, PackageRow>(`
select minute, sum(videos) as videos, total(size_bytes) as size_bytes
from (
  select substr(changed_at, 1, 16) as minute, 1 as videos, filesize as size_bytes
  from video where ${OF_PACKAGE} and removed_at is null
  union all
  select substr(changed_at, 1, 16), 1, filesize from video_version where ${OF_PACKAGE} and removed_at is null
  union all
  select substr(valid_to, 1, 16), -1, -filesize from video_version where ${OF_PACKAGE} and removed_at is null)
group by minute
order by minute`);

/** How many video records of each package could not be stored, and were not stored since. */
export const QUARANTINE_BY_PACKAGE = query<PackageRow & { open: number }>(`
select account, package_id, count(*) as open
from quarantine
where stream = 'videos' and package_id is not null and resolved_at is null
group by account, package_id`);
