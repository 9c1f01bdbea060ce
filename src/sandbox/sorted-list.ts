/** Videos sorted by one field, and cut into pages. */
import type { SortDirection } from '../service/videos.ts';

interface Identified {
  readonly id: number;
}

/** Sorts by `getValue`, null first, then by id; text by Unicode code point, as SQLite does. */
export function sortBy<T extends Identified>(
  entries: readonly T[],
  getValue: (one: T) => string | number | null,
): T[] {
  const rows = entries.map((one) => ({ one, key: sortKey(getValue(one)) }));
  rows.sort((a, b) => compareKeys(a.key, b.key) || a.one.id - b.one.id);
  return rows.map(({ one }) => one);
}

type SortKey = Buffer | number | null;

/** UTF-8 sorts by code point; the UTF-16 of a string does not. */
const sortKey = (value: string | number | null): SortKey =>
  typeof value === 'string' ? Buffer.from(value) : value;

function compareKeys(one: SortKey, other: SortKey): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return typeof one === 'number' || typeof other === 'number'
    ? Number(one) - Number(other)
    : Buffer.compare(one, other);
}

/** Page `page` (from 1 up) of a list sorted ascending; descending is the same list read from its end. */
export function cutPage<T>(
  sorted: readonly T[],
  direction: SortDirection,
  page: number,
  pageSize: number,
): T[] {
  const start = (page - 1) * pageSize;
  if (direction === 'asc') return sorted.slice(start, start + pageSize);
  const end = Math.max(0, sorted.length - start);
  return sorted.slice(Math.max(0, end - pageSize), end).reverse();
}
