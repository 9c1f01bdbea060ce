/**
 * Which days to request (docs/contributing/architecture.md, "Storage days"). Pure. Days are `yyyy-mm-dd` of
 * the service's calendar.
 */
import { daysBetween, type Calendar } from '../../lib/calendar.ts';
import { addDays, type DayRange } from '../../lib/days.ts';
import { fromTimestamp, HOUR_MS } from '../../lib/clock.ts';
import type { DayHistory } from '../../warehouse/store-days.ts';
import type { StorageRules } from '../context.ts';

/** The calendar of one run, computed once, so that midnight changes nothing during it. */
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
  return { today, settled, since: rules.since ?? findFirstDay(history) ?? addDays(today, -1), now };
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

/**
 * The earlier one of the first gap and the day before the first reading, which may not have been settled
 * then; without both, the first booked day. Otherwise booked days do not count, because a person may have
 * requested days long past.
 */
function findFirstDay({ booked, gaps, firstReading }: DayHistory): string | null {
  const beforeReading = firstReading === null ? [] : [addDays(firstReading, -1)];
  return [...gaps.keys(), ...beforeReading].sort()[0] ?? [...booked].sort()[0] ?? null;
}

/**
 * The range that every run requests: yesterday (until it is booked) to today. The first run of a day also
 * includes the booked days to compare.
 */
export function currentRange(
  day: RunCalendar,
  history: DayHistory,
  rules: StorageRules,
  isFirstOfDay: boolean,
): DayRange {
  const yesterday = addDays(day.today, -1);
  const from = history.booked.has(yesterday) || yesterday < day.since ? day.today : yesterday;
  if (!isFirstOfDay) return { from, to: day.today };
  const back = Math.min(rules.recheckDays, MAX_RANGE - 1);
  const compared = Array.from({ length: back }, (_, index) => addDays(day.today, index - back));
  return { from: compared.find((each) => history.booked.has(each)) ?? from, to: day.today };
}

/** The day of a stored time. */
export function toDay(calendar: Calendar, timestamp: string): string {
  return calendar.dayAt(fromTimestamp(timestamp));
}

/** How many disputed days, the newest ones, are requested again each day. */
const MAX_DISPUTED = 62;

/**
 * Gaps before `before` in ranges, newest first, the newest one not after `last`: each is requested once a day
 * until it is given up, then once a month. At the first run of a day so are disputed days: booked days that
 * the service reports differently, or incompletely.
 */
export function findGapRanges(
  calendar: Calendar,
  day: RunCalendar,
  history: DayHistory,
  { before, last, isFirst }: { before: string; last: string; isFirst: boolean },
): DayRange[] {
  const ranges: DayRange[] = [];
  const disputed = new Set(isFirst ? [...history.disputed].sort().slice(-MAX_DISPUTED) : []);
  const first = [...disputed, day.since].sort()[0] ?? day.since;
  for (let date = last; date >= first; date = addDays(date, -1)) {
    const isGap = date >= day.since && isDue(calendar, day, history, date);
    if (date >= before || !(isGap || disputed.has(date))) continue;
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
  const lastRequestedOn = toDay(calendar, gap.last_requested_at);
  // a clock that was ahead may have stored a day in the future
  if (gap.given_up_at !== null)
    return Math.abs(daysBetween(lastRequestedOn, day.today)) >= GIVEN_UP_EVERY_DAYS;
  if (lastRequestedOn !== day.today) return true;
  // a second reading that differs from the first one is repeated on the next day
  const first = history.unconfirmed.get(date);
  const isFirstReading = first?.observed_at === gap.last_requested_at;
  return isFirstReading && day.now - fromTimestamp(first.observed_at) >= CONFIRM_AFTER_MS;
}
