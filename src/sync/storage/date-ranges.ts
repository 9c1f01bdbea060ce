/** Which days to request (docs/contributing/architecture.md, "Storage days"). Pure. Days are `yyyy-mm-dd` of the service's calendar. */
import { daysBetween, type Calendar } from '../../lib/calendar.ts';
import { addDays, type DayRange } from '../../lib/days.ts';
import { fromTimestamp, HOUR_MS } from '../../lib/clock.ts';
import type { DayHistory } from '../../warehouse/store-days.ts';
import type { StorageRules } from '../context.ts';

/** The calendar of one run: computed once, so that midnight changes nothing. */
export interface RunCalendar {
  today: string;
  /** The last day that is over and settled. */
  settled: string;
  /** The first day to book. */
  since: string;
  now: number;
}

/** Implausible figures are booked if they are returned again at least this much later. */
export const CONFIRM_AFTER_MS = HOUR_MS;

/** Days of the longest range that is requested at once. */
const MAX_RANGE = 31;

export function createRunCalendar(
  calendar: Calendar,
  now: number,
  rules: StorageRules,
  history: DayHistory,
): RunCalendar {
  const today = calendar.dayAt(now);
  const settled = addDays(calendar.dayAt(now - rules.settleMs), -1);
  return { today, settled, since: rules.since ?? findFirstDay(history, today) ?? addDays(today, -1), now };
}

/** The days given on the command line, up to today, in ranges, newest first. */
export function splitNamedDays(day: Pick<RunCalendar, 'today'>, { from, to }: DayRange): DayRange[] {
  const ranges: DayRange[] = [];
  for (let end = to < day.today ? to : day.today; end >= from; end = addDays(end, -MAX_RANGE)) {
    const start = addDays(end, 1 - MAX_RANGE);
    ranges.push({ from: start > from ? start : from, to: end });
  }
  return ranges;
}

/** Maximum age in days of the first day if none is configured: a clock may have been wrong. */
const MAX_HISTORY = 366;

/**
 * The first gap, or the day before the first reading, which may not have been settled then; or else the first booked day.
 * Other booked days do not count: a person may have requested days long past.
 */
function findFirstDay({ booked, gaps, firstReading }: DayHistory, today: string): string | null {
  const beforeReading = firstReading === null ? [] : [addDays(firstReading, -1)];
  const since = [...gaps.keys(), ...beforeReading].sort()[0] ?? [...booked].sort()[0] ?? null;
  const least = addDays(today, -MAX_HISTORY);
  return since !== null && since < least ? least : since;
}

/**
 * The range that every run requests: yesterday (until it is booked) to today. The first run of a day also includes the
 * booked days to compare.
 */
export function currentRange(
  day: RunCalendar,
  history: DayHistory,
  rules: StorageRules,
  isFirstOfDay: boolean,
): DayRange {
  const yesterday = addDays(day.today, -1);
  const from = history.booked.has(yesterday) || yesterday < day.since ? day.today : yesterday;
  if (!isFirstOfDay || rules.recheckDays < 1) return { from, to: day.today };
  const back = Math.min(rules.recheckDays, MAX_RANGE - 1);
  const compared = Array.from({ length: back }, (_, index) => addDays(day.today, index - back));
  const first = compared.find((each) => history.booked.has(each));
  return { from: first && first < from ? first : from, to: day.today };
}

/** True if no run of this day has made a live reading yet. */
export function isFirstOfDay(day: RunCalendar, history: DayHistory): boolean {
  return history.lastReading !== day.today;
}

/** The day of a stored time. */
export function toDay(calendar: Calendar, timestamp: string): string {
  return calendar.dayAt(fromTimestamp(timestamp));
}

/** Disputed days that are requested again each day, the newest ones. */
const MAX_DISPUTED = 62;

export interface GapLimits {
  /** The range that this run has requested already. */
  current: DayRange;
  /** This is the first run of the day: disputed days are requested too. */
  isFirst: boolean;
  /**
   * The last day that the service is known to have had; null if its responses show what day it is. A clock that is far
   * ahead must not request years of future days.
   */
  newest: string | null;
}

/**
 * Older gaps in ranges, newest first: each is requested once a day until it is given up, then once a month. So are
 * disputed days: booked days that the service reports differently, or incompletely.
 */
export function findGapRanges(
  calendar: Calendar,
  day: RunCalendar,
  history: DayHistory,
  { current, isFirst, newest }: GapLimits,
): DayRange[] {
  const ranges: DayRange[] = [];
  const last = newest !== null && newest < day.settled ? newest : day.settled;
  const disputed = new Set(isFirst ? [...history.disputed].sort().slice(-MAX_DISPUTED) : []);
  const first = [...disputed, day.since].sort()[0] ?? day.since;
  for (let date = last; date >= first; date = addDays(date, -1)) {
    const isGap = date >= day.since && isDue(calendar, day, history, date);
    if (date >= current.from || !(isGap || disputed.has(date))) continue;
    const range = ranges.at(-1);
    if (range && daysBetween(date, range.to) < MAX_RANGE) range.from = date;
    else ranges.push({ from: date, to: date });
  }
  return ranges;
}

/** Days between requests for a gap that was given up. */
const GIVEN_UP_EVERY_DAYS = 30;

function isDue(calendar: Calendar, day: RunCalendar, history: DayHistory, date: string): boolean {
  if (history.booked.has(date)) return false;
  const gap = history.gaps.get(date);
  if (!gap) return true;
  const lastRequestedOn = toDay(calendar, gap.lastRequestedAt);
  if (lastRequestedOn > day.today) return true; // by a clock that was ahead
  if (gap.givenUp) return daysBetween(lastRequestedOn, day.today) >= GIVEN_UP_EVERY_DAYS;
  return lastRequestedOn !== day.today || isSecondReadingDue(day, history, date, gap.lastRequestedAt);
}

/** A second reading that differs from the first one is repeated on the next day. */
function isSecondReadingDue(
  day: RunCalendar,
  history: DayHistory,
  date: string,
  lastRequestedAt: string,
): boolean {
  const first = history.unconfirmed.get(date);
  if (!first || first.observedAt !== lastRequestedAt) return false;
  return day.now - fromTimestamp(first.observedAt) >= CONFIRM_AFTER_MS;
}
