import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCronProblem } from '../../src/config/cron.ts';
import { toTimestamp, MINUTE_MS, HOUR_MS, DAY_MS } from '../../src/lib/clock.ts';
import { dueTrigger } from '../../src/app/due.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';
import { previousTick, nextTick, scheduleInterval } from '../../src/lib/cron-ticks.ts';

const PATIENCE_DAYS = 70;

/**
 * The first minute from `from` on, in the direction of `step` (1 or -1), that the expression of five fields
 * matches in UTC; null where there is none for 70 days. Where a day and a weekday are set, either is enough.
 */
function findByTrying(expression: string, from: number, step: 1 | -1): number | null {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = expression.split(' ');
  const isMinute = within(minutes, 0, 59);
  const isHour = within(hours, 0, 23);
  const isMonthDay = within(days, 1, 31);
  const isMonth = within(months, 1, 12);
  const isWeekday = within(weekdays, 0, 6);
  const isEither = days !== '*' && weekdays !== '*';

  function isDay(date: Date): boolean {
    const [one, other] = [isMonthDay(date.getUTCDate()), isWeekday(date.getUTCDay())];
    return isMonth(date.getUTCMonth() + 1) && (isEither ? one || other : one && other);
  }

  let at = from;
  while (Math.abs(at - from) < PATIENCE_DAYS * DAY_MS) {
    const date = new Date(at);
    const isFound = isDay(date) && isHour(date.getUTCHours()) && isMinute(date.getUTCMinutes());
    if (isFound) return at;
    at = isDay(date) ? at + step * MINUTE_MS : edgeOfNextDay(at, step);
  }
  return null;
}

/** The first minute of the day after, or the last minute of the day before. */
function edgeOfNextDay(at: number, step: 1 | -1): number {
  const midnight = Math.floor(at / DAY_MS) * DAY_MS;
  return step === 1 ? midnight + DAY_MS : midnight - MINUTE_MS;
}

/** Whether the field matches this value. */
function within(field: string, least: number, most: number): (value: number) => boolean {
  const named = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [from = '', to = from] = range === '*' ? [String(least), String(most)] : range.split('-');
    for (let value = Number(from); value <= Number(to); value += Number(step)) named.add(value);
  }
  return (value) => named.has(value);
}

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);

describe('ticks', () => {
  it.each([
    ['0 * * * *', '2026-03-10T12:30Z', '2026-03-10T12:00', '2026-03-10T13:00'],
    ['0 * * * *', '2026-03-10T12:00Z', '2026-03-10T12:00', '2026-03-10T13:00'],
    ['*/5 * * * *', '2026-03-10T12:04Z', '2026-03-10T12:00', '2026-03-10T12:05'],
    ['30 15 * * *', '2026-03-10T12:00Z', '2026-03-09T15:30', '2026-03-10T15:30'],
    ['0 0 1 * *', '2026-03-10T12:00Z', '2026-03-01T00:00', '2026-04-01T00:00'],
    ['0 0 31 * *', '2026-03-10T12:00Z', '2026-01-31T00:00', '2026-03-31T00:00'],
    ['0 0 29 2 *', '2026-03-10T12:00Z', '2024-02-29T00:00', '2028-02-29T00:00'],
    ['0 9 * * mon-fri', '2026-03-07T12:00Z', '2026-03-06T09:00', '2026-03-09T09:00'],
    ['0 0 * * 7', '2026-03-10T12:00Z', '2026-03-08T00:00', '2026-03-15T00:00'],
    ['0 0 13 * fri', '2026-03-10T12:00Z', '2026-03-06T00:00', '2026-03-13T00:00'],
    ['0 0 13 * fri', '2026-04-12T12:00Z', '2026-04-10T00:00', '2026-04-13T00:00'],
  ])('of "%s" around %s are %s and %s', (expression, now, previous, next) => {
    expect(iso(previousTick(expression, toMs(now)))).toBe(previous);
    expect(iso(nextTick(expression, toMs(now)))).toBe(next);
  });

  it('include the exact moment, to the millisecond', () => {
    const tick = toMs('2026-03-10T12:00Z');
    expect(previousTick('0 * * * *', tick - 1)).toBe(tick - HOUR_MS);
    expect(previousTick('0 * * * *', tick)).toBe(tick);
    expect(previousTick('0 * * * *', tick + 999)).toBe(tick);
    expect(nextTick('0 * * * *', tick - 1)).toBe(tick);
    expect(nextTick('0 * * * *', tick)).toBe(tick + HOUR_MS);
  });

  it('of any expression that the config accepts match a search over every minute', () => {
    const property = fc.property(
      plainCron,
      fc.integer({ min: toMs('2024-01-01T00:00Z'), max: toMs('2029-01-01T00:00Z') }),
      (expression, now) => {
        fc.pre(findCronProblem(expression) === null);
        const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
        const previous = findByTrying(expression, minute, -1);
        const next = findByTrying(expression, minute + MINUTE_MS, 1);
        if (previous !== null) expect(iso(previousTick(expression, now))).toBe(iso(previous));
        if (next !== null) expect(iso(nextTick(expression, now))).toBe(iso(next));
      },
    );
    fc.assert(property, { numRuns: 200 });
  }, 120_000);
});

