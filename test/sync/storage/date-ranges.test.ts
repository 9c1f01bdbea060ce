import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCalendar } from '../../../src/lib/calendar.ts';
import { addDays, listDays } from '../../../src/lib/days.ts';
import { toTimestamp, HOUR_MS } from '../../../src/lib/clock.ts';
import type { StorageRules } from '../../../src/sync/context.ts';
import { createRunCalendar, currentRange, findGapRanges } from '../../../src/sync/storage/date-ranges.ts';
import { dayRow, makeDayHistory } from '../../support/fixtures/storage-days.ts';
import { createStorageConfig } from '../../support/fixtures/test-config.ts';
import { toMs } from '../../support/clocks/virtual-clock.ts';
const RULES: StorageRules = createStorageConfig('');
const SEOUL = createCalendar('Asia/Seoul');
/** Noon of 2026-03-10 in Seoul. */
const NOON = toMs('2026-03-10T03:00Z');
const NOTHING = makeDayHistory();

describe('the day of a run', () => {
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
});

describe('the range of every run', () => {
  const getRange = (history = NOTHING, isFirst = false, rules = RULES) =>
    currentRange(createRunCalendar(SEOUL, NOON, rules, history), history, rules, isFirst);

  const since = { since: '2026-03-10' };
  const five = listDays({ from: '2026-03-05', to: '2026-03-09' });
  it.each([
    ['is yesterday and today', [], false, {}, '2026-03-09'],
    ['is today alone once yesterday is booked', ['2026-03-09'], false, {}, '2026-03-10'],
    ['does not begin before `since`', [], true, since, '2026-03-10'],
    ['goes back to the first booked day to compare, at the first run of a day', five, true, {}, '2026-03-07'],
    ['goes back to a booked day only', ['2026-03-08'], true, {}, '2026-03-08'],
    ['does not go back to a day that is too old', ['2026-03-05'], true, {}, '2026-03-09'],
    ['compares no day where the config wants none', five, true, { recheckDays: 0 }, '2026-03-10'],
  ] as const)('%s', (_what, booked, isFirst, rules, from) => {
    const range = getRange(makeDayHistory({ booked }), isFirst, { ...RULES, ...rules });
    expect(range).toEqual({ from, to: '2026-03-10' });
  });
});

describe('the ranges of the gaps', () => {
  const readingAt = (minutes: number) => toTimestamp(NOON - minutes * 60_000);
  const figures = dayRow('2026-03-05', 1);
  /** The days that are requested from 2026-03-05 to 2026-03-07, where the history begins on the 4th. */
  const listRequested = (known: Parameters<typeof makeDayHistory>[0], isFirst = false) => {
    const history = makeDayHistory({ booked: ['2026-03-04', '2026-03-06', '2026-03-07'], ...known });
    const day = createRunCalendar(SEOUL, NOON, { ...RULES, since: '2026-03-04' }, history);
    const limits = { before: '2026-03-08', last: '2026-03-08', isFirst };
    return findGapRanges(SEOUL, day, history, limits).flatMap(listDays).sort();
  };
  const requested = (minutes: number) => ({ '2026-03-05': { last_requested_at: readingAt(minutes) } });
  const first = (minutes: number) => ({ unconfirmed: [{ ...figures, observed_at: readingAt(minutes) }] });

  it.each([
    ['a gap that was requested today', { gaps: requested(60) }, []],
    ['one that was requested yesterday', { gaps: requested(24 * 60) }, ['2026-03-05']],
    ['a first reading of an hour ago', { gaps: requested(60), ...first(60) }, ['2026-03-05']],
    ['a first reading of less than an hour ago', { gaps: requested(59), ...first(59) }, []],
    ['a second reading today, which differed', { gaps: requested(60), ...first(120) }, []],
  ])('have %s, or not', (_what, known, days) => expect(listRequested(known)).toEqual(days));

  it('have disputed days at the first run of a day, the newest 62, also those before the history', () => {
    const disputed = ['2026-03-06', '2026-03-01'];
    const gaps = requested(0);
    expect(listRequested({ gaps, disputed })).toEqual([]);
    const days = listDays({ from: '2026-03-01', to: '2026-03-06' }); // one range
    expect(listRequested({ gaps, disputed }, true)).toEqual(days);
    expect(listRequested({ gaps, disputed: ['2026-01-01'] }, true)).toEqual(['2026-01-01']);
    const due = { gaps: requested(24 * 60), disputed: ['2026-03-07'] };
    expect(listRequested(due, true)).toEqual(listDays({ from: '2026-03-05', to: '2026-03-07' }));
    const many = listDays({ from: '2026-01-01', to: '2026-03-07' }).reverse();
    expect(listRequested({ gaps, booked: many, disputed: many }, true)).toEqual(many.reverse().slice(-62));
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
                  given_up_at: day.fate === 'given up' ? '2000-01-01 00:00:00' : null,
                  last_requested_at: toTimestamp(day.fate === 'requested today' ? now : now - 26 * HOUR_MS),
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
