/**
 * Random histories of the storage of one account: a service that omits days, returns them late or twice, and
 * changes figures of past days; runs at any time, some across midnight. The invariants are checked in the
 * file after every run.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../support/rounds.ts';
import { createCalendar, daysBetween, type Calendar } from '../../../src/lib/calendar.ts';
import { addDays } from '../../../src/lib/days.ts';
import { storageRecord } from '../../support/fixtures/service-responses.ts';
import {
  openStorageAccount,
  type DayAnswer,
  type DayQuery,
  type StorageAccount,
} from '../../support/servers/storage-account.ts';
import { HOUR_MS, DAY_MS } from '../../../src/lib/clock.ts';
import { createVirtualClock, type VirtualClock } from '../../support/clocks/virtual-clock.ts';
import { often, type ValueOf } from '../../support/models/steps.ts';

const START = Date.parse('2026-03-20T12:00Z');
/** The service has this many past days. */
const DAYS_BEFORE = 45;

/** How the service behaves about one day. */
const dayFate = fc.record({
  /** Days after its end before it is returned; null: never. */
  lateDays: often<number | null>(4, 0, fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 6 }))),
  /** Days after its end from which the service returns other figures; null: never. */
  changesAfterDays: often<number | null>(2, null, fc.nat(5)),
  twice: often(5, 'never', fc.constantFrom('same', 'different at first', 'different')),
});
type DayFate = ValueOf<typeof dayFate>;

const runFate = fc.record({
  /** Milliseconds after the previous run. */
  afterMs: fc.oneof(fc.nat(HOUR_MS), fc.nat(12 * HOUR_MS), fc.nat(3 * DAY_MS)),
  /** The duration of each of its requests in milliseconds. */
  latencyMs: often(2, 0, fc.nat(3 * HOUR_MS)),
  /** The number of the request of the run that the service rejects, from 1; 0: none. */
  refuses: often(5, 0, fc.integer({ min: 1, max: 3 })),
});
type RunFate = ValueOf<typeof runFate>;

const bookingHistory = fc.record({
  timezone: fc.constantFrom('Asia/Seoul', 'America/New_York', 'Asia/Beirut', 'Pacific/Apia', 'UTC'),
  /** Its responses have a `Date`: without one, days that may not be over are no gaps yet. */
  isDated: fc.boolean(),
  sinceDaysAgo: fc.option(fc.nat(40)),
  settleMs: fc.constantFrom(0, HOUR_MS, 30 * HOUR_MS),
  recheckDays: fc.nat(5),
  giveUpDays: fc.nat(5),
  /**
   * With a small factor, each day waits for a second reading: its live readings are far from its past
   * figures.
   */
  plausibleFactor: fc.constantFrom(2, 1e9),
  days: fc.array(dayFate, { minLength: 1, maxLength: 12 }),
  runs: fc.array(runFate, { minLength: 1, maxLength: 12 }),
});
type BookingHistory = ValueOf<typeof bookingHistory>;

/** One figure that the service returned for one day, and when. */
interface ReturnedFigure {
  date: string;
  figure: number;
  at: number;
}

/** Runs a history, and returns the violated invariants as texts; empty if there is none. */
async function runBookingHistory(history: BookingHistory): Promise<string[]> {
  const clock = createVirtualClock(START);
  const calendar = createCalendar(history.timezone);
  const service = createService(history, clock, calendar);
  const { settleMs, recheckDays, giveUpDays, plausibleFactor, sinceDaysAgo } = history;
  const since = sinceDaysAgo === null ? null : addDays(calendar.dayAt(START), -sinceDaysAgo);
  const account = await openStorageAccount({
    answer: service.answer,
    clock,
    isDated: history.isDated,
    timezone: history.timezone,
    rules: { settleMs, recheckDays, giveUpDays, plausibleFactor, since },
  });
  const broken: string[] = [];
  let before = new Map<string, string>();
  for (const run of history.runs) {
    const startedAt = clock.now() + run.afterMs;
    service.begin(run);
    const summary = await account.runAt(startedAt);
    if (summary.failures.length > 0 && run.refuses === 0) broken.push(summary.failures[0]?.message ?? '');
    const after = bookedRows(account);
    for (const [date, row] of before) if (after.get(date) !== row) broken.push(`booked day ${date} changed`);
    broken.push(...findUnfounded(account, service.returned, calendar, settleMs));
    if (since && history.isDated && summary.failures.length === 0) {
      // without a figure of a later day, a day is not over before a whole day more has passed
      broken.push(...findUnaccounted(account, since, addDays(calendar.dayAt(startedAt - settleMs), -2)));
    }
    before = after;
  }
  account.close();
  return broken;
}

