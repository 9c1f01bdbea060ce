/** Putting videos in order, keeping them in order as they change, and cutting a page out of them. */
import type { SortDirection } from '../service/videos.ts';

/** Something that has an id. */
interface Identified {
  readonly id: number;
}

/** All that is in `live`, ascending by one value. */
export interface SortedIndex<T> {
  sorted(): readonly T[];
  /** To be told of everything that came, went or has another value. */
  touch(one: T): void;
}

/**
 * An order by `valueOf`, null first, by id where that is equal: text by Unicode code point, as in SQLite, and not by UTF-16
 * unit. Only what was touched is placed anew, so that an account under churn still answers at once.
 */
export function createSortedIndex<T extends Identified>(
  live: readonly T[],
  valueOf: (one: T) => string | number | null,
): SortedIndex<T> {
  const touched = new Set<T>(live);
  let rows: { one: T; key: string | number | null }[] = [];
  let sorted: T[] = [];
  const place = (): void => {
    const settled = rows.filter(({ one }) => !touched.has(one));
    const moved = live.filter((one) => touched.has(one)).map((one) => ({ one, key: sortKey(valueOf(one)) }));
    rows = [...settled, ...moved];
    rows.sort((a, b) => compareKeys(a.key, b.key) || a.one.id - b.one.id);
    sorted = rows.map(({ one }) => one);
    touched.clear();
  };
  return {
    sorted: () => {
      if (touched.size > 0) place();
      return sorted;
    },
    touch: (one) => void touched.add(one),
  };
}

function compareKeys(one: string | number | null, other: string | number | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return one < other ? -1 : 1;
}

/**
 * A text whose order by `<` is the code point order of the original. UTF-16 puts surrogates (D800 to DFFF), which
 * stand for what is beyond U+FFFF, before E000 to FFFF; here the two change places.
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

/** The position of the first in a list ascending by id whose id is not below `id`. */
export function rankOf(sorted: readonly Identified[], id: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.id ?? Infinity) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
