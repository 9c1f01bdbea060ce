/** Packages: known, retired, walked, and whose turn is next. */
import { sql } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import type { Mode } from '../../database/schema/values.ts';
import { packageDay, packageTable } from '../../database/schema/videos.ts';
import { upsert } from '../../database/upsert.ts';
import type { PackageKey } from '../../sync/package-key.ts';
import { OF_PACKAGE } from './video.ts';

type PackageRow = typeof packageTable.$inferSelect;

/** A retirement is never before the last walk, even if the clock is behind. */
const RETIRED_AT = "max(:at, coalesce(walked_at, ''), coalesce(compared_at, ''))";

/** Adds the package, or updates its name and schedule. */
export const registerPackage = upsert(packageTable, {
  columns: ['account', 'package_id', 'name', 'schedule'],
  where: sql`package.name is not excluded.name or package.schedule is not excluded.schedule`,
});

/** Retires a package after its videos, of which the last one was retired by `changeSeq`. */
export const retirePackage = query<never, PackageKey & { at: string; changeSeq: number }>(
  `update package set retired_at = ${RETIRED_AT}, last_count = live_count, live_count = 0,
    changed_seq = :changeSeq
    where ${OF_PACKAGE}`,
).run;

/** Ends a retirement: as a new package, it waits for a full walk, which finds its videos again. */
export const returnPackage = query<never, PackageKey>(
  `update package set retired_at = null, last_count = null, walked_at = null, compared_at = null,
    totalcount = null,
    page_size = null, missing_records = null, last_turn_walk_id = 0, failed_walks = 0
    where ${OF_PACKAGE} and retired_at is not null`,
).run;

/** A package that is not retired. */
export interface ActivePackage extends PackageKey {
  name: string | null;
  videos: number;
}

export const listActivePackages = query<ActivePackage>(
  `select account, package_id as packageId, name, live_count as videos from package where retired_at is null
    order by account, package_id`,
).all;

export const findPackage = query<PackageRow, PackageKey>(`select * from package where ${OF_PACKAGE}`).get;

/** A package in the order of turns. */
export interface PackageInTurn {
  id: number;
  /** Its last full walk failed. */
  failedBefore: 0 | 1;
}

/** Packages with the same turn come in the order of the config. */
const selectByTurn = (column: string) =>
  query<PackageInTurn, { account: string }>(
    `select package_id as id, failed_walks > 0 as failedBefore from package where account = :account
      order by ${column}, rowid`,
  ).all;
const BY_TURN = { full: selectByTurn('last_turn_walk_id'), quick: selectByTurn('compared_at') };

/** The packages of an account, the one longest unserved in this mode first. */
export const listPackagesByTurn = (tx: Tx, account: string, mode: Mode): PackageInTurn[] =>
  BY_TURN[mode](tx, { account });

/** The last turn of a package in full runs. */
export interface FullTurn extends PackageKey {
  /** When it began, `YYYY-MM-DD HH:MM:SS` UTC; null before the first. */
  at: string | null;
  /** Its last full walk failed. */
  failed: 0 | 1;
}

/** The last turn of each package that is not retired. */
export const listFullTurns = query<FullTurn>(
  `select p.account, p.package_id as packageId, coalesce(w.started_at, p.walked_at) as at,
      failed_walks > 0 as failed
    from package p left join walk w on w.walk_id = p.last_turn_walk_id where p.retired_at is null`,
).all;

type ServedSince = { account: string; since: string };
const SERVED = {
  // a package with 0 in both columns left the config and returned since it was served
  full: query<{ id: number }, ServedSince>(
    `select distinct w.package_id as id
      from walk w join run r using (run_id) join package p using (account, package_id)
      where w.account = :account and w.mode = 'full' and w.status in ('succeeded', 'partial', 'failed')
        and coalesce(r.origin_started_at, r.started_at) = :since
        and (p.last_turn_walk_id > 0 or p.failed_walks > 0)`,
  ),
  quick: query<{ id: number }, ServedSince>(
    'select package_id as id from package where account = :account and compared_at >= :since',
  ),
};

/** The packages of an account that had their turn in a run started at `since`, or in one that resumed it. */
export const listPackagesServedSince = (tx: Tx, account: string, mode: Mode, since: string): number[] =>
  SERVED[mode].all(tx, { account, since }).map(({ id }) => id);

/** Adds to the number of live rows, and records the last `change_seq` among the rows. */
export const addLiveCount = query<never, PackageKey & { more: number; changeSeq: number }>(
  `update package set live_count = live_count + :more, changed_seq = :changeSeq where ${OF_PACKAGE}`,
).run;

const upsertDay = upsert(packageDay);

/** Records how many videos the package has on this day of the service. */
export function recordSize(tx: Tx, key: PackageKey, date: string): void {
  const row = findPackage(tx, key);
  if (row) upsertDay(tx, { account: row.account, package_id: row.package_id, date, videos: row.live_count });
}

type ListSize = { totalcount: number; pageSize: number };

export const recordFullWalk = query<
  never,
  PackageKey & ListSize & { order: PackageRow['order']; at: string }
>(
  `update package set totalcount = :totalcount, page_size = :pageSize, "order" = :order,
    walked_at = :at, compared_at = :at, missing_records = null,
    first_walked_at = coalesce(first_walked_at, :at) where ${OF_PACKAGE}`,
).run;

export const recordQuickWalk = query<
  never,
  PackageKey & ListSize & { at: string; missingRecords: number | null }
>(
  `update package set totalcount = :totalcount, page_size = :pageSize, compared_at = :at,
    missing_records = :missingRecords where ${OF_PACKAGE}`,
).run;

/** Records a quick walk that failed: the package waits for its next turn. */
export const recordFailedQuickWalk = query<never, PackageKey & { at: string }>(
  `update package set compared_at = :at where ${OF_PACKAGE}`,
).run;

/** Records that a package had its turn in a full run. */
export const recordTurn = query<never, PackageKey & { walkId: number }>(
  `update package set last_turn_walk_id = :walkId, failed_walks = 0 where ${OF_PACKAGE}`,
).run;

/**
 * After one failure a package keeps its place, so that the next run tries it again; the second failure in a
 * row sends it to the end of the line.
 */
export const recordFailedTurn = query<never, PackageKey & { walkId: number }>(
  `update package set failed_walks = failed_walks + 1,
    last_turn_walk_id = case when failed_walks % 2 = 1 then :walkId else last_turn_walk_id end
    where ${OF_PACKAGE}`,
).run;

/**
 * Records that the list was out of order. A full walk must confirm its order before it is trusted again.
 */
export const markUntrusted = query<never, PackageKey>(
  `update package set "order" = 'untrusted' where ${OF_PACKAGE}`,
).run;
