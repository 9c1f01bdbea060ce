/** How many requests of an account its windows hold: counted on from look to look, however long a window is. */
import type { Db } from './file.ts';
import {
  prepareAddedSince,
  prepareCountSince,
  prepareLastRequestId,
  prepareLeftBetween,
  prepareNthSince,
} from './statements/request.ts';

export const WINDOWS = [
  { name: 'perSecond', ms: 1_000, words: 'second' },
  { name: 'perMinute', ms: 60_000, words: 'minute' },
  { name: 'perDay', ms: 86_400_000, words: 'day' },
] as const;

export type Window = (typeof WINDOWS)[number];

/** Requests by window. */
type Used = Record<Window['name'], number>;

/**
 * Counts for one account. All calls stand inside an IMMEDIATE transaction: nobody adds meanwhile. A request stays in
 * its window while `spent_until_ms` is less than one window ago; that moment only ever moves towards the past, and
 * what has left does not come back, unless the clock does.
 */
export function createWindowCounts(db: Db, account: string) {
  const addedSince = prepareAddedSince(db);
  const countSince = prepareCountSince(db);
  const lastRequestId = prepareLastRequestId(db);
  const leftBetween = prepareLeftBetween(db);
  const nthSince = prepareNthSince(db);
  /** What was counted last, and up to which request. */
  let last: { now: number; id: number; used: Used } | null = null;

  function countAll(now: number): Used {
    const [perSecond = 0, perMinute = 0, perDay = 0] = WINDOWS.map(({ ms }) => countSince(account, now - ms));
    last = { now, id: lastRequestId(), used: { perSecond, perMinute, perDay } };
    return last.used;
  }

  return {
    /** How many requests of each window may have reached the service less than one window ago? */
    used(now: number): Used {
      if (!last || now < last.now) return countAll(now);
      const { added, lastId } = addedSince(account, last.id);
      const used = { ...last.used };
      for (const { name, ms } of WINDOWS) {
        used[name] += added - leftBetween(account, last.now - ms, now - ms);
      }
      last = { now, id: lastId ?? last.id, used };
      return used;
    },
    /** Counts one window anew: before anybody is told to wait, lest requests were taken out of the ledger by hand. */
    recount({ name, ms }: Window, now: number): number {
      const used = countSince(account, now - ms);
      if (last?.now === now) last.used[name] = used;
      return used;
    },
    /** Until when the request was on its way that must leave the window, which holds `used`, before `limit` is kept to. */
    oldest({ ms }: Window, now: number, used: number, limit: number): number {
      return nthSince(account, now - ms, used - limit);
    },
  };
}
