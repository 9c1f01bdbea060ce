/** The live file as lists with pages: the videos of a package. */
import { openReadOnly } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { readSnapshot } from '../../database/transaction.ts';
import type { PackageKey } from '../../sync/package-key.ts';
import { getRankRange, prepareListPage, type ListPage, type ListQuery } from './list-page.ts';
import { createFindLiveIds } from './live-ids.ts';

const countRetired = query<never, PackageKey>(
  `select count(*) as count from package
   where account = :account and package_id = :packageId and retired_at is not null`,
).count;

export type VideoLists = ReturnType<typeof openVideoLists>;

/** Reads a page of a list without an index in the reader thread; rejects as `WideReads.scan` does. */
type ScanInThread = (key: PackageKey, query: ListQuery, signal: AbortSignal) => Promise<ListPage | null>;

/**
 * Opens the lists of the live file at `path` through a connection that cannot write. Throws as
 * `openReadOnly`.
 */
export function openVideoLists(path: string, scan: ScanInThread) {
  const db = openReadOnly(path);
  const listPage = prepareListPage(db);
  const findLiveIds = createFindLiveIds(db);

  function pageById(key: PackageKey, query: ListQuery): ListPage | null {
    return readSnapshot(db, () =>
      listPage(key, query, (walked) => {
        const size = walked.live_count;
        return { size, ids: findLiveIds(key, walked, getRankRange(query, size)) };
      }),
    );
  }

  return {
    /** Whether the package left the config. */
    isRetired: (key: PackageKey): boolean => countRetired(db, key) > 0,
    /**
     * Null if no full walk of the package has completed since it came into the config: its content is
     * unknown. A search, and any order other than by id, is read in the reader thread.
     */
    page: async (key: PackageKey, query: ListQuery, signal: AbortSignal): Promise<ListPage | null> =>
      query.search || query.sort.item !== 'id' ? scan(key, query, signal) : pageById(key, query),
    close: (): void => void db.$client.close(),
  };
}
