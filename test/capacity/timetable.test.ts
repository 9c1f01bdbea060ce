import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTimetables } from '../../src/capacity/timetable.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../src/lib/clock.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';
const TUESDAY = toMs('2026-03-10T12:34Z');

/** The largest numbers of full runs and of quick runs in 24 hours. */
function most(full: string, quick: string | null = null, now = TUESDAY) {
  const { days } = createTimetables(now)({ full, quick });
  return [Math.max(...days.map((day) => day.full)), Math.max(...days.map((day) => day.quick))];
}

describe('a timetable', () => {
  it.each([
    ['0 * * * *', null, [24, 0]],
    ['* * * * *', null, [1440, 0]],
    ['*/7 * * * *', null, [216, 0]],
    ['30 3 * * *', null, [1, 0]],
    ['0 9 * * mon', null, [1, 0]],
    ['0 23 * * mon,tue', null, [1, 0]],
    ['0 22 * * mon', '*/30 0-12 * * tue', [1, 26]],
    ['0 0 1 * *', null, [1, 0]],
    ['0 0 29 2 *', '0 * * * *', [1, 24]],
    ['0 * * * *', '*/10 * * * *', [24, 120]],
    ['0 * * * *', '0 * * * *', [24, 0]],
    ['0 * * * *', '5 * * * *', [24, 24]],
    ['0 9 * * mon-fri', '0 */2 * * *', [1, 12]],
  ])('of "%s" and quick "%s" holds at most %j runs in 24 hours', (full, quick, runs) => {
    expect(most(full, quick)).toEqual(runs);
  });

  it('uses a sliding window: late runs of one day and early ones of the next count together', () => {
    const { days } = createTimetables(TUESDAY)({ full: '0 22 * * mon', quick: '0 2 * * tue' });
    expect(days).toContainEqual({ full: 1, quick: 1 });
    const apart = createTimetables(TUESDAY)({ full: '0 2 * * mon', quick: '0 2 * * tue' });
    expect(apart.days).not.toContainEqual({ full: 1, quick: 1 });
  });

  it.each([
    ['0 * * * *', HOUR_MS, HOUR_MS],
    ['*/7 * * * *', 4 * MINUTE_MS, null],
    ['0 3,4 * * *', HOUR_MS, null],
    ['0 0 * * mon', 7 * DAY_MS, 7 * DAY_MS],
    ['0 0 1 * *', Infinity, null],
  ])(
    'of "%s" has the shortest step (%d ms), and tells whether all are equal (%j)',
    (full, shortestMs, everyMs) => {
      expect(createTimetables(TUESDAY)({ full, quick: null }).full).toEqual({ shortestMs, everyMs });
    },
  );

  it('counts the time between quick runs without those that a full run replaces', () => {
    const { quick } = createTimetables(TUESDAY)({ full: '0 * * * *', quick: '*/30 * * * *' });
    expect(quick).toEqual({ shortestMs: HOUR_MS, everyMs: 30 * MINUTE_MS });
    expect(createTimetables(TUESDAY)({ full: '0 * * * *', quick: null }).quick).toBeNull();
  });

  it('counts the same runs as croner does one by one, in the fullest day of any weights', () => {
    const numbers = (highest: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: 2, max: 23 }).map((step) => `*/${step}`),
        fc.uniqueArray(fc.nat(highest), { minLength: 1, maxLength: 3 }).map((list) => list.join(',')),
      );
    const expression = fc
      .tuple(
        numbers(59),
        numbers(23),
        fc.constantFrom('*', '*', '1-7', '*/3'),
        fc.constantFrom('*', '1', '1-5'),
      )
      .map(([minute, hour, day, weekday]) => `${minute} ${hour} ${day} * ${weekday}`)
      .filter((text) => !text.startsWith('* '));
    fc.assert(
      fc.property(expression, expression, fc.nat(5), fc.nat(400 * 1440), (full, quick, weight, minutes) => {
        const now = TUESDAY + minutes * MINUTE_MS;
        const { days } = createTimetables(now)({ full, quick });
        const fullest = Math.max(...days.map((day) => day.full * weight + day.quick));
        expect(fullest).toBe(fullestByCounting(full, quick, weight, now));
      }),
      { numRuns: 8 },
    );
  }, 120_000);
});

/** By brute force: every tick of the two weeks, and 24 hours from each of them. */
function fullestByCounting(full: string, quick: string, weight: number, now: number): number {
  const cron = (text: string) => new Cron(text, { timezone: 'UTC', paused: true });
  const first = cron(full).nextRun(new Date(now))?.getTime() ?? 0;
  const start = Math.floor(first / DAY_MS) * DAY_MS;
  const ticks = (text: string) => {
    const found: number[] = [];
    let at =
      cron(text)
        .nextRun(new Date(start - 1))
        ?.getTime() ?? Infinity;
    for (; at < start + 14 * DAY_MS; at = cron(text).nextRun(new Date(at))?.getTime() ?? Infinity)
      found.push(at);
    return found;
  };
  const fulls = ticks(full);
  const isFull = new Set(fulls);
  const quicks = ticks(quick).filter((at) => !isFull.has(at));
  const within = (list: readonly number[], from: number) =>
    list.filter((at) => at >= from && at < from + DAY_MS).length;
  return Math.max(
    ...[...fulls, ...quicks].map((from) => within(fulls, from) * weight + within(quicks, from)),
  );
}
