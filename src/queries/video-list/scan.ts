/**
 * Pages of lists without an index: searches, and lists by title, duration or size. Each reads every row of
 * its package.
 */
import type { Db } from '../../database/connection.ts';
import type { PackageKey } from '../../sync/package-key.ts';
import { getRankRange, prepareListPage, type ListPage, type ListQuery } from './list-page.ts';

/** How many lists are kept for their next pages, and how many ids in all of them. */
const CACHE = { lists: 100, ids: 2_000_000 };

/** Reads a page; null if no full walk of the package has completed. Must run in one snapshot. */
export type Scan = (key: PackageKey, query: ListQuery) => ListPage | null;

/** Scans a live file. A list is read once, and again when a row of its package has changed. */
export function createScan(db: Db): Scan {
  const cached = createListCache();
  const listPage = prepareListPage(db);
  return (key, query) =>
    listPage(key, query, ({ changed_seq }) => {
      const { sort, search } = query;
      const name = JSON.stringify([key, sort.item, search]);
      const ids = cached(name, changed_seq, () => readSortedIds(db, key, query));
      const { rank, count } = getRankRange(query, ids.length);
      return { size: ids.length, ids: [...ids.subarray(rank, rank + count)] };
    });
}

/**
 * The ids of the live rows that match, in the ascending order of the column. `instr` compares bytes and has
 * no wildcards.
 */
function readSortedIds(
  db: Db,
  { account, packageId }: PackageKey,
  { sort, search }: Pick<ListQuery, 'sort' | 'search'>,
): number[] {
  const contains = search ? `and instr(${search.item}, :keyword) > 0` : '';
  const statement = db.$client.prepare(
    `select id from video
     where account = :account and package_id = :packageId and removed_at is null ${contains}
     order by ${sort.item}, id`,
  );
  return statement.pluck().all({ account, packageId, keyword: search?.keyword }) as number[];
}

/** Lists of ids by name, each valid for one `changedSeq`; the least recently used one is dropped first. */
function createListCache() {
  const lists = new Map<string, { changedSeq: number; ids: Float64Array }>();
  let total = 0;

  function drop(name: string): void {
    total -= lists.get(name)?.ids.length ?? 0;
    lists.delete(name);
  }

  return (name: string, changedSeq: number, read: () => readonly number[]): Float64Array => {
    const known = lists.get(name);
    const ids = known?.changedSeq === changedSeq ? known.ids : Float64Array.from(read());
    drop(name);
    lists.set(name, { changedSeq, ids });
    total += ids.length;
    for (const oldest of lists.keys()) {
      if (total <= CACHE.ids && lists.size <= CACHE.lists) break;
      drop(oldest);
    }
    return ids;
  };
}
