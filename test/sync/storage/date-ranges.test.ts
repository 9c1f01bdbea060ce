import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCalendar, daysBetween } from '../../../src/lib/calendar.ts';
import { addDays, type DayRange } from '../../../src/lib/days.ts';
import { toTimestamp, HOUR_MS } from '../../../src/lib/clock.ts';
import type { StorageRules } from '../../../src/sync/context.ts';
import { createRunCalendar, currentRange, findGapRanges } from '../../../src/sync/storage/date-ranges.ts';
import { makeDayHistory } from '../../support/fixtures/day-history.ts';
import { STORAGE_RULES } from '../../support/fixtures/test-config.ts';
import { toMs } from '../../support/clocks/virtual-clock.ts';
const RULES: StorageRules = STORAGE_RULES;
const SEOUL = createCalendar('Asia/Seoul');
/** Noon of 2026-03-10 in Seoul. */
const NOON = toMs('2026-03-10T03:00Z');
const NOTHING = makeDayHistory();

function listDays({ from, to }: DayRange): string[] {
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => addDays(from, index));
}

describe('the day of a run', () => {
  it('is that of the service, and the day before it is settled an hour after midnight there', () => {
    const at = (moment: string) => createRunCalendar(SEOUL, toMs(moment), RULES, NOTHING);
    expect(at('2026-03-09T14:59:59Z')).toMatchObject({ today: '2026-03-09', settled: '2026-03-08' });
    expect(at('2026-03-09T15:00:00Z')).toMatchObject({ today: '2026-03-10', settled: '2026-03-08' });
    expect(at('2026-03-09T15:59:59Z')).toMatchObject({ today: '2026-03-10', settled: '2026-03-08' });
    expect(at('2026-03-09T16:00:00Z')).toMatchObject({ today: '2026-03-10', settled: '2026-03-09' });
  });

  it('never settles a day before the settling time is over, and never waits longer, in any zone', () => {
    const zones = [
      'UTC',
      'Asia/Seoul',
      'America/New_York',
      'Africa/Cairo',
      'Asia/Beirut',
      'America/Havana',
      'Pacific/Apia',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    ];
    const moment = fc.integer({ min: toMs('2010-01-01T00:00Z'), max: toMs('2028-01-01T00:00Z') });
    const settle = fc.oneof(fc.constant(0), fc.constant(HOUR_MS), fc.nat(50 * HOUR_MS));
    const property = fc.property(fc.constantFrom(...zones), moment, settle, (zone, now, settleMs) => {
      const calendar = createCalendar(zone);
      const { settled, today } = createRunCalendar(calendar, now, { ...RULES, settleMs }, NOTHING);
      expect(settled < today).toBe(true);
      expect(calendar.startOf(addDays(settled, 1)) + settleMs).toBeLessThanOrEqual(now);
      expect(calendar.startOf(addDays(settled, 2)) + settleMs).toBeGreaterThan(now);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('begins the history at `since`, or else at the first known day, or else yesterday', () => {
    const since = (rules: { since: string | null }, history = NOTHING) =>
      createRunCalendar(SEOUL, NOON, { ...RULES, ...rules }, history).since;
    expect(since({ since: '2020-02-29' }, makeDayHistory({ booked: ['2019-01-01'] }))).toBe('2020-02-29');
    expect(since({ since: null })).toBe('2026-03-09');
    expect(since({ since: null }, makeDayHistory({ booked: ['2026-02-03', '2026-02-02'] }))).toBe(
      '2026-02-02',
    );
    expect(
      since({ since: null }, makeDayHistory({ booked: ['2026-02-03'], gaps: { '2026-02-01': {} } })),
    ).toBe('2026-02-01');
    expect(since({ since: null }, makeDayHistory({ firstReading: '2026-03-01' }))).toBe('2026-02-28');
  });
});

describe('the range of every run', () => {
  const getRange = (history = NOTHING, isFirst = false, rules = RULES) =>
    currentRange(createRunCalendar(SEOUL, NOON, rules, history), history, rules, isFirst);

  it('is yesterday and today, or today alone once yesterday is booked', () => {
    expect(getRange()).toEqual({ from: '2026-03-09', to: '2026-03-10' });
    expect(getRange(makeDayHistory({ booked: ['2026-03-09'] }))).toEqual({
      from: '2026-03-10',
      to: '2026-03-10',
    });
  });

  it('does not begin before `since`', () => {
    const rules = { ...RULES, since: '2026-03-10' };
    expect(getRange(NOTHING, true, rules)).toEqual({ from: '2026-03-10', to: '2026-03-10' });
  });

  it('goes back to the first booked day that is to be compared again, at the first run of a day', () => {
    const booked = ['2026-03-05', '2026-03-06', '2026-03-07', '2026-03-08', '2026-03-09'];
    expect(getRange(makeDayHistory({ booked }), true)).toEqual({ from: '2026-03-07', to: '2026-03-10' });
    expect(getRange(makeDayHistory({ booked: ['2026-03-08'] }), true)).toEqual({
      from: '2026-03-08',
      to: '2026-03-10',
    });
    expect(getRange(makeDayHistory({ booked: ['2026-03-05'] }), true)).toEqual({
      from: '2026-03-09',
      to: '2026-03-10',
    });
    expect(getRange(makeDayHistory({ booked }), true, { ...RULES, recheckDays: 0 })).toEqual({
      from: '2026-03-10',
      to: '2026-03-10',
    });
  });

  it('never has more than 31 days', () => {
    const booked = listDays({ from: '2025-01-01', to: '2026-03-09' });
    const range = getRange(makeDayHistory({ booked }), true, { ...RULES, recheckDays: 400 });
    expect(range).toEqual({ from: '2026-02-08', to: '2026-03-10' });
    expect(listDays(range)).toHaveLength(31);
  });
});

describe('the ranges of the gaps', () => {
  const getRanges = (since: string, history = NOTHING, now = NOON) => {
    const rules = { ...RULES, since };
    const day = createRunCalendar(SEOUL, now, rules, history);
    return findGapRanges(SEOUL, day, history, {
      before: currentRange(day, history, rules, false).from,
      last: day.settled,
      isFirst: false,
    });
  };

  it('are at most 31 days each, newest first', () => {
    expect(getRanges('2026-01-01')).toEqual([
      { from: '2026-02-06', to: '2026-03-08' },
      { from: '2026-01-06', to: '2026-02-05' },
      { from: '2026-01-01', to: '2026-01-05' },
    ]);
  });

  it('exclude days that were requested on this day already, and given-up ones', () => {
    const gaps = {
      '2026-03-05': { lastRequestedAt: toTimestamp(NOON - 12 * HOUR_MS) },
      '2026-03-06': { lastRequestedAt: toTimestamp(NOON - 12 * HOUR_MS - 1000) },
      '2026-03-07': { givenUp: true, lastRequestedAt: toTimestamp(NOON - 24 * HOUR_MS) },
      '2026-03-08': { lastRequestedAt: toTimestamp(NOON) },
    };
    expect(getRanges('2026-03-05', makeDayHistory({ gaps }))).toEqual([
      { from: '2026-03-06', to: '2026-03-06' },
    ]);
  });

  it('cover exactly the days that are due, whatever is known', () => {
    const fate = fc.constantFrom('unknown', 'booked', 'requested today', 'requested before', 'given up');
    const property = fc.property(
      fc.array(fate, { minLength: 1, maxLength: 120 }),
      fc.integer({ min: NOON - 30 * HOUR_MS, max: NOON }),
      fc.boolean(),
      (fates, now, isFirst) => {
        const since = addDays('2026-03-09', -fates.length + 1);
        const days = fates.map((each, index) => ({ date: addDays(since, index), fate: each }));
        const history = makeDayHistory({
          booked: days.filter((day) => day.fate === 'booked').map((day) => day.date),
          gaps: Object.fromEntries(
            days
              .filter((day) => ['requested today', 'requested before', 'given up'].includes(day.fate))
              .map((day) => [
                day.date,
                {
                  givenUp: day.fate === 'given up',
                  lastRequestedAt: toTimestamp(day.fate === 'requested today' ? now : now - 26 * HOUR_MS),
                },
              ]),
          ),
        });
        const rules = { ...RULES, since };
        const day = createRunCalendar(SEOUL, now, rules, history);
        const current = currentRange(day, history, rules, isFirst);
        const ranges = findGapRanges(SEOUL, day, history, {
          before: current.from,
          last: day.settled,
          isFirst,
        });
        const due = days
          .filter((each) => ['unknown', 'requested before'].includes(each.fate))
          .map((each) => each.date)
          .filter((date) => date <= day.settled && date < current.from);
        const requested = new Set(ranges.flatMap(listDays));
        expect(due.filter((date) => !requested.has(date))).toEqual([]);
        expect(ranges.flatMap(({ from, to }) => [from, to]).filter((date) => !due.includes(date))).toEqual(
          [],
        );
        expect(ranges.every((range) => listDays(range).length <= 31)).toBe(true);
        expect(ranges.slice(1).every(({ to }, index) => to < (ranges[index]?.from ?? ''))).toBe(true);
        expect(current.to).toBe(day.today);
        expect(listDays(current).length).toBeLessThanOrEqual(31);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});
