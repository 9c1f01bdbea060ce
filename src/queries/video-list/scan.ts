/** Pages of what has no index: searches, and lists by title, duration or size. Each looks at every row of its package. */
import type { Db } from '../../database/connection.ts';
import { sortedIds } from './statements.ts';
import { preparePage, type ListPage } from './list-page.ts';
import { ranksOf, type ListQuery } from './list-query.ts';
import type { PackageKey } from '../../lib/package-key.ts';

/** What was found is kept, for the other pages of the same list are usually asked for next: so many lists and ids in all. */
const KEPT = { lists: 100, ids: 2_000_000 };

/** Reads a page, or null where the package was never walked whole. To be called in one look. */
export type Scan = (key: PackageKey, wish: ListQuery) => ListPage | null;

/** Scans of a file. A list is made once, and again when a row of its package has changed. */
export function createScan(db: Db): Scan {
  const kept = createKept();
  const page = preparePage(db);
  return (key, wish) =>
    page(key, wish, ({ changed_seq }) => {
      const { sort, search } = wish;
      const name = JSON.stringify([key, sort.item, search]);
      const ids = kept(name, changed_seq, () => sortedIds(db, key, sort.item, search));
      const { rank, take } = ranksOf(wish, ids.length);
      return { size: ids.length, ids: [...ids.subarray(rank, rank + take)] };
    });
}

/** Lists of ids by name, each good for one `changedSeq`; the one longest unused goes first. */
function createKept() {
  const lists = new Map<string, { changedSeq: number; ids: Float64Array }>();
  let sum = 0;

  function drop(name: string): void {
    sum -= lists.get(name)?.ids.length ?? 0;
    lists.delete(name);
  }

  return (name: string, changedSeq: number, make: () => readonly number[]): Float64Array => {
    const known = lists.get(name);
    const ids = known?.changedSeq === changedSeq ? known.ids : Float64Array.from(make());
    drop(name);
    lists.set(name, { changedSeq, ids });
    sum += ids.length;
    for (const oldest of lists.keys()) {
      if (sum <= KEPT.ids && lists.size <= KEPT.lists) break;
      drop(oldest);
    }
    return ids;
  };
}
