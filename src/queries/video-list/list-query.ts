/** A request for a page of the video list of a package, and its result. */

/** Columns that a list can be searched in. */
export type SearchColumn = 'title' | 'series' | 'author' | 'copyright' | 'content' | 'tag' | 'etc';
/** Columns that a list can be sorted by. */
export type SortColumn = 'id' | 'title' | 'duration' | 'filesize';

export interface ListQuery {
  /** Only rows whose column contains the keyword, byte for byte; all rows without it. */
  search?: { item: SearchColumn; keyword: string };
  /** NULL first, text by code point, equal values by id; `desc` is the exact reverse of `asc`. */
  sort: { item: SortColumn; direction: 'asc' | 'desc' };
  /** From 1. */
  page: number;
  /** Rows per page, from 1. */
  pageSize: number;
}

/** A page of a package that a full walk has completed before; read in one snapshot. */
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
