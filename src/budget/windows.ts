/** How many requests of an account its windows hold: counted at every look, and of a day only what is new. */
import type { Db } from '../database/connection.ts';
import { DAY_MS } from '../lib/clock.ts';
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

/** A day is counted as a whole once in this time (ms): lest what is changed by hand, or answered late, is missed for long. */
const COUNT_AGAIN_MS = 600_000;

/** What was counted of a day: when, when as a whole, and up to which request. */
interface DayCount {
  now: number;
  countedAt: number;
  id: number;
  used: number;
}

/**
 * Counts for one account. All calls stand inside an IMMEDIATE transaction: nobody adds meanwhile. A request stays in
 * its window while `spent_until_ms` is less than one window ago. A second and a minute are counted; of a day, which may
 * hold twenty thousand, only what came and what left since the last look.
 */
export function createWindowCounts(db: Db, account: string) {
  const addedSince = prepareAddedSince(db);
  const countSince = prepareCountSince(db);
  const lastRequestId = prepareLastRequestId(db);
  const leftBetween = prepareLeftBetween(db);
  const nthSince = prepareNthSince(db);
  let day: DayCount | null = null;

  function countDay(now: number): number {
    const used = countSince(account, now - DAY_MS);
    day = { now, countedAt: now, id: lastRequestId(), used };
    return used;
  }

  function carryDay(now: number): number {
    if (!day || now < day.now || now - day.countedAt > COUNT_AGAIN_MS) return countDay(now);
    const { added, lastId } = addedSince(account, day.id);
    const left = leftBetween(account, day.now - DAY_MS, now - DAY_MS);
    day = { ...day, now, id: lastId ?? day.id, used: day.used + added - left };
    return day.used;
  }

  return {
    /** How many requests of the window may have reached the service less than one window ago? */
    used({ name, ms }: Window, now: number): number {
      return name === 'perDay' ? carryDay(now) : countSince(account, now - ms);
    },
    /** Counts one window anew: before anybody is told to wait, lest requests were taken out of the ledger by hand. */
    recount({ name, ms }: Window, now: number): number {
      return name === 'perDay' ? countDay(now) : countSince(account, now - ms);
    },
    /** Until when the request was on its way that must leave the window, which holds `used`, before `limit` is kept to. */
    oldest({ ms }: Window, now: number, used: number, limit: number): number {
      return nthSince(account, now - ms, used - limit);
    },
  };
}
