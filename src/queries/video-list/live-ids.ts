/**
 * Finds the live ids of a package by rank. Rows before the page are skipped by counting in two indexes, the
 * primary key and `video_removed`; no row is read.
 */
import type { Db } from '../../database/connection.ts';
import type { PackageKey } from '../../sync/package-key.ts';
import type { RankRange, WalkedPackage } from './list-page.ts';

export type FindLiveIds = (key: PackageKey, walked: WalkedPackage, range: RankRange) => number[];

/**
 * Returns the live ids at some ranks, in ascending order; skips from the nearer end. Must run in one
 * snapshot.
 */
export function createFindLiveIds(db: Db): FindLiveIds {
  const [ascending, descending] = [prepareLiveIds(db, 'asc'), prepareLiveIds(db, 'desc')];
  return (key, { live_count }, { rank, count }) => {
    if (count === 0) return [];
    const after = live_count - rank - count;
    return rank <= after
      ? ascending(key, -1, rank + 1, count)
      : descending(key, Number.MAX_SAFE_INTEGER, after + 1, count).reverse();
  };
}

const OF_PACKAGE = 'video.account = :account and video.package_id = :packageId';

/** The statements of one direction. */
function prepare(db: Db, direction: 'asc' | 'desc') {
  const beyond = direction === 'asc' ? '>' : '<';
  const upTo = direction === 'asc' ? '<=' : '>=';
  const skip = db.$client
    .prepare(
      `select id from video where ${OF_PACKAGE} and id ${beyond} :from
       order by id ${direction} limit 1 offset :rows - 1`,
    )
    .pluck();
  const countRemoved = db.$client
    .prepare(
      `select count(*) from video
       where ${OF_PACKAGE} and id ${beyond} :from and id ${upTo} :to and removed_at is not null`,
    )
    .pluck();
  const liveIds = db.$client
    .prepare(
      `select id from video
       where ${OF_PACKAGE} and id ${beyond}= :first and not exists (
         select 1 from video as removed indexed by video_removed
         where removed.account = video.account and removed.package_id = video.package_id
           and removed.id = video.id and removed.removed_at is not null)
       order by id ${direction}
       limit :count`,
    )
    .pluck();
  return { skip, countRemoved, liveIds };
}

/** Prepares: `count` live ids beyond `from` in one direction, starting with the `nth` (from 1). */
function prepareLiveIds(db: Db, direction: 'asc' | 'desc') {
  const { skip, countRemoved, liveIds } = prepare(db, direction);

  /**
   * Skips the number of live rows still missing; doubles the step as long as all skipped rows are removed.
   */
  function findNth(key: PackageKey, from: number, nth: number): number | undefined {
    for (let [rows, missing] = [nth, nth]; ;) {
      const to = skip.get({ ...key, from, rows }) as number | undefined;
      const live = to === undefined ? Infinity : rows - (countRemoved.get({ ...key, from, to }) as number);
      if (to !== undefined && live < missing) {
        from = to;
        missing -= live;
        rows = live === 0 ? 2 * rows : missing;
      } else if (rows === missing) {
        return to; // none of the skipped rows is removed, so this one is live
      } else {
        rows = missing;
      }
    }
  }

  return (key: PackageKey, from: number, nth: number, count: number): number[] => {
    const first = findNth(key, from, nth);
    return first === undefined ? [] : (liveIds.all({ ...key, first, count }) as number[]);
  };
}
