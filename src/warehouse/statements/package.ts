/** Packages: known, retired, walked, and whose turn is next. */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import type { Mode } from '../../database/schema/runs.ts';
import type { packageTable } from '../../database/schema/videos.ts';
import type { PackageKey } from '../../lib/package-key.ts';

type PackageRow = typeof packageTable.$inferSelect;

const OF_PACKAGE = 'account = :account and package_id = :packageId';
/** A retirement is never before the last walk, even if the clock is behind. */
const RETIRED_AT = "max(:at, coalesce(walked_at, ''), coalesce(looked_at, ''))";

const REGISTER = query<never, PackageKey & { name: string | null }>(
  `insert into package (account, package_id, name) values (:account, :packageId, :name)
    on conflict (account, package_id) do update set name = excluded.name, retired_at = null
    where package.name is not excluded.name or package.retired_at is not null`,
);
const RETIRE_PACKAGES = query<never, { account: string; ids: string; at: string }>(
  `update package set retired_at = ${RETIRED_AT}
    where account = :account and retired_at is null and package_id not in (select value from json_each(:ids))`,
);
const RETIRE_ACCOUNTS = query<never, { accounts: string; at: string }>(
  `update package set retired_at = ${RETIRED_AT}
    where retired_at is null and account not in (select value from json_each(:accounts))`,
);
const FIND = query<PackageRow, PackageKey>(`select * from package where ${OF_PACKAGE}`);
/** Packages with the same turn come in the order of the config. */
const BY_TURN = (column: string) =>
  query<{ id: number; failed: number }, { account: string }>(
    `select package_id as id, failed_walks as failed from package where account = :account
      order by ${column}, rowid`,
  );
const BY_FULL_TURN = BY_TURN('last_turn_walk_id');
const BY_QUICK_TURN = BY_TURN('looked_at');
const SERVED_QUICK = query<{ id: number }, { account: string; since: string }>(
  'select package_id as id from package where account = :account and looked_at >= :since',
);
const SERVED_FULL = query<{ id: number }, { account: string; since: string }>(
  `select distinct w.package_id as id from walk w join run r using (run_id)
    where w.account = :account and w.mode = 'full' and w.status in ('succeeded', 'partial', 'failed')
      and coalesce(r.origin_started_at, r.started_at) = :since`,
);
const ADD_LIVE = query<never, PackageKey & { more: number; changeSeq: number }>(
  `update package set live_count = live_count + :more, changed_seq = :changeSeq where ${OF_PACKAGE}`,
);
const RECORD_SIZE = query<never, PackageKey & { date: string }>(
  `insert into package_day (account, package_id, date, videos)
    select account, package_id, :date, live_count from package where ${OF_PACKAGE}
    on conflict (account, package_id, date) do update set videos = excluded.videos`,
);
const RECORD_FULL_WALK = query<never, PackageKey & FullWalkRecord>(
  `update package set totalcount = :totalcount, page_size = :page_size, "order" = :order,
    walked_at = :walked_at, looked_at = :walked_at, missing_records = null,
    first_walked_at = coalesce(first_walked_at, :walked_at) where ${OF_PACKAGE}`,
);
const RECORD_TURN = query<never, PackageKey & { walkId: number }>(
  `update package set last_turn_walk_id = :walkId, failed_walks = 0 where ${OF_PACKAGE}`,
);
const RECORD_FAILED_TURN = query<never, PackageKey & { walkId: number }>(
  `update package set failed_walks = failed_walks + 1,
    last_turn_walk_id = case when failed_walks % 2 = 1 then :walkId else last_turn_walk_id end where ${OF_PACKAGE}`,
);
const RECORD_QUICK_WALK = query<never, PackageKey & QuickWalkRecord>(
  `update package set totalcount = :totalcount, page_size = :page_size, looked_at = :looked_at,
    missing_records = :missing_records where ${OF_PACKAGE}`,
);
const MARK_UNTRUSTED = query<never, PackageKey>(
  `update package set "order" = 'untrusted' where ${OF_PACKAGE}`,
);
const RECORD_FAILED_QUICK_WALK = query<never, PackageKey & { at: string }>(
  `update package set looked_at = :at where ${OF_PACKAGE}`,
);

