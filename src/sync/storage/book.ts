/**
 * Storage statistics of one account: stores today's reading, books past days once, and requests gaps again.
 */
import type { DayRange } from '../../lib/days.ts';
import { RefusedError } from '../../lib/errors.ts';
import type { DayCounts, DayHistory } from '../../warehouse/store-days.ts';
import type { StorageRules, SyncAccount, SyncContext } from '../context.ts';
import { classifyDays, type DaysToClassify } from './classify-days.ts';
import { createRunCalendar, currentRange, findGapRanges, splitNamedDays } from './date-ranges.ts';
import type { RunCalendar } from './date-ranges.ts';
import { readDayHistory, storeDays } from '../../warehouse/store-days.ts';
import { transact } from '../../database/transaction.ts';

export interface StorageOptions {
  account: SyncAccount;
  rules: StorageRules;
  runId: number;
  /** Only these days, also given-up ones and those before `since`; null for what is due. */
  days: DayRange | null;
  /** See RequestContext. */
  beforeRetry: (failure: unknown) => Promise<void>;
  signal: AbortSignal;
}

export interface StorageOutcome extends DayCounts {
  account: string;
  /** Whether the service returned figures of today; null if they were not requested. */
  live: boolean | null;
}

interface Booking extends StorageOptions {
  context: SyncContext;
  outcome: StorageOutcome;
  /** Computed once, so that midnight changes nothing during the run. */
  day: RunCalendar;
  /** Earlier days leave no gap, because they were only requested by hand. */
  gapsFrom: string;
}

/** Requests the current days, then older gaps; each response is stored before the next request. */
export async function bookStorage(context: SyncContext, options: StorageOptions): Promise<StorageOutcome> {
  const { account, rules, days } = options;
  const outcome: StorageOutcome = {
    account: account.name,
    live: null,
    booked: 0,
    discrepancies: 0,
    missed: 0,
    unconfirmed: 0,
    quarantined: 0,
  };
  const history = readDayHistory(context.warehouse.db, account.name);
  const day = createRunCalendar(context.calendar, context.clock.now(), rules, history);
  const since = days?.from ?? day.since;
  const booking = { ...options, context, outcome, day: { ...day, since }, gapsFrom: day.since };
  if (!days) await bookDueDays(booking, history);
  else for (const range of splitNamedDays(day, days)) await bookRange(booking, range);
  return outcome;
}

/** `before`: the days known before the first response. */
async function bookDueDays(booking: Booking, before: DayHistory): Promise<void> {
  const { context, outcome, day, rules, account } = booking;
  const isFirst = before.newestDay?.date !== day.today; // no run of this day has made a live reading yet
  const current = currentRange(day, before, rules, isFirst);
  await bookRange(booking, current);
  if (!outcome.live) {
    const message = `the service returned no storage figures of ${day.today}`;
    context.logger.warn({ event: 'storage_missing', account: account.name, date: day.today }, message);
  }
  const { isOff, differenceMs } = account.clockCheck.result();
  if (isOff) return;
  const history = readDayHistory(context.warehouse.db, account.name);
  // without a sign that the clock is right, gaps end at the newest known day: a clock that is far ahead must
  // not request years of future days
  const isDayCertain = outcome.live === true || differenceMs !== null;
  const newest = isDayCertain ? day.settled : ([...history.rows.keys()].sort().at(-1) ?? '');
  const last = newest < day.settled ? newest : day.settled;
  for (const range of findGapRanges(context.calendar, day, history, { before: current.from, last, isFirst }))
    await fillGap(booking, range);
}

/** Requests gaps. If the service refuses the range, its days stay gaps. */
async function fillGap(booking: Booking, range: DayRange): Promise<void> {
  const { context, outcome } = booking;
  try {
    await bookRange(booking, range);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { message } = error;
    const facts = { account: outcome.account, date: range.from, error: message };
    context.logger.warn({ event: 'storage_refused', ...facts }, message);
    storeAnswer(booking, range, { records: [], answeredAt: context.clock.now() });
  }
}

async function bookRange(booking: Booking, range: DayRange): Promise<void> {
  const { account, runId, beforeRetry, signal } = booking;
  signal.throwIfAborted();
  const request = { ...range, purpose: 'storage' as const, runId, signal, beforeRetry };
  storeAnswer(booking, range, await account.client.storageDays(request));
}

function storeAnswer(booking: Booking, range: DayRange, answer: DaysToClassify): void {
  const { context, outcome, day, rules, gapsFrom } = booking;
  const { calendar, warehouse } = context;
  const history = readDayHistory(warehouse.db, outcome.account);
  const clock = booking.account.clockCheck.result();
  const days = classifyDays(answer, { range, day, history, rules, calendar, gapsFrom, clock });
  const counts = transact(warehouse.db, (tx) => storeDays(tx, { account: outcome.account, ...days }));
  // Object.keys returns string[]
  for (const name of Object.keys(counts) as (keyof DayCounts)[]) outcome[name] += counts[name];
  if (range.to >= day.today) outcome.live ||= days.live?.date === day.today;
}