describe('the step of a schedule', () => {
  it.each([
    ['* * * * *', MINUTE_MS],
    ['*/5 * * * *', 5 * MINUTE_MS],
    ['*/7 * * * *', 4 * MINUTE_MS],
    ['0 * * * *', HOUR_MS],
    ['0 3,15 * * *', 12 * HOUR_MS],
    ['0 3,4 * * *', HOUR_MS],
    ['0 0 * * mon', 7 * 24 * HOUR_MS],
    ['0 0 1 * *', 28 * 24 * HOUR_MS],
  ])('of "%s" is the shortest of the next ten: %i ms', (expression, ms) => {
    expect(scheduleInterval(expression, toMs('2026-01-10T12:03Z'))).toBe(ms);
  });
});

describe('a run', () => {
  const HOURLY = '0 * * * *';
  const due = (now: string, last: string | null, expression = HOURLY) =>
    dueTrigger(expression, toMs(now), last === null ? null : toTimestamp(toMs(last)));

  it('is due at the tick of the schedule', () => {
    expect(due('2026-03-10T12:00Z', '2026-03-10T11:00Z')).toBe('schedule');
    expect(due('2026-03-10T12:01:00Z', '2026-03-10T11:00Z')).toBe('schedule');
  });

  it('is due once where ticks were missed, however long ago and however many', () => {
    expect(due('2026-03-10T12:01:00.001Z', '2026-03-10T11:00Z')).toBe('catch_up');
    expect(due('2026-03-10T12:59Z', '2026-03-10T11:59:59Z')).toBe('catch_up');
    expect(due('2026-03-10T12:30Z', '2026-01-01T00:00Z')).toBe('catch_up');
  });

  it('is due where no run exists', () => {
    expect(due('2026-03-10T12:00:30Z', null)).toBe('schedule');
    expect(due('2026-03-10T12:30Z', null)).toBe('catch_up');
  });

  it('is not due where a run began since the tick, even just now', () => {
    expect(due('2026-03-10T12:59Z', '2026-03-10T12:00Z')).toBeNull();
    expect(due('2026-03-10T12:59Z', '2026-03-10T12:58Z')).toBeNull();
    expect(due('2026-03-10T12:00:00.900Z', '2026-03-10T12:00:00Z')).toBeNull();
    expect(due('2026-03-10T12:30Z', '2026-03-10T12:30Z')).toBeNull();
  });

  it('is due where the last run is in the future, because the clock was ahead', () => {
    expect(due('2026-03-10T12:30Z', '2027-01-01T00:00Z')).toBe('catch_up');
    expect(due('2026-03-10T12:30Z', '2026-03-10T12:31:01Z')).toBe('catch_up');
    expect(due('2026-03-10T12:30Z', '2026-03-10T12:31:00Z')).toBeNull();
  });
});

function part(least: number, most: number): fc.Arbitrary<string> {
  const value = fc.integer({ min: least, max: most });
  const range = fc
    .tuple(value, value)
    .map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`);
  const step = fc.integer({ min: 1, max: most });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    value.map(String),
    step.map((each) => `*/${each}`),
    range,
    fc.tuple(range, step).map(([each, every]) => `${each}/${every}`),
    fc.uniqueArray(value, { minLength: 2, maxLength: 4 }).map((values) => values.join(',')),
  );
}

const plainCron = fc
  .tuple(part(0, 59), part(0, 23), part(1, 31), part(1, 12), part(0, 6))
  .map((fields) => fields.join(' '));
