/** Pages of what has no index: searches, and lists by title, duration or size. Each looks at every row of its package. */
import type { Db } from '../file.ts';
import { prepareVideosById, sortedIds, type ListedVideo } from '../statements/listed.ts';
import type { PackageKey } from '../statements/video.ts';
import { inDirection, ranksOf, type Wish } from './wish.ts';

/** What was found before is kept up to so many ids: the other pages of the same list are usually asked for next. */
const KEPT_IDS = 2_000_000;

export interface Scanned {
  size: number;
  rows: ListedVideo[];
}

/** Reads a page; to be called in one look, in which `changedSeq` of the package was read. */
export type Scan = (key: PackageKey, changedSeq: number, wish: Wish) => Scanned;

/** Scans of a file. A list is made once, and again when a row of its package has changed. */
export function createScan(db: Db): Scan {
  const kept = createKept();
  const byId = prepareVideosById(db);
  return (key, changedSeq, wish) => {
    const name = JSON.stringify([key, wish.sort.item, wish.search]);
    const ids = kept(name, changedSeq, () => sortedIds(db, key, wish.sort.item, wish.search));
    const { rank, take } = ranksOf(wish, ids.length);
    const page = [...ids.subarray(rank, rank + take)];
    const rows = new Map(byId(key, page).map((row) => [row.id, row]));
    return {
      size: ids.length,
      rows: inDirection(
        wish,
        page.map((id) => rows.get(id) as ListedVideo),
      ),
    };
  };
}

/** Lists of ids by name, each good for one `changedSeq`; the one longest unused goes first. */
function createKept() {
  const lists = new Map<string, { changedSeq: number; ids: Float64Array }>();
  return (name: string, changedSeq: number, make: () => readonly number[]): Float64Array => {
    const known = lists.get(name);
    const ids = known?.changedSeq === changedSeq ? known.ids : Float64Array.from(make());
    lists.delete(name);
    lists.set(name, { changedSeq, ids });
    let sum = [...lists.values()].reduce((total, list) => total + list.ids.length, 0);
    for (const [oldest, list] of lists) {
      if (sum <= KEPT_IDS) break;
      sum -= list.ids.length;
      lists.delete(oldest);
    }
    return ids;
  };
}
