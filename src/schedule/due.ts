/** What is due? Cron is a hint: the warehouse knows when the last run began. Pure. */
import { CronExpressionParser } from 'cron-parser';
import { fromTimestamp } from '../lib/clock.ts';
import type { Trigger } from '../warehouse/schema/runs.ts';

/** How late a run may begin and still count as made by its tick, in milliseconds. */
const ON_TIME_MS = 60_000;

/** The last time at or before `now` that the cron expression (read in UTC) names, in milliseconds since 1970. */
export function previousTick(expression: string, now: number): number {
  const cron = CronExpressionParser.parse(expression, { currentDate: new Date(now + 1), tz: 'UTC' });
  return cron.prev().getTime();
}

/** The first time after `now` that the cron expression (read in UTC) names, in milliseconds since 1970. */
export function nextTick(expression: string, now: number): number {
  return CronExpressionParser.parse(expression, { currentDate: new Date(now), tz: 'UTC' })
    .next()
    .getTime();
}

/** The shortest of the next ten steps of the schedule, in milliseconds. */
export function scheduleInterval(expression: string, now: number): number {
  let shortest = Number.POSITIVE_INFINITY;
  let tick = nextTick(expression, now);
  for (let step = 0; step < 10; step++) {
    const next = nextTick(expression, tick);
    shortest = Math.min(shortest, next - tick);
    tick = next;
  }
  return shortest;
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
  if (last && fromTimestamp(last.startedAt) >= tick) return null;
  return now - tick <= ON_TIME_MS ? 'schedule' : 'catch_up';
}
