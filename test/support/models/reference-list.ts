/**
 * The expected lists by docs/service.md 4.1 and the choices of vodhouse, as simply as possible: no SQL, no
 * index, no cache.
 */
import type { SearchItem, SortDirection, SortItem } from '../../../src/service/videos.ts';

/** A record as the service sent it. */
export type Sent = { id: number } & Record<SearchItem, string | null> &
  Record<'duration' | 'filesize', number | null> &
  Record<string, unknown>;

export interface ListQuery {
  search: { item: SearchItem; keyword: string } | null;
  item: SortItem;
  direction: SortDirection;
  page: number;
  size: number;
}

/** The number of matching records, and those of the page. */
export function referenceList(records: readonly Sent[], { search, item, direction, page, size }: ListQuery) {
  const matching = records.filter((record) => !search || record[search.item]?.includes(search.keyword));
  const sorted = matching.sort((one, other) => compare(one[item], other[item]) || one.id - other.id);
  if (direction === 'desc') sorted.reverse();
  return { totalcount: matching.length, records: sorted.slice((page - 1) * size, page * size) };
}

/** Null first, numbers by size, text by code point. */
function compare(one: string | number | null, other: string | number | null): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === 'number') return one - Number(other);
  const [left, right] = [Array.from(one), Array.from(String(other))].map((characters) =>
    characters.map((character) => character.codePointAt(0) ?? 0),
  ) as [number[], number[]];
  const at = left.findIndex((code, index) => code !== right[index]);
  return at === -1 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}
