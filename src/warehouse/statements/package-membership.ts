/** To which package do these ids belong? */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import type { VideoState } from './video.ts';

type Ids = PackageKey & { ids: string };

/** Each id is looked up by itself: a cross join keeps its order. */
const ROWS = query<VideoState, Ids>(
  `select v.id, v.removed_at is null as isLive from json_each(:ids) as asked
    cross join video v
    where v.account = :account and v.package_id = :packageId and v.id = asked.value`,
);
const SIZE = query<PackageSize, PackageKey>(
  'select live_count as live, "order" from package where account = :account and package_id = :packageId',
);
/** Packages times ids are looked up: only for a few ids, and only of a page that is odd. */
const OTHER_PACKAGE = query<{ packageId: number; totalcount: number | null; found: number }, Ids>(
  `select p.package_id as packageId, p.totalcount, count(*) as found from package p
    cross join json_each(:ids) as asked
    cross join video v
    where p.account = :account and p.package_id <> :packageId and p.live_count > 0
      and v.account = p.account and v.package_id = p.package_id and v.id = asked.value and v.removed_at is null
    group by p.package_id order by count(*) desc limit 1`,
);
const HASHES = query<{ packageId: number; hash: string }, { account: string; before: string; limit: number }>(
  `select h.package_id as packageId, h.hash from page_hash h
    join package p on p.account = h.account and p.package_id = h.package_id
    where h.account = :account and p.first_walked_at < :before limit :limit`,
);

/** How many live rows a package has, and how its list was ordered in the last full walk. */
export interface PackageSize {
  live: number;
  order: 'trusted' | 'untrusted' | null;
}

/** Which of these ids have a row in the package. */
export const findRows = (tx: Tx, key: PackageKey, ids: readonly number[]): VideoState[] =>
  ROWS.all(tx, { ...key, ids: JSON.stringify(ids) });

export const findSize = (tx: Tx, key: PackageKey): PackageSize =>
  SIZE.get(tx, key) ?? { live: 0, order: null };

/** The other package of the account in which most of these ids are live, if there is one. */
export const findOtherPackage = (tx: Tx, key: PackageKey, ids: readonly number[]) =>
  OTHER_PACKAGE.get(tx, { ...key, ids: JSON.stringify(ids) });

/** Hashes of the known pages of packages whose first full walk ended before that time, at most `limit`. */
export const findHashes = (
  tx: Tx,
  account: string,
  before: string,
  limit: number,
): [packageId: number, hash: string][] =>
  HASHES.all(tx, { account, before, limit }).map(({ packageId, hash }) => [packageId, hash]);
