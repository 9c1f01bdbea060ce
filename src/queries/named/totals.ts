/** What changed today, on all pages. */
import { query } from '../../database/query.ts';
import type { PackageRow } from '../../lib/package-key.ts';

export interface VideoChanges extends PackageRow {
  /** Videos that were new, or came back; null before the end of its first full walk. */
  added: number | null;
  /** Also those that left with their package, which has come back. */
  removed: number;
  /** Videos of its first import: they are not added. */
  imported: number;
}

/** The walk ended after the first one, or has not ended yet. */
const IS_LATER = "first_walked_at < coalesce(finished_at, '9999-12-31 23:59:59')";

/**
 * What came and went today. By package, since `:at`: the start of the day of the service, in UTC. New and restored videos
 * are those of the walks that began since. Until its first full walk has ended, the videos of a package are imported, not added.
 * `:position` is the last row of `video_version` before `:at`.
 */
export const VIDEO_CHANGES = query<VideoChanges, { at: string; position: number }>(`
with came as (
  select account, package_id, sum(restored) + coalesce(sum(inserted) filter (where ${IS_LATER}), 0) as added,
    coalesce(sum(inserted) filter (where ${IS_LATER} is not true), 0) as imported
  from walk
  join package using (account, package_id)
  where walk_id > coalesce((select walk_id from walk where started_at < :at order by walk_id desc limit 1), 0)
  group by account, package_id),
went as (
  select account, package_id, count(*) as removed
  from (
    select account, package_id from video where removed_at >= :at
    union all
    select account, package_id from video_version where rowid > :position and removed_at >= :at)
  group by account, package_id)
select package.account, package.package_id,
  iif(first_walked_at is null, null, coalesce(added, 0)) as added,
  coalesce(removed, 0) as removed,
  coalesce(imported, 0) as imported
from package
left join came on came.account = package.account and came.package_id = package.package_id
left join went on went.account = package.account and went.package_id = package.package_id
where retired_at is null`);
