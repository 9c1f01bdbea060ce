/** The live file as lists that page: what a package holds now, by rank, and the days of an account. */
import { setImmediate as breath } from 'node:timers/promises';
import { fromTimestamp } from '../../lib/clock.ts';
import { openReadOnly } from '../../database/connection.ts';
import { readSnapshot } from '../../database/transaction.ts';
import { preparePage, type ListPage } from './list-page.ts';
import { createRankedLists } from './ranked-lists.ts';
import { createScanner } from './scanner.ts';
import { ranksOf, type ListQuery } from './list-query.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import { newestReading, daysToServe } from '../../database/storage-days.ts';

export type { ListPage } from './list-page.ts';
export type { ListQuery } from './list-query.ts';

export interface VideoLists {
  /**
   * Null where the package was never walked whole: what it holds is not known. A search, or another order than by id, waits
   * for its turn: rejects as `scan` of scanner.ts does.
   */
  page(key: PackageKey, wish: ListQuery, signal: AbortSignal): Promise<ListPage | null>;
  /** The booked days of a range, and `today` as last read, the oldest first; and when storage was last read. */
  days(
    account: string,
    range: { from: string; to: string },
    today: string,
  ): { days: ReturnType<typeof daysToServe>; readAt: number | null };
  /** Counts the packages through, one after the other, so that the first page of none has to wait for that. */
  prepare(keys: readonly PackageKey[]): Promise<void>;
  close(): Promise<void>;
}

const FIRST_ROW: ListQuery = { sort: { item: 'id', direction: 'asc' }, page: 1, pageSize: 1 };

/** How often what was written is followed where nobody asks, in milliseconds. */
const FOLLOW_MS = 250;

/**
 * Lists of the live file at `path`, read through connections that change nothing; `blockSize` is that of blocks.ts. Throws
 * as `openFileToRead`.
 */
export function openVideoLists(path: string, blockSize?: number): VideoLists {
  const db = openReadOnly(path);
  const ranked = createRankedLists(db, blockSize);
  const page = preparePage(db);
  const scanner = createScanner(path);

  function pageById(key: PackageKey, wish: ListQuery): ListPage | null {
    return readSnapshot(db, () =>
      page(key, wish, ({ live_count }) => ranked.read(key, live_count, (size) => ranksOf(wish, size))),
    );
  }

  const following = setInterval(() => {
    try {
      readSnapshot(db, () => ranked.follow());
    } catch {
      // whoever asks next meets the same, and is told
    }
  }, FOLLOW_MS).unref();

  return {
    page: async (key, wish, signal) =>
      wish.search || wish.sort.item !== 'id' ? scanner.scan(key, wish, signal) : pageById(key, wish),
    days: (account, range, today) =>
      readSnapshot(db, () => {
        const reading = newestReading(db, account);
        const readAt = reading ? fromTimestamp(reading.observed_at) : null;
        return { days: daysToServe(db, account, range, today), readAt };
      }),
    prepare: async (keys) => {
      for (const key of keys) {
        if (!db.$client.open) return;
        pageById(key, FIRST_ROW);
        await breath();
      }
    },
    close: async () => {
      clearInterval(following);
      await scanner.close();
      db.$client.close();
    },
  };
}