function createService(history: BookingHistory, clock: VirtualClock, calendar: Calendar) {
  const returned: ReturnedFigure[] = [];
  const first = addDays(calendar.dayAt(START), -DAYS_BEFORE);
  let run: RunFate = { afterMs: 0, latencyMs: 0, refuses: 0 };
  let requests = 0;
  let readings = 0;

  function createRecords(date: string): Record<string, unknown>[] {
    const now = clock.now();
    if (date < first || date > calendar.dayAt(now)) return [];
    const fate = history.days[daysBetween(first, date) % history.days.length] as DayFate;
    const daysOver = (now - calendar.startOf(addDays(date, 1))) / DAY_MS;
    if (daysOver >= 0 && (fate.lateDays === null || daysOver < fate.lateDays)) return [];
    const isChanged = fate.changesAfterDays !== null && daysOver >= fate.changesAfterDays;
    const past = 10 * daysBetween(first, date);
    const figure = daysOver < 0 ? 1_000_000 + ++readings : isChanged ? past + 2 : past + 1;
    if (fate.twice === 'never') return [createRecord(date, figure)];
    const isSame = fate.twice === 'same' || (fate.twice === 'different at first' && daysOver > 2);
    if (isSame) return [createRecord(date, figure), createRecord(date, figure)];
    return [storageRecord(date, -1), storageRecord(date, -2)];
  }

  function createRecord(date: string, figure: number): Record<string, unknown> {
    returned.push({ date, figure, at: clock.now() });
    return storageRecord(date, figure);
  }

  return {
    returned,
    begin: (next: RunFate) => {
      run = next;
      requests = 0;
    },
    answer: ({ days }: DayQuery): DayAnswer => {
      clock.advance(run.latencyMs);
      return ++requests === run.refuses ? { status: 403 } : days.flatMap(createRecords);
    },
  };
}

function bookedRows(account: StorageAccount): Map<string, string> {
  const rows = account.rows(`select * from storage_day where state = 'booked'`);
  return new Map(rows.map((row) => [String(row['date']), JSON.stringify(row)]));
}

/** Booked days whose figure the service never returned by itself after they were over and settled. */
function findUnfounded(
  account: StorageAccount,
  returned: readonly ReturnedFigure[],
  calendar: Calendar,
  settleMs: number,
): string[] {
  return account.days().flatMap(([date, state, figure]) => {
    const settledAt = calendar.startOf(addDays(date, 1)) + settleMs;
    const isFounded = returned.some(
      (each) => each.date === date && each.figure === figure && each.at >= settledAt,
    );
    return state === 'live' || isFounded
      ? []
      : [`day ${date} is booked as ${figure}, which the service never returned`];
  });
}

/** Days from `since` to `last` that are neither booked nor a gap, or both. */
function findUnaccounted(account: StorageAccount, since: string, last: string): string[] {
  const booked = new Set(bookedRows(account).keys());
  const gaps = new Set(account.rows('select date from storage_gap').map((row) => String(row['date'])));
  const both = [...gaps].filter((date) => booked.has(date));
  const neither: string[] = [];
  for (let date = since; date <= last; date = addDays(date, 1)) {
    if (!booked.has(date) && !gaps.has(date)) neither.push(date);
  }
  return [
    ...both.map((date) => `${date} is booked and a gap`),
    ...neither.map((date) => `${date} is nowhere`),
  ];
}

describe('a booked day', () => {
  it('never changes and was never invented, whatever the service returns and whenever runs are made', async () => {
    await fc.assert(
      fc.asyncProperty(bookingHistory, async (history) => {
        expect(await runBookingHistory(history)).toEqual([]);
      }),
      { numRuns: rounds(500) },
    );
  }, 1_200_000);
});
