/** A page of the video list of a package: its request, its records and their ids, which the caller finds. */
import type { Db } from '../../database/connection.ts';
import { receivedNames } from '../../database/schema/videos.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import type { PackageKey } from '../../sync/package-key.ts';

/** Columns that a list can be searched in. */
export type SearchColumn = 'title' | 'series' | 'author' | 'copyright' | 'content' | 'tag' | 'etc';
/** Columns that a list can be sorted by. */
export type SortColumn = 'id' | 'title' | 'duration' | 'filesize';

export interface ListQuery {
  /** Only rows whose column contains the keyword, byte for byte; all rows without it. */
  search?: { item: SearchColumn; keyword: string };
  /** NULL first, text by code point, equal values by id; `desc` is the exact reverse of `asc`. */
  sort: { item: SortColumn; direction: 'asc' | 'desc' };
  /** The number of the page, from 1. */
  page: number;
  /** Rows per page, from 1. */
  pageSize: number;
}

/** A page of a package that a full walk has completed since it came into the config; read in one snapshot. */
export interface ListPage {
  /** Rows of the entire list. */
  size: number;
  /** The bytes of a JSON array: the records as the service sent them. */
  records: Uint8Array<ArrayBuffer>;
  /** End of the last full walk, in milliseconds since 1970. */
  walkedAt: number;
}

/** `count` rows of the ascending list from `rank` (from 0) on. */
export interface RankRange {
  rank: number;
  count: number;
}

/** The rows of the requested page in a list of `size` rows; `count` is 0 beyond the end. */
export function getRankRange({ sort, page, pageSize }: ListQuery, size: number): RankRange {
  const start = (page - 1) * pageSize;
  const count = Math.max(0, Math.min(pageSize, size - start));
  return { rank: sort.direction === 'asc' ? start : size - start - count, count };
}

/** A package that a full walk has completed. */
export interface WalkedPackage {
  walked_at: string;
  changed_seq: number;
  live_count: number;
}

/** The ids of a page in ascending order, and the rows of the entire list. */
export interface PageIds {
  size: number;
  ids: number[];
}

/**
 * A row of `video` as the service sent it, as JSON: its 24 fields, then those in `extra`. SQLite writes the
 * JSON: objects of JavaScript double the cost of a page (measured). A frame rate is stored as a double, which
 * SQLite writes as 30.0.
 */
const RECORD = (() => {
  const rate = 'video.v_framerate';
  const whole = `cast(${rate} as integer)`;
  const framerate = `case when ${rate} = ${whole} then ${whole} else ${rate} end`;
  const fields = receivedNames.map(
    (name) => `'${name}', ${name === 'v_framerate' ? framerate : `video.${name}`}`,
  );
  const known = `json_object(${fields.join()})`;
  return `case when video.extra is null then ${known}
    else substr(${known}, 1, length(${known}) - 1) || ',' || substr(video.extra, 2) end`;
})();

/** The records of some ids, in the order of the list of ids: a cross join keeps it. */
const RECORDS = `
select cast('[' || coalesce(group_concat(${RECORD}), '') || ']' as blob)
from json_each(:ids) as requested
cross join video
  on video.account = :account and video.package_id = :packageId and video.id = requested.value`;

const WALKED_PACKAGE = `
select walked_at, changed_seq, live_count
from package
where account = :account and package_id = :packageId and walked_at is not null and retired_at is null`;

/**
 * Prepares reading a page: `findIds` knows the ids on it. Null if no full walk of the package has completed
 * since it came into the config. Must run in one snapshot.
 */
export function prepareListPage(db: Db) {
  const walkedPackage = db.$client.prepare<PackageKey, WalkedPackage>(WALKED_PACKAGE);
  const records = db.$client.prepare<PackageKey & { ids: string }>(RECORDS).pluck();
  return (
    { account, packageId }: PackageKey,
    { sort }: ListQuery,
    findIds: (walked: WalkedPackage) => PageIds,
  ): ListPage | null => {
    const walked = walkedPackage.get({ account, packageId });
    if (!walked) return null;
    const { size, ids } = findIds(walked);
    if (sort.direction === 'desc') ids.reverse();
    return {
      size,
      records: records.get({ account, packageId, ids: JSON.stringify(ids) }) as ListPage['records'],
      walkedAt: fromTimestamp(walked.walked_at),
    };
  };
}
