/** To which package do these ids belong? `ids` is a JSON array. */
import { query } from '../../database/query.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import type { VideoState } from './video.ts';

type Ids = PackageKey & { ids: string };

/** Which of these ids have a row in the package. Each id is looked up by itself: a cross join keeps its order. */
export const findRows = query<VideoState, Ids>(
  `select v.id, v.removed_at is null as isLive from json_each(:ids) as asked
    cross join video v
    where v.account = :account and v.package_id = :packageId and v.id = asked.value`,
).all;

/** How many live rows a package has, and how its list was ordered in the last full walk. */
export interface PackageSize {
  live: number;
  order: 'trusted' | 'untrusted' | null;
}

export const findSize = query<PackageSize, PackageKey>(
  'select live_count as live, "order" from package where account = :account and package_id = :packageId',
).get;

/**
 * The other package of the account in which most of these ids are live. Looks up every id in every package: call it
 * for a few ids, and only of a doubtful page.
 */
export const findOtherPackage = query<{ packageId: number; totalcount: number | null; found: number }, Ids>(
  `select p.package_id as packageId, p.totalcount, count(*) as found from package p
    cross join json_each(:ids) as asked
    cross join video v
    where p.account = :account and p.package_id <> :packageId and p.live_count > 0
      and v.account = p.account and v.package_id = p.package_id and v.id = asked.value and v.removed_at is null
    group by p.package_id order by count(*) desc limit 1`,
).get;

/** Hashes of the known pages of packages whose first full walk ended before that time, at most `limit`. */
export const findHashes = query<
  { packageId: number; hash: string },
  { account: string; before: string; limit: number }
>(
  `select h.package_id as packageId, h.hash from page_hash h
    join package p on p.account = h.account and p.package_id = h.package_id
    where h.account = :account and p.first_walked_at < :before limit :limit`,
).all;