/** Adds the package or updates its name; one that was retired is no longer. */
export const registerPackage = (tx: Tx, key: PackageKey, name: string | null): number =>
  REGISTER.run(tx, { ...key, name });

/** Retires the packages of the account that are not configured. */
export const retirePackages = (tx: Tx, account: string, configured: readonly number[], at: string): number =>
  RETIRE_PACKAGES.run(tx, { account, ids: JSON.stringify(configured), at });

/** Retires every package of the accounts that are not configured. */
export const retireAccounts = (tx: Tx, configured: readonly string[], at: string): number =>
  RETIRE_ACCOUNTS.run(tx, { accounts: JSON.stringify(configured), at });

export const findPackage = (tx: Tx, key: PackageKey): PackageRow | undefined => FIND.get(tx, key);

/** A package in the order of turns. */
export interface PackageInTurn {
  id: number;
  /** Its last full walk failed. */
  failedBefore: boolean;
}

/** The packages of an account, the one longest unserved in this mode first. */
export const listPackagesByTurn = (tx: Tx, account: string, mode: Mode): PackageInTurn[] =>
  (mode === 'full' ? BY_FULL_TURN : BY_QUICK_TURN)
    .all(tx, { account })
    .map(({ id, failed }) => ({ id, failedBefore: failed > 0 }));

/** The packages of an account that had their turn in a run begun at `since`, or in one that resumed it. */
export const listPackagesServedSince = (tx: Tx, account: string, mode: Mode, since: string): number[] =>
  (mode === 'full' ? SERVED_FULL : SERVED_QUICK).all(tx, { account, since }).map(({ id }) => id);

/** Adds to the number of live rows, and records the last `change_seq` among the rows. */
export const addLiveCount = (tx: Tx, key: PackageKey, more: number, changeSeq: number): number =>
  ADD_LIVE.run(tx, { ...key, more, changeSeq });

/** Records how many videos the package has on this day (UTC). */
export const recordSize = (tx: Tx, key: PackageKey, date: string): number =>
  RECORD_SIZE.run(tx, { ...key, date });

/** What a full walk found. */
export type FullWalkRecord = Pick<PackageRow, 'totalcount' | 'page_size' | 'walked_at' | 'order'>;

export const recordFullWalk = (tx: Tx, key: PackageKey, found: FullWalkRecord): number =>
  RECORD_FULL_WALK.run(tx, { ...key, ...found });

/**
 * Records that a package had its turn. After one failure it keeps its place, so that the next run tries it again; the
 * second failure in a row sends it to the end of the line.
 */
export const recordTurn = (tx: Tx, key: PackageKey, walkId: number, failed: boolean): number =>
  (failed ? RECORD_FAILED_TURN : RECORD_TURN).run(tx, { ...key, walkId });

/** What a quick walk found. */
export type QuickWalkRecord = Pick<PackageRow, 'totalcount' | 'page_size' | 'looked_at' | 'missing_records'>;

export const recordQuickWalk = (tx: Tx, key: PackageKey, found: QuickWalkRecord): number =>
  RECORD_QUICK_WALK.run(tx, { ...key, ...found });

/** Records that the list was out of order: a full walk must confirm its order before it is trusted again. */
export const markUntrusted = (tx: Tx, key: PackageKey): number => MARK_UNTRUSTED.run(tx, key);

/** Records that a quick walk of the package failed: it waits for its next turn. */
export const recordFailedQuickWalk = (tx: Tx, key: PackageKey, at: string): number =>
  RECORD_FAILED_QUICK_WALK.run(tx, { ...key, at });
