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

function compareKeys(one: string | number | null, other: string | number | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return one < other ? -1 : 1;
}

/**
 * A text that `<` sorts by the code points of the original. UTF-16 sorts surrogates (D800 to DFFF), which encode characters
 * beyond U+FFFF, before E000 to FFFF; here the two ranges are exchanged.
 */
function sortKey(value: string | number | null): string | number | null {
  if (typeof value !== 'string') return value;
  return value.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
  });
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

/** The position of the first entry whose id is at least `id`, in a list ascending by id. */
export function findRank(sorted: readonly Identified[], id: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.id ?? Infinity) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
