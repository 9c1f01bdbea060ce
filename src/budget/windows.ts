/** How many requests of an account its sliding windows hold. */
import type { Db } from '../database/connection.ts';
import { DAY_MS, MINUTE_MS } from '../lib/clock.ts';
import {
  countLeft,
  countSince,
  findAddedSince,
  findLastRequest,
  findNthSince,
} from './statements/request.ts';

export const WINDOWS = [
  { name: 'perSecond', ms: 1_000, words: 'second' },
  { name: 'perMinute', ms: MINUTE_MS, words: 'minute' },
  { name: 'perDay', ms: DAY_MS, words: 'day' },
] as const;

export type Window = (typeof WINDOWS)[number];

/** The day is recounted this often (ms), so that manual edits and late responses are noticed. */
const RECOUNT_DAY_MS = 600_000;

/** A count of the day: when it was made, when it was last recounted, and up to which request. */
interface DayCount {
  now: number;
  countedAt: number;
  id: number;
  used: number;
}

/**
 * Counts for one account; every call is inside an IMMEDIATE transaction. A request is in a window while its
 * `spent_until_ms` is less than one window ago. A day may hold twenty thousand requests: only the
 * additions and departures since the last count are read.
 */
export function createWindowCounts(db: Db, account: string) {
  let day: DayCount | null = null;

  const recount = (ms: number) => countSince(db, { account, ms });

  function recountDay(now: number): number {
    const used = recount(now - DAY_MS);
    day = { now, countedAt: now, id: findLastRequest(db, {}).id ?? 0, used };
    return used;
  }

  function updateDay(now: number): number {
    if (!day || now < day.now || now - day.countedAt > RECOUNT_DAY_MS) return recountDay(now);
    const { added, lastId } = findAddedSince(db, { account, id: day.id });
    const left = countLeft(db, { account, ms: day.now - DAY_MS, to: now - DAY_MS });
    day = { ...day, now, id: lastId ?? day.id, used: day.used + added - left };
    return day.used;
  }

  return {
    /** Counts the requests in the window. */
    used: ({ name, ms }: Window, now: number): number =>
      name === 'perDay' ? updateDay(now) : recount(now - ms),
    /** Recounts them all: a request that was deleted from the ledger must not delay others. */
    recount: ({ name, ms }: Window, now: number): number =>
      name === 'perDay' ? recountDay(now) : recount(now - ms),
    /** `spent_until_ms` of the request that must leave the window, which holds `used`, to make room below `limit`. */
    oldest: ({ ms }: Window, now: number, used: number, limit: number): number =>
      findNthSince(db, { account, ms: now - ms, n: used - limit })?.until ?? now - ms,
  };
}
