/** The live file as lists that page: what a package holds now, by rank, and the days of an account. */
import { fromTimestamp } from '../../lib/clock.ts';
import { openFileToRead } from '../file.ts';
import { packageOf, type ListedVideo } from '../statements/listed.ts';
import { daysToServe, newestReading } from '../statements/storage.ts';
import type { PackageKey } from '../statements/video.ts';
import { look } from '../transact.ts';
import { createRankedLists } from './ranked.ts';
import { createScanner } from './scanner.ts';
import { inDirection, ranksOf, type Wish } from './wish.ts';

export type { ListedVideo } from '../statements/listed.ts';
export type { Wish } from './wish.ts';

/** A page of a package that was walked whole before; moments in milliseconds since 1970. */
export interface ListPage {
  size: number;
  rows: ListedVideo[];
  /** End of the last full walk. */
  walkedAt: number;
}

type DayToServe = ReturnType<typeof daysToServe>[number];

export interface Lists {
  /** Null where there is no such package in force, or it has never been walked whole: what it holds is not known. */
  page(key: PackageKey, wish: Wish): Promise<ListPage | null>;
  /** The booked days of a range, and `today` as last read, the oldest first; and when storage was last read. */
  days(
    account: string,
    range: { from: string; to: string },
    today: string,
  ): { days: DayToServe[]; readAt: number | null };
  /** Counts the packages through, so that the first page of none has to wait for that. */
  prepare(keys: readonly PackageKey[]): void;
  close(): Promise<void>;
}

const FIRST_ROW: Wish = { sort: { item: 'id', direction: 'asc' }, page: 1, pageSize: 1 };

/** How often what was written is followed where nobody asks, in milliseconds. */
const FOLLOW_MS = 250;

/**
 * Lists of the live file at `path`, read through connections that change nothing; `blockSize` is that of ranks.ts. Throws
 * as `openFileToRead`.
 */
export function openLists(path: string, blockSize?: number): Lists {
  const db = openFileToRead(path);
  const ranked = createRankedLists(db, blockSize);
  const scanner = createScanner(path);
  const following = setInterval(() => look(db, () => ranked.follow()), FOLLOW_MS).unref();

  function pageById(key: PackageKey, wish: Wish): ListPage | null {
    return look(db, () => {
      const known = packageOf(db, key);
      if (!known?.walkedAt) return null;
      const { rank, take } = ranksOf(wish, known.liveCount);
      const rows = ranked.read(key, known.liveCount, rank, take);
      return {
        size: known.liveCount,
        rows: inDirection(wish, rows),
        walkedAt: fromTimestamp(known.walkedAt),
      };
    });
  }

  async function pageByScan(key: PackageKey, wish: Wish): Promise<ListPage | null> {
    const walkedAt = packageOf(db, key)?.walkedAt;
    if (!walkedAt) return null;
    return { ...(await scanner.scan(key, wish)), walkedAt: fromTimestamp(walkedAt) };
  }

  return {
    page: async (key, wish) =>
      wish.search || wish.sort.item !== 'id' ? pageByScan(key, wish) : pageById(key, wish),
    prepare: (keys) => {
      for (const key of keys) pageById(key, FIRST_ROW);
    },
    days: (account, range, today) =>
      look(db, () => {
        const reading = newestReading(db, account);
        const readAt = reading ? fromTimestamp(reading.observed_at) : null;
        return { days: daysToServe(db, account, range, today), readAt };
      }),
    close: async () => {
      clearInterval(following);
      await scanner.close();
      db.$client.close();
    },
  };
}
