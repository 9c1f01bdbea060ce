/** What changed today: the one definition of the pages, and that of `package_daily` in the published file. */
import { query } from '../../database/query.ts';
import type { PackageRow } from '../../lib/package-key.ts';

export interface VideoChanges extends PackageRow {
  /** Videos that were new or restored; null on the day of its first full walk, and before it. */
  added: number | null;
  removed: number;
  /** Videos of its first import: they are not added. */
  first_seen: number;
}

/**
 * What came and went today. By package, since `:at`: the start of the day of the service, in UTC. New and restored videos
 * are those of the walks that began since; a removal counts from the time of its proof. Until the day of its first full walk
 * the videos of a package are first seen, not added. `:position` is the last row of `video_version` before `:at`.
 */
export const VIDEO_CHANGES = query<VideoChanges, { at: string; position: number }>(`
with came as (
  select account, package_id, sum(inserted) as inserted, sum(restored) as restored
  from walk
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
  iif(first_walked_at < :at, coalesce(inserted, 0) + coalesce(restored, 0), null) as added,
  coalesce(removed, 0) as removed,
  iif(first_walked_at < :at, 0, coalesce(inserted, 0)) as first_seen
from package
left join came on came.account = package.account and came.package_id = package.package_id
left join went on went.account = package.account and went.package_id = package.package_id
where retired_at is null`);
