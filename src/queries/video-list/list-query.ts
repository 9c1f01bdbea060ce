import type { SearchColumn, SortColumn } from './statements.ts';

/** Which page of a list. */
export interface ListQuery {
  /** Rows whose column holds the keyword as it is, byte for byte; left out: all. */
  search?: { item: SearchColumn; keyword: string };
  /** NULL before everything, text by code point; equal values by id; `desc` is `asc` read from its end. */
  sort: { item: SortColumn; direction: 'asc' | 'desc' };
  /** From 1 up. */
  page: number;
  /** Rows a page, from 1 up. */
  pageSize: number;
}

/** The ranks of a page in the ascending list of `size` rows; `take` is 0 beyond the end. */
export function ranksOf({ sort, page, pageSize }: ListQuery, size: number): { rank: number; take: number } {
  const start = (page - 1) * pageSize;
  const take = Math.max(0, Math.min(pageSize, size - start));
  return { rank: sort.direction === 'asc' ? start : size - start - take, take };
}
