/** Cron expressions, read in a time zone. Through a change of the clocks, a tick of each night comes once. */
import { Cron } from 'croner';

const SECOND_MS = 1_000;

/** When full and quick runs are due. */
export interface Schedule {
  full: string;
  quick: string | null;
  /** The IANA zone in which both are read; left out: UTC. */
  timezone?: string;
}

function read(expression: string, timezone = 'UTC'): Cron {
  return new Cron(expression, { timezone, paused: true });
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

/** The shortest of the next ten steps of the schedule, in milliseconds. */
export function scheduleInterval(expression: string, now: number, timezone?: string): number {
  const ticks = read(expression, timezone)
    .nextRuns(11, new Date(now))
    .map((tick) => tick.getTime());
  return Math.min(...ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0)));
}
