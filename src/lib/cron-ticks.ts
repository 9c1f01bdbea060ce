/**
 * Cron expressions, read in a time zone: the one place that knows a cron library. node-cron calls the worker, and says which
 * field is wrong; croner computes ticks, because node-cron knows none before now and skips a time that a change of the clocks
 * leaves out.
 */
import { Cron } from 'croner';
import cron, { validateDetailed } from 'node-cron';
import { DAY_MS, MINUTE_MS } from './clock.ts';

const SECOND_MS = 1_000;

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

/**
 * Calls `onTick`, which never rejects, at each tick of the expression (read in UTC), until the returned function is called. Each tick
 * that a suspended machine missed makes a late call.
 */
export function startTicks(expression: string, onTick: () => Promise<void>): () => void {
  const task = cron.schedule(expression, onTick, { timezone: 'UTC', suppressMissedWarning: true });
  task.on('execution:missed', onTick);
  return () => void task.destroy();
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

/** The shortest of the next ten steps of the schedule, in milliseconds; infinite where it has none. */
export function scheduleInterval(expression: string, now: number, timezone?: string): number {
  const ticks = read(expression, timezone)
    .nextRuns(11, new Date(now))
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

/** All days with ticks have them at the same times. `without`: times that do not count. */
export function readCadence(expression: string, now: number, without: readonly number[] = []): Cadence {
  const { minute = [], hour = [] } = validateDetailed(expression).fields ?? {};
  const times = hour
    .flatMap((each) => minute.map((inHour) => (each * 60 + inHour) * MINUTE_MS))
    .filter((time) => !without.includes(time))
    .sort((one, other) => one - other);
  const days = expression.split(' ').slice(2).join(' ');
  const isDaily = days === '* * *';
  const [first = 0] = times;
  const betweenDaysMs =
    (isDaily ? DAY_MS : scheduleInterval(`0 0 ${days}`, now)) + first - (times.at(-1) ?? 0);
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  return { times, isDaily, shortestMs: times.length === 0 ? Infinity : Math.min(betweenDaysMs, ...steps) };
}

/** The field of a plain expression of five fields that is wrong, such as `hour`; null for a good one. */
export function findWrongField(expression: string): string | null {
  const [error] = validateDetailed(expression).errors;
  if (error) return error.field;
  try {
    read(expression);
    return null;
  } catch {
    return 'range'; // node-cron reads 20-10 as a range over the hour
  }
}
