/** Cron expressions, read in a time zone: the one place that knows croner. */
import { Cron } from 'croner';
import { DAY_MS, SECOND_MS } from './clock.ts';

/** When full and quick runs are due. */
export interface Schedule {
  full: string;
  quick: string | null;
  /** The IANA zone in which both are read; left out: UTC. */
  timezone?: string;
}

function read(expression: string, timezone = 'UTC'): Cron {
  return new Cron(expression, { timezone });
}

/** The last time at or before `now` that the cron expression names, in milliseconds since 1970. */
export function previousTick(expression: string, now: number, timezone?: string): number {
  const nextSecond = new Date((Math.floor(now / SECOND_MS) + 1) * SECOND_MS);
  return read(expression, timezone).previousRuns(1, nextSecond)[0]?.getTime() ?? 0;
}

/** The first time after `now` that the cron expression names, in milliseconds since 1970. */
export function nextTick(expression: string, now: number, timezone?: string): number {
  return read(expression, timezone).nextRun(new Date(now))?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** How many of the next steps of a schedule are looked at. */
const STEPS = 10;

/** The shortest of the next ten steps of the schedule, in milliseconds; infinite where it has none. */
export function scheduleInterval(expression: string, now: number, timezone?: string): number {
  const ticks = read(expression, timezone)
    .nextRuns(STEPS + 1, new Date(now))
    .map((tick) => tick.getTime());
  return Math.min(Infinity, ...ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0)));
}

/** The ticks of one day, and the shortest time between two ticks of any days, in milliseconds. */
export interface Cadence {
  /** In milliseconds since midnight, rising. */
  times: readonly number[];
  isDaily: boolean;
  shortestMs: number;
}

/**
 * The ticks of an expression, which has them at the same times on each day with ticks. `without`: times that
 * do not count.
 */
export function readCadence(expression: string, now: number, without: readonly number[] = []): Cadence {
  const times = listTimes(expression, now).filter((time) => !without.includes(time));
  const days = expression.split(' ').slice(2).join(' ');
  const isDaily = days === '* * *';
  const [first = 0] = times;
  const betweenDaysMs =
    (isDaily ? DAY_MS : scheduleInterval(`0 0 ${days}`, now)) + first - (times.at(-1) ?? 0);
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  return { times, isDaily, shortestMs: times.length === 0 ? Infinity : Math.min(betweenDaysMs, ...steps) };
}

/** The times of the first day that has ticks, in milliseconds since midnight. */
function listTimes(expression: string, now: number): number[] {
  const cron = read(expression);
  const times: number[] = [];
  let tick = cron.nextRun(new Date(now - (now % DAY_MS) - 1));
  const midnight = tick === null ? 0 : tick.getTime() - (tick.getTime() % DAY_MS);
  for (; tick !== null && tick.getTime() < midnight + DAY_MS; tick = cron.nextRun(tick))
    times.push(tick.getTime() - midnight);
  return times;
}

/** The number of the field with the day of the month. */
const DAY_OF_MONTH = 2;

/**
 * The number of the field that is wrong in a plain expression of five fields, from 0; null for a good one.
 */
export function findWrongField(expression: string): number | null {
  // an expression without a tick names a day that no month has, such as 30 February
  if (isReadable(expression)) return nextTick(expression, 0) === Infinity ? DAY_OF_MONTH : null;
  const fields = expression.split(' ');
  return fields.findIndex(
    (_, at) => !isReadable(fields.map((field, each) => (each === at ? field : '*')).join(' ')),
  );
}

function isReadable(expression: string): boolean {
  try {
    read(expression);
    return true;
  } catch {
    return false;
  }
}
