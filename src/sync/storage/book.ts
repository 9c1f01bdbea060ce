/** Storage statistics of one account: stores today's reading, books past days once, and requests gaps again. */
import type { DayRange } from '../../lib/days.ts';
import { RefusedError } from '../../lib/errors.ts';
import type { DayCounts, DayHistory } from '../../warehouse/store-days.ts';
import type { StorageRules, SyncAccount, SyncContext } from '../context.ts';
import { classifyDays, findNewestReturned, type DaysToClassify } from './classify-days.ts';
import {
  createRunCalendar,
  currentRange,
  findGapRanges,
  isFirstOfDay,
  splitNamedDays,
} from './date-ranges.ts';
import type { RunCalendar } from './date-ranges.ts';

export interface StorageOptions {
  account: SyncAccount;
  rules: StorageRules;
  runId: number;
  /** Only these days, also given-up ones and those before `since`; null for what is due. */
  days: DayRange | null;
  signal: AbortSignal;
}

export interface StorageOutcome extends DayCounts {
  account: string;
  /** Whether the service returned figures of today; null if they were not requested. */
  live: boolean | null;
}

interface Booking {
  context: SyncContext;
  options: StorageOptions;
  outcome: StorageOutcome;
  /** Computed once, so that midnight changes nothing. */
  day: RunCalendar;
  /** Earlier days leave no gap: they were only requested by hand. */
  gapsFrom: string;
  /** The newest day that this run received; null for none. */
  newestReturned: string | null;
}

/** Requests the current days, then older gaps; each response is stored before the next request. */
export async function bookStorage(context: SyncContext, options: StorageOptions): Promise<StorageOutcome> {
  const { account, rules, days } = options;
  const counts = { booked: 0, discrepancies: 0, missed: 0, unconfirmed: 0, quarantined: 0 };
  const outcome: StorageOutcome = { account: account.name, live: null, ...counts };
  const history = context.warehouse.readDayHistory(account.name);
  const day = createRunCalendar(context.calendar, context.clock.now(), rules, history);
  const since = days?.from ?? day.since;
  const state = { outcome, day: { ...day, since }, gapsFrom: day.since, newestReturned: null };
  const booking = { context, options, ...state };
  if (!days) await bookDueDays(booking, history);
  else for (const range of splitNamedDays(day, days)) await bookRange(booking, range);
  return outcome;
}

/** `before`: the days known before the first response. */
async function bookDueDays(booking: Booking, before: DayHistory): Promise<void> {
  const { context, options, outcome, day } = booking;
  const isFirst = isFirstOfDay(day, before);
  const current = currentRange(day, before, options.rules, isFirst);
  await bookRange(booking, current);
  if (!outcome.live) {
    context.logger.warn(
      { event: 'storage_missing', account: outcome.account, date: day.today },
      `the service returned no storage figures of ${day.today}`,
    );
  }
  const { isOff, differenceMs } = options.account.clockCheck.result();
  if (isOff) return;
  const history = context.warehouse.readDayHistory(outcome.account);
  const isDayCertain = outcome.live === true || differenceMs !== null;
  const newest = isDayCertain ? null : getNewestServed(booking, history);
  await fillGaps(booking, findGapRanges(context.calendar, day, history, { current, isFirst, newest }));
}

/** Fills gaps, newest first. If a range is refused, it and older ones stay gaps: they are not requested again today. */
async function fillGaps(booking: Booking, ranges: readonly DayRange[]): Promise<void> {
  const { context, outcome } = booking;
  let isServed = true;
  for (const range of ranges) {
    try {
      if (isServed) await bookRange(booking, range);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      isServed = false;
      const { message } = error;
      context.logger.warn(
        { event: 'storage_refused', account: outcome.account, date: range.from, error: message },
        message,
      );
    }
    if (!isServed) storeAnswer(booking, range, noDays(context));
  }
}

/** The response of a service that returns none of the days. */
function noDays({ clock }: SyncContext): DaysToClassify {
  return { records: [], raw: () => '', answeredAt: clock.now() };
}

async function bookRange(booking: Booking, range: DayRange): Promise<void> {
  const { account, runId, signal } = booking.options;
  signal.throwIfAborted();
  const answer = await account.client.storageDays({ ...range, purpose: 'storage', runId, signal });
  storeAnswer(booking, range, answer);
}

function storeAnswer(booking: Booking, range: DayRange, answer: DaysToClassify): void {
  const { context, options, outcome, day, gapsFrom } = booking;
  const { calendar, warehouse } = context;
  const { rules, account } = options;
  const history = warehouse.readDayHistory(outcome.account);
  booking.newestReturned = findNewestReturned(answer.records, range, booking.newestReturned);
  const newestServed = getNewestServed(booking, history);
  const clock = account.clockCheck.result();
  const days = classifyDays(answer, { range, day, history, rules, calendar, gapsFrom, newestServed, clock });
  const counts = warehouse.storeDays({ account: outcome.account, ...days });
  for (const name of Object.keys(counts) as (keyof DayCounts)[]) outcome[name] += counts[name];
  if (range.to >= day.today) outcome.live ||= days.live !== null;
}

/** The newest day that the service is known to have had, in this run or before; null if none is known. */
function getNewestServed({ newestReturned }: Booking, { booked, lastReading }: DayHistory): string | null {
  return [...booked, lastReading ?? '', newestReturned ?? ''].sort().at(-1) || null;
}
