import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTimestamp } from '../../../src/lib/clock.ts';
import { addDays, listDays } from '../../../src/lib/days.ts';
import { FIGURES } from '../../../src/lib/service-fields.ts';
import { readStorageDay } from '../../../src/service/storage.ts';
import { classifyDays } from '../../../src/sync/storage/classify-days.ts';
import { dayRow, makeDayHistory, sortContext } from '../../support/fixtures/storage-days.ts';
import { storageRecord } from '../../support/fixtures/service-responses.ts';
import { toMs } from '../../support/clocks/virtual-clock.ts';

const NOW = toMs('2026-03-10T03:00Z');
const DAY = { today: '2026-03-10', settled: '2026-03-08', since: '2026-03-02', now: NOW };
const RANGE = { from: '2026-03-01', to: '2026-03-10' };
const TWICE = 'the same day came twice with different figures';

function sort(records: readonly unknown[], history = makeDayHistory(), range = RANGE) {
  const answer = { records: records.map((record) => JSON.stringify(record)), answeredAt: NOW + 5 };
  return classifyDays(answer, sortContext({ now: NOW, range, history }));
}

const dates = (rows: readonly { date: string }[]) => rows.map((row) => row.date);

describe('a response', () => {
  it('is sorted into today, the days that are settled, and the days that are missing', () => {
    const sorted = sort([dayRow('2026-03-10', 1), dayRow('2026-03-08', 2), dayRow('2026-03-02', 3)]);
    expect(sorted).toEqual({
      answeredAt: NOW + 5,
      live: dayRow('2026-03-10', 1),
      past: [dayRow('2026-03-08', 2), dayRow('2026-03-02', 3)],
      unconfirmed: [],
      missed: ['2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06', '2026-03-07'].map((date) => ({
        date,
        reason: 'missing',
        requestedDays: 1,
      })),
      givenUp: [],
      refused: [],
      drift: [],
    });
  });

  it('gives up a day that was requested on as many separate days as the config has', () => {
    const gaps = {
      '2026-03-02': { requestedDays: 6 },
      '2026-03-03': { requestedDays: 5 },
      '2026-03-04': { requestedDays: 6 },
      '2026-03-05': { requestedDays: 6, lastRequestedAt: toTimestamp(NOW) }, // on this very day
    };
    const history = makeDayHistory({ gaps });
    const sorted = sort([dayRow('2026-03-04', 1)], history);
    expect(sorted.givenUp).toEqual(['2026-03-02']);
    expect(dates(sorted.missed)).toContain('2026-03-02');
  });

  it('compares a booked day only once it is no longer today, which another time zone may make it', () => {
    const history = makeDayHistory({ booked: ['2026-03-09', '2026-03-10'] });
    const sorted = sort([dayRow('2026-03-09', 2), dayRow('2026-03-10', 3)], history);
    expect(dates(sorted.past)).toEqual(['2026-03-09']);
    expect(sorted.live?.date).toBe('2026-03-10');
  });

  it.each([
    ['half an hour', '2026-03-08T15:30Z', []],
    ['an hour', '2026-03-08T16:00Z', ['2026-03-08']],
  ])('has a past day once it is over for long enough at the response, too: %s', (_what, at, past) => {
    const row = dayRow('2026-03-08', 1);
    const records = [row, dayRow('2026-03-09', 2)].map((each) => JSON.stringify(each));
    const answer = { records, answeredAt: toMs(at) }; // at the start the clock was ahead
    const sorted = classifyDays(answer, sortContext({ now: NOW }));
    expect(dates(sorted.past)).toEqual(past);
    expect(dates(sorted.missed)).not.toContain('2026-03-08');
  });

  it('leaves a gap for each settled day where neither a response nor the warehouse has any day or date', () => {
    const clock = { isOff: false, differenceMs: null };
    const answer = { records: [], answeredAt: NOW };
    const { missed } = classifyDays(answer, sortContext({ now: NOW, clock }));
    expect(dates(missed)).toEqual(listDays({ from: DAY.since, to: DAY.settled }));
  });

  it('names each figure that an incomplete record lacks', () => {
    const record = { ...dayRow('2026-03-08', 1), image_size: null, image_count: null };
    expect(sort([record]).refused[0]?.reason).toMatch(/^incomplete: no figure for \w+, \w+$/);
  });

  const zero = (date: string) => ({
    ...Object.fromEntries(FIGURES.map((figure) => [figure, 0])),
    ...{ date, state: 'booked' as const },
  });
  const booked = (date: string) => ({ ...dayRow(date, 1), state: 'booked' as const });
  it.each([
    ['no day is booked', [], false],
    ['the booked day before it is 0', [zero('2026-03-04')], true],
    ['only an earlier booked day is 0', [booked('2026-03-04'), zero('2026-03-03')], false],
    ['only a later booked day is 0', [booked('2026-03-04'), zero('2026-03-06')], false],
    ['the first booked day after it is 0', [booked('2026-03-07'), zero('2026-03-06')], true],
    ['only the second booked day after it is 0', [zero('2026-03-07'), booked('2026-03-06')], false],
  ])('accepts 0 in every figure at once or not where %s', (_what, rows, isAccepted) => {
    const history = makeDayHistory({ rows: rows as ReturnType<typeof booked>[] });
    const sorted = sort([zero('2026-03-05')], history);
    expect(dates(sorted.past)).toEqual(isAccepted ? ['2026-03-05'] : []);
    expect(sorted.unconfirmed.map(({ row }) => row.date)).toEqual(isAccepted ? [] : ['2026-03-05']);
  });

  it('compares the total of a day with its last reading by the figures that both have', () => {
    const live = { ...dayRow('2026-03-08', 2e9), mov_org_size: null, state: 'live' as const };
    const sorted = sort(
      [{ ...dayRow('2026-03-08', 2e9), mov_org_size: 9e12 }],
      makeDayHistory({ rows: [live] }),
    );
    expect(dates(sorted.past)).toEqual(['2026-03-08']);
  });

  it('rejects days outside the range', () => {
    const sorted = sort([dayRow('2026-02-28', 1), dayRow('2026-03-11', 2), dayRow('2025-03-05', 3)]);
    expect(sorted.refused).toEqual(
      [dayRow('2026-02-28', 1), dayRow('2026-03-11', 2), dayRow('2025-03-05', 3)].map((row) => ({
        date: row.date,
        reason: 'outside the range asked for',
        raw: JSON.stringify(row),
      })),
    );
    expect(sorted).toMatchObject({ live: null, past: [] });
  });

  it('accepts no day that arrives twice with different figures, and rejects each of its records', () => {
    const one = dayRow('2026-03-08', 1);
    const other = dayRow('2026-03-08', 2);
    for (const records of [
      [one, other],
      [one, other, one],
      [one, one, other],
      [one, other, other],
    ]) {
      const another = dayRow('2026-03-07', 3);
      const sorted = sort([another, ...records]);
      expect(sorted.past).toEqual([another]);
      expect(dates(sorted.missed)).toContain('2026-03-08');
      const quarantined = new Set(sorted.refused.map(({ raw }) => raw));
      expect(quarantined).toEqual(new Set([JSON.stringify(one), JSON.stringify(other)]));
      expect(sorted.refused.every(({ date, reason }) => date === '2026-03-08' && reason === TWICE)).toBe(
        true,
      );
    }
  });

  it('has the reason of the rejection for a record without a valid date', () => {
    const { refused } = sort([{ ...dayRow('2026-03-08', 1), date: '2026-02-30' }, 'x', null]);
    expect(refused.map(({ date }) => date)).toEqual([null, null, null]);
    expect(refused[0]?.reason).toBe('date: is not a calendar date yyyy-mm-dd');
    expect(refused.map(({ raw }) => raw)).toEqual([
      JSON.stringify({ ...dayRow('2026-03-08', 1), date: '2026-02-30' }),
      '"x"',
      'null',
    ]);
  });

  it('is sorted like a slow and simple implementation sorts it, for any content', () => {
    const date = fc.integer({ min: -3, max: 13 }).map((offset) => addDays('2026-03-01', offset));
    const figure = fc.constantFrom<unknown>(1, 1, 1, 2, '1', 12.5, null, 'incomplete');
    const record = fc.tuple(date, figure).map(([on, value]) => ({
      date: on,
      ...storageRecord(on, value === 'incomplete' ? 1 : value),
      ...(value === null || value === 'incomplete' ? { image_size: null } : {}),
    }));
    const booked = fc.subarray(['2026-03-01', '2026-03-05', '2026-03-06', '2026-03-08']);
    const property = fc.property(fc.array(record, { maxLength: 14 }), booked, (records, dates) => {
      const sorted = sort(records, makeDayHistory({ booked: dates }));
      const expected = readSimply(records);
      const isAsked = records.every(({ date: on }) => on >= RANGE.from && on <= RANGE.to);
      const isPast = (on: string) =>
        on <= DAY.settled && (dates.includes(on) || (on >= DAY.since && isAsked));
      const yesterday = dates.includes('2026-03-09') ? undefined : expected.get('2026-03-09');
      expect(sorted.live).toEqual(expected.get(DAY.today) ?? yesterday ?? null);
      expect(new Map(sorted.past.map((row) => [row.date, row]))).toEqual(
        new Map([...expected].filter(([on]) => isPast(on))),
      );
      const classified = [...sorted.past, ...(sorted.live ? [sorted.live] : [])].map((row) => row.date);
      expect(new Set(classified).size).toBe(classified.length);
      expect(sorted.refused.length + classified.length).toBeLessThanOrEqual(records.length);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

/** The only valid figure of each day of the range that has exactly one. */
function readSimply(records: readonly unknown[]): Map<string, unknown> {
  const rows = records.flatMap((record) => {
    const read = readStorageDay(JSON.stringify(record));
    if (!('day' in read) || read.day.date < RANGE.from || read.day.date > RANGE.to) return [];
    const { day } = read;
    if (day.date <= DAY.settled && FIGURES.some((name) => day[name] === null)) return [];
    return [{ date: day.date, ...Object.fromEntries(FIGURES.map((name) => [name, day[name]])) }];
  });
  const single = rows.filter((row) =>
    rows.every((other) => other.date !== row.date || JSON.stringify(other) === JSON.stringify(row)),
  );
  return new Map(single.map((row) => [row.date, row]));
}
