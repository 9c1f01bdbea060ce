import { describe, expect, it } from 'vitest';
import { listDays } from '../../../src/lib/days.ts';
import { FIGURES } from '../../../src/service/service-fields.ts';
import { classifyDays } from '../../../src/sync/storage/classify-days.ts';
import { dayRow, makeDayHistory, sortContext } from '../../support/fixtures/storage-days.ts';
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

  const zero = (date: string) => ({
    ...Object.fromEntries(FIGURES.map((figure) => [figure, 0])),
    date,
    state: 'booked' as const,
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
});
