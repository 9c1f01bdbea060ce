/** What is due? Cron is a hint: the warehouse knows when the last run began. Pure. */
import { Cron } from 'croner';
import { fromTimestamp } from '../lib/clock.ts';
import type { Trigger } from '../warehouse/schema/runs.ts';

/** How late a run may begin and still count as made by its tick, in milliseconds. */
const ON_TIME_MS = 60_000;
const MINUTE_MS = 60_000;

function read(expression: string): Cron {
  return new Cron(expression, { timezone: 'UTC', paused: true });
}

/** The last time at or before `now` that the cron expression (read in UTC) names, in milliseconds since 1970. */
export function previousTick(expression: string, now: number): number {
  const nextMinute = new Date((Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS);
  return read(expression).previousRuns(1, nextMinute)[0]?.getTime() ?? 0;
}

/** The first time after `now` that the cron expression (read in UTC) names, in milliseconds since 1970. */
export function nextTick(expression: string, now: number): number {
  return read(expression).nextRun(new Date(now))?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** The shortest of the next ten steps of the schedule, in milliseconds. */
export function scheduleInterval(expression: string, now: number): number {
  const ticks = read(expression)
    .nextRuns(11, new Date(now))
    .map((tick) => tick.getTime());
  return Math.min(...ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0)));
}

/**
 * Is a full run due? It is when none has begun since the last tick; null where it is not. So a missed tick, a
 * suspended machine or a restart costs nothing and doubles nothing.
 */
export function dueTrigger(
  expression: string,
  now: number,
  last: { startedAt: string } | null,
): Extract<Trigger, 'schedule' | 'catch_up'> | null {
  const tick = previousTick(expression, now);
  const lastAt = last ? fromTimestamp(last.startedAt) : 0;
  const isOfTheFuture = lastAt > now + ON_TIME_MS; // by a clock that was ahead: it says nothing
  if (lastAt >= tick && !isOfTheFuture) return null;
  return now - tick <= ON_TIME_MS ? 'schedule' : 'catch_up';
}
