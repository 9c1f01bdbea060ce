import { describe, expect, it } from 'vitest';
import {
  findWrongField,
  nextTick,
  previousTick,
  readCadence,
  scheduleInterval,
} from '../../src/lib/cron-ticks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';

/** The ticks of the days around a change of the clocks, forward and then back again. */
function listTicks(expression: string, from: string, days: number, timezone?: string) {
  const ticks: number[] = [];
  const end = Date.parse(from) + days * DAY_MS;
  for (let at = Date.parse(from); (at = nextTick(expression, at, timezone)) < end;) ticks.push(at);
  const back: number[] = [];
  for (let at = end; (at = previousTick(expression, at - 1000, timezone)) > Date.parse(from);)
    back.unshift(at);
  return {
    ticks: ticks.map((at) => new Date(at).toISOString().slice(5, 16)),
    isSameBack: back.join() === ticks.join(),
  };
}

describe('a nightly tick', () => {
  it.each([
    ['0 3 * * *', '2026-03-28T12:00:00Z', ['03-29T01:00', '03-30T01:00']],
    ['30 2 * * *', '2026-03-28T12:00:00Z', ['03-29T01:00', '03-30T00:30']], // there is no 02:30 on the 29th
    ['30 2 * * *', '2026-10-24T12:00:00Z', ['10-25T00:30', '10-26T01:30']], // there are two on the 25th
  ])('of %s from %s comes once in each night of Berlin', (expression, from, expected) => {
    expect(listTicks(expression, from, 2, 'Europe/Berlin')).toEqual({ ticks: expected, isSameBack: true });
  });

  it('is read in UTC without a zone', () => {
    expect(listTicks('0 3 * * *', '2026-03-28T12:00:00Z', 2).ticks).toEqual(['03-29T03:00', '03-30T03:00']);
  });
});

describe('the cadence', () => {
  it.each([
    ['0 * * * *', 24, HOUR_MS, true],
    ['* * * * *', 1440, MINUTE_MS, true],
    ['*/7 * * * *', 216, 4 * MINUTE_MS, true],
    ['0 3,4 * * *', 2, HOUR_MS, true],
    ['30 3 * * *', 1, DAY_MS, true],
    ['0 9 * * mon-fri', 1, DAY_MS, false],
    ['0 0 * * 7', 1, 7 * DAY_MS, false],
    ['0 0 1 * *', 1, 28 * DAY_MS, false],
  ])('of "%s" is %d a day, at least %d ms apart', (expression, runs, shortestMs, isDaily) => {
    const { times, ...cadence } = readCadence(expression, Date.parse('2026-01-10T12:34Z'));
    expect([times.length, cadence]).toEqual([runs, { shortestMs, isDaily }]);
  });

  it('has its times in order, however the expression lists them', () => {
    const { times, shortestMs } = readCadence('45,15 4,3 * * *', Date.parse('2026-01-10T12:34Z'));
    expect(times.map((time) => time / MINUTE_MS)).toEqual([195, 225, 255, 285]);
    expect(shortestMs).toBe(30 * MINUTE_MS);
  });

  it('leaves out times that do not count', () => {
    const hourly = readCadence('0 * * * *', 0).times;
    expect(readCadence('*/30 * * * *', 0, hourly)).toMatchObject({ shortestMs: HOUR_MS });
    expect(readCadence('0 * * * *', 0, hourly)).toMatchObject({ times: [], shortestMs: Infinity });
  });
});

describe('an expression that names no time', () => {
  const NEVER = '0 0 30 2 *';

  it('has no tick before or after, and no step', () => {
    expect([previousTick(NEVER, 0), nextTick(NEVER, 0), scheduleInterval(NEVER, 0)]).toEqual([
      0,
      Infinity,
      Infinity,
    ]);
    expect(readCadence(NEVER, 0)).toMatchObject({ times: [], shortestMs: Infinity });
  });

  it.each([
    [NEVER, 2],
    ['61 * * * *', 0],
    ['0 24 * * *', 1],
    ['20-10 * * * *', 0],
    ['0 0 * 13 *', 3],
    ['0 0 * * 8', 4],
    ['0 0 29 2 *', null],
  ])('is wrong, as "%s" in field %s', (expression, field) => {
    expect(findWrongField(expression)).toBe(field);
  });
});
