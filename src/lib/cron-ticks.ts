/** Cron expressions, read in UTC. */
import { Cron } from 'croner';

const SECOND_MS = 1_000;

function read(expression: string): Cron {
  return new Cron(expression, { timezone: 'UTC', paused: true });
}

/** The last time at or before `now` that the cron expression (read in UTC) names, in milliseconds since 1970. */
export function previousTick(expression: string, now: number): number {
  const nextSecond = new Date((Math.floor(now / SECOND_MS) + 1) * SECOND_MS);
  return read(expression).previousRuns(1, nextSecond)[0]?.getTime() ?? 0;
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
