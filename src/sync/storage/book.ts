/** Storage statistics of one account: stores today's reading, books past days once, and requests gaps again. */
import { daysBetween } from '../../lib/calendar.ts';
import { addDays, type DayRange } from '../../lib/days.ts';
import { RefusedError } from '../../lib/errors.ts';
import type { DayCounts, DayHistory } from '../../warehouse/store-days.ts';
import type { StorageRules, SyncAccount, SyncContext } from '../context.ts';
import { classifyDays, findNewestReturned, type Trust } from './classify-days.ts';
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
  /** The file holds times ahead of the clock: nothing is given up. */
  isFileAhead: boolean;
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
  /** Computed once, so that midnight changes nothing; again if the clock turns out to be wrong. */
  day: RunCalendar;
  /** Earlier days leave no gap: they were only requested by hand. */
  gapsFrom: string;
  /** The newest day that this run received; null for none. */
  newestReturned: string | null;
}

/** Requests the current days, then older gaps; each response is stored before the next request. */
export async function bookStorage(context: SyncContext, options: StorageOptions): Promise<StorageOutcome> {
  const counts = { booked: 0, discrepancies: 0, missed: 0, unconfirmed: 0, quarantined: 0 };
  const outcome: StorageOutcome = { account: options.account.name, live: null, ...counts };
  const history = context.warehouse.readDayHistory(outcome.account);
  const day = createCalendar(context, options, history);
  const { since: gapsFrom } = createCalendar(context, { ...options, days: null }, history);
  const booking = { context, options, outcome, day, gapsFrom, newestReturned: null };
  if (!options.days) await bookDueDays(booking, history);
  else for (const range of splitNamedDays(day, options.days)) await fillRange(booking, range);
  return outcome;
}

/** `before`: the days known before the first response. */
async function bookDueDays(booking: Booking, before: DayHistory): Promise<void> {
  const { context, outcome } = booking;
  const { range: current, answer } = await fetchCurrentDays(booking, before);
  storeAnswer(booking, current, answer);
  const { day } = booking;
  if (!outcome.live) {
    context.logger.warn(
      { event: 'storage_missing', account: outcome.account, date: day.today },
      `the service returned no storage figures of ${day.today}`,
    );
  }
  const { mayBook, differenceMs } = getTrust(booking);
  if (!mayBook) return;
  const history = context.warehouse.readDayHistory(outcome.account);
  const isDayCertain = outcome.live === true || differenceMs !== null;
  const newest = isDayCertain ? null : getNewestServed(booking, history);
  const ranges = findGapRanges(context.calendar, day, history, {
    current,
    isFirst: isFirstOfDay(day, before),
    newest,
  });
  await fillGaps(booking, ranges);
}

/** Requests the current days; once more if the response shows that the machine's clock has the wrong day. */
async function fetchCurrentDays(booking: Booking, history: DayHistory) {
  const { context, options } = booking;
  const range = getCurrentRange(booking, history);
  const answer = await fetchDays(options, range);
  const today = context.calendar.dayAt(answer.answeredAt);
  const isBehind = today > booking.day.today && options.account.clock.evidence().wasOff; // else midnight has passed
  if (today >= booking.day.today && !isBehind) return { range, answer };
  booking.day = createCalendar(context, options, history);
  const corrected = getCurrentRange(booking, history);
  return { range: corrected, answer: await fetchDays(options, corrected) };
}

function getCurrentRange({ options, day }: Booking, history: DayHistory): DayRange {
  return currentRange(day, history, options.rules, isFirstOfDay(day, history));
}

function createCalendar(
  { calendar }: SyncContext,
  { account, rules, days }: StorageOptions,
  history: DayHistory,
): RunCalendar {
  const since = days ? days.from : rules.since;
  return createRunCalendar(calendar, account.clock.now(), { ...rules, since }, history);
}

/** A clock that the responses contradict books nothing; one that the file contradicts gives nothing up. */
function getTrust({ options }: Booking): Trust {
  const { wasOff, differenceMs } = options.account.clock.evidence();
  return { mayBook: !wasOff, mayGiveUp: !wasOff && !options.isFileAhead, differenceMs };
}

/** The newest day that the service is known to have had, in this run or before; null if none is known. */
function getNewestServed({ newestReturned }: Booking, { booked, lastReading }: DayHistory): string | null {
  return [...booked, lastReading ?? '', newestReturned ?? ''].sort().at(-1) || null;
}

type Answer = Awaited<ReturnType<typeof fetchDays>>;

function storeAnswer(booking: Booking, range: DayRange, answer: Answer): void {
  const { context, options, outcome, day, gapsFrom } = booking;
  const { calendar, warehouse } = context;
  const history = warehouse.readDayHistory(outcome.account);
  booking.newestReturned = findNewestReturned(answer.records, range, booking.newestReturned);
  const newestServed = getNewestServed(booking, history);
  const trust = getTrust(booking);
  const { rules } = options;
  const days = classifyDays(answer, { range, day, history, rules, calendar, gapsFrom, newestServed, trust });
  const counts = warehouse.storeDays({ account: outcome.account, ...days });
  for (const name of Object.keys(counts) as (keyof DayCounts)[]) outcome[name] += counts[name];
  if (range.to >= day.today) outcome.live ||= days.live !== null;
}

/** Fills gaps, newest first. If a range is refused completely, older ones are not requested today and stay gaps. */
async function fillGaps(booking: Booking, ranges: readonly DayRange[]): Promise<void> {
  let isServed = true;
  for (const range of ranges) {
    if (isServed) isServed = await fillRange(booking, range);
    else storeAnswer(booking, range, emptyAnswer(booking));
  }
}

/**
 * Requests a range; if it is refused, its halves, the newer one first: the service does not document how long a range may
 * be, and how far back (docs/service.md 4.2). Returns false if nothing of it was served.
 */
async function fillRange(booking: Booking, range: DayRange): Promise<boolean> {
  const { options, context } = booking;
  const length = daysBetween(range.from, range.to);
  try {
    storeAnswer(booking, range, await fetchDays(options, range));
    return true;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { message } = error;
    const facts = { account: options.account.name, date: range.from, error: message };
    if (length === 0) context.logger.warn({ event: 'storage_refused', ...facts }, message);
  }
  if (length === 0) {
    storeAnswer(booking, range, emptyAnswer(booking));
    return false;
  }
  const middle = addDays(range.from, Math.ceil(length / 2));
  const isServed = await fillRange(booking, { from: middle, to: range.to });
  const older = { from: range.from, to: addDays(middle, -1) };
  if (isServed) await fillRange(booking, older);
  else storeAnswer(booking, older, emptyAnswer(booking));
  return isServed;
}

/** The response of a service that returns none of the days. */
function emptyAnswer({ options }: Booking): Answer {
  return { records: [], raw: () => '', redact: (text) => text, answeredAt: options.account.clock.now() };
}

function fetchDays({ account, runId, signal }: StorageOptions, range: DayRange) {
  signal.throwIfAborted();
  return account.client.storageDays({ ...range, purpose: 'storage', runId, signal });
}
