/** The storage statistics of one account: today live, past days booked once, holes asked for again. */
import { daysBetween } from '../../lib/calendar.ts';
import { addDays, type DayRange } from '../../lib/days.ts';
import { RefusedError } from '../../lib/errors.ts';
import type { DayCounts, KnownDays } from '../../warehouse/store-days.ts';
import type { StorageRules, SyncAccount, SyncContext } from '../context.ts';
import { createRunCalendar, currentRange, gapRanges, isFirstOfDay, namedRanges } from './date-ranges.ts';
import type { RunCalendar } from './date-ranges.ts';
import { findNewestTold, classifyDays, type Trust } from './classify-days.ts';

export interface StorageOptions {
  account: SyncAccount;
  rules: StorageRules;
  runId: number;
  /** Only these days, also given-up ones and those before `since`; null for what is due. */
  days: DayRange | null;
  /** The file holds moments that lie ahead of the clock: nothing is given up. */
  isFileAhead: boolean;
  signal: AbortSignal;
}

/** What booking came to. */
export interface StorageOutcome extends DayCounts {
  account: string;
  /** False where the service told no figures of today; null where today was not requested. */
  live: boolean | null;
}

/** What is under way, and what it came to so far. */
interface Booking {
  parts: SyncContext;
  order: StorageOptions;
  outcome: StorageOutcome;
  /** Computed once, so that a midnight that passes changes nothing; once more where the clock turns out to be wrong. */
  day: RunCalendar;
  /** Days before this one leave no gap: they were only requested by hand. */
  gapsFrom: string;
  /** The newest day that answers of this run had a record of; null for none. */
  newestTold: string | null;
}

/** Asks for the current days, then for older gaps; each answer is stored before the next request. */
export async function bookStorage(parts: SyncContext, order: StorageOptions): Promise<StorageOutcome> {
  const counts = { booked: 0, discrepancies: 0, missed: 0, unconfirmed: 0, quarantined: 0 };
  const outcome: StorageOutcome = { account: order.account.name, live: null, ...counts };
  const known = await parts.warehouse.knownDays(outcome.account);
  const day = findDay(parts, order, known);
  const { since: gapsFrom } = findDay(parts, { ...order, days: null }, known);
  const booking = { parts, order, outcome, day, gapsFrom, newestTold: null };
  if (order.days) await bookNamed(booking, order.days);
  else await bookDue(booking, known);
  return outcome;
}

/** The days that a person named. */
async function bookNamed(booking: Booking, days: DayRange): Promise<void> {
  for (const range of namedRanges(booking.day, days)) await fillHole(booking, range);
}

/** `before`: what is known before the first answer. */
async function bookDue(booking: Booking, before: KnownDays): Promise<void> {
  const { parts, outcome } = booking;
  const { range, answer } = await askCurrent(booking, before);
  await store(booking, range, answer);
  if (!outcome.live) {
    const { today } = booking.day;
    parts.logger.warn({ account: outcome.account }, `the service told no storage figures of ${today}`);
  }
  if (!trustOf(booking).mayBook) return;
  const known = await parts.warehouse.knownDays(outcome.account);
  const { day } = booking;
  const isSure = outcome.live === true || trustOf(booking).differenceMs !== null;
  const limits = {
    current: range,
    isFirst: isFirstOfDay(day, before),
    newest: isSure ? null : newestServed(booking, known),
  };
  await fillHoles(booking, gapRanges(parts.calendar, day, known, limits));
}

/** Asks for the current days; once more where the answer shows that it is another day than the machine's clock says. */
async function askCurrent(booking: Booking, known: KnownDays): Promise<{ range: DayRange; answer: Answer }> {
  const { parts, order } = booking;
  const range = findCurrentRange(booking, known);
  const answer = await ask(order, range);
  const today = parts.calendar.dayAt(answer.answeredAt);
  const isBehind = today > booking.day.today && order.account.clock.evidence().wasOff; // else it is past midnight
  if (today >= booking.day.today && !isBehind) return { range, answer };
  booking.day = findDay(parts, order, known);
  const second = findCurrentRange(booking, known);
  return { range: second, answer: await ask(order, second) };
}

function findCurrentRange({ order, day }: Booking, known: KnownDays): DayRange {
  return currentRange(day, known, order.rules, isFirstOfDay(day, known));
}

/** The day by the service's clock. */
function findDay(
  parts: SyncContext,
  { account, rules, days }: StorageOptions,
  known: KnownDays,
): RunCalendar {
  const since = days ? days.from : rules.since;
  return createRunCalendar(parts.calendar, account.clock.now(), { ...rules, since }, known);
}

/** A clock that the answers contradict books nothing; one that the file contradicts gives nothing up. */
function trustOf({ order }: Booking): Trust {
  const { wasOff, differenceMs } = order.account.clock.evidence();
  return { mayBook: !wasOff, mayGiveUp: !wasOff && !order.isFileAhead, differenceMs };
}

/** The newest day that the service is known to have had: in this run, or in earlier ones; null before the first. */
function newestServed(booking: Booking, { booked, lastReading }: KnownDays): string | null {
  return [...booked, lastReading ?? '', booking.newestTold ?? ''].sort().at(-1) || null;
}

async function store(booking: Booking, range: DayRange, answer: Answer): Promise<void> {
  const { parts, order, outcome, day } = booking;
  const known = await parts.warehouse.knownDays(outcome.account);
  booking.newestTold = findNewestTold(answer.records, range, booking.newestTold);
  const context = { range, day, known, rules: order.rules, calendar: parts.calendar };
  const { gapsFrom } = booking;
  const served = { gapsFrom, newestServed: newestServed(booking, known) };
  const sorted = classifyDays(answer, { ...context, ...served, trust: trustOf(booking) });
  const counts = await parts.warehouse.storeDays({ account: outcome.account, ...sorted });
  for (const name of Object.keys(counts) as (keyof DayCounts)[]) outcome[name] += counts[name];
  if (range.to >= day.today) outcome.live ||= sorted.live !== null;
}

type Answer = Awaited<ReturnType<typeof ask>>;

/** Newest first. Once a range is refused to its newest day, the older ones are not asked for today: they are gaps. */
async function fillHoles(booking: Booking, ranges: readonly DayRange[]): Promise<void> {
  let isServed = true;
  for (const range of ranges) {
    if (isServed) isServed = await fillHole(booking, range);
    else await store(booking, range, emptyAnswer(booking));
  }
}

/**
 * A refused range is asked for in halves, the newer one first: how long a range may be, and how far back, is not shown
 * (docs/service.md 4.2). Gives false where nothing of it was served.
 */
async function fillHole(booking: Booking, range: DayRange): Promise<boolean> {
  const { order, parts } = booking;
  try {
    await store(booking, range, await ask(order, range));
    return true;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const length = daysBetween(range.from, range.to);
    if (length === 0) {
      parts.logger.warn({ account: order.account.name }, error.message);
      await store(booking, range, emptyAnswer(booking));
      return false;
    }
    const middle = addDays(range.from, Math.ceil(length / 2));
    const isServed = await fillHole(booking, { from: middle, to: range.to });
    const older = { from: range.from, to: addDays(middle, -1) };
    if (isServed) await fillHole(booking, older);
    else await store(booking, older, emptyAnswer(booking));
    return isServed;
  }
}

/** The answer of a service that serves none of the days. */
function emptyAnswer({ order }: Booking): Answer {
  return { records: [], raw: () => '', clean: (text) => text, answeredAt: order.account.clock.now() };
}

function ask({ account, runId, signal }: StorageOptions, range: DayRange) {
  signal.throwIfAborted();
  return account.client.storageDays({ ...range, purpose: 'storage', runId, signal });
}
