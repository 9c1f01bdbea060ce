/** How often does a schedule run? Counted from its cron expressions, for any 24 hours. Pure. */
import { Cron } from 'croner';
import type { ScheduleConfig } from '../config/config.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../lib/clock.ts';
import { nextTick } from '../lib/cron-ticks.ts';
/** A schedule is looked at for two weeks: whatever it does by the day or the weekday comes twice. */
const DAYS = 14;
const MINUTES_A_DAY = 1440;

/** Runs within the same 24 hours. */
export interface RunsPerDay {
  full: number;
  quick: number;
}

/** How often one kind of run comes. */
export interface Cadence {
  /** The shortest time between two of its runs, in milliseconds; infinite where two weeks hold one at most. */
  shortestMs: number;
  /** The time between any two of its ticks, in milliseconds; null where they are not all alike. */
  everyMs: number | null;
}

export interface Timetable {
  /** What 24 hours may hold: each pair that occurs. */
  days: readonly RunsPerDay[];
  full: Cadence;
  quick: Cadence | null;
}

/**
 * Gives the timetable of a schedule for the two weeks that begin with the day (UTC) of its next full run after `now`,
 * in milliseconds since 1970; what was worked out once is kept. Where a full and a quick tick coincide, only the full
 * run is made.
 */
export function createTimetables(now: number): (schedule: ScheduleConfig) => Timetable {
  const timetables = new Map<string, Timetable>();
  const ticks = new Map<string, number[]>();
  const ticksFrom = (expression: string, start: number) =>
    kept(ticks, `${start} ${expression}`, () => ticksOf(expression, start));
  return ({ full, quick }) =>
    kept(timetables, `${full}|${quick ?? ''}`, () => {
      const start = Math.floor(nextTick(full, now) / DAY_MS) * DAY_MS;
      return timetableOf(ticksFrom(full, start), quick === null ? null : ticksFrom(quick, start));
    });
}

function kept<T>(made: Map<string, T>, key: string, make: () => T): T {
  const value = made.get(key) ?? make();
  made.set(key, value);
  return value;
}

function timetableOf(fullTicks: readonly number[], quickTicks: readonly number[] | null): Timetable {
  const isFull = new Set(fullTicks);
  const quickRuns = quickTicks?.filter((minute) => !isFull.has(minute)) ?? [];
  return {
    days: runsPerDay(fullTicks, quickRuns),
    full: rhythmOf(fullTicks, fullTicks),
    quick: quickTicks && rhythmOf(quickTicks, quickRuns),
  };
}

/**
 * The ticks of two weeks, in minutes since their start. In UTC every day that has ticks has them at the same times, and
 * every such hour at the same minutes: a hundred questions to croner tell what 20,160 would.
 */
function ticksOf(expression: string, start: number): number[] {
  const cron = new Cron(expression, { timezone: 'UTC', paused: true });
  const days = windowsWithTick(cron, start, { lengthMs: DAY_MS, count: DAYS });
  const day = start + (days[0] ?? 0) * DAY_MS;
  const hours = windowsWithTick(cron, day, { lengthMs: HOUR_MS, count: 24 });
  const hour = day + (hours[0] ?? 0) * HOUR_MS;
  const minutes = windowsWithTick(cron, hour, { lengthMs: MINUTE_MS, count: 60 });
  return days.flatMap((d) => hours.flatMap((h) => minutes.map((m) => d * MINUTES_A_DAY + h * 60 + m)));
}

/** Which of so many stretches of time, one after the other, hold a tick. */
function windowsWithTick(cron: Cron, start: number, of: { lengthMs: number; count: number }): number[] {
  const hit: number[] = [];
  for (let index = 0; index < of.count; index++) {
    const tick = cron.nextRun(new Date(start + index * of.lengthMs - 1))?.getTime() ?? Infinity;
    index = Math.floor((tick - start) / of.lengthMs);
    if (index < of.count) hit.push(index);
  }
  return hit;
}

function runsPerDay(fullRuns: readonly number[], quickRuns: readonly number[]): RunsPerDay[] {
  const [full, quick] = [toBitmap(fullRuns), toBitmap(quickRuns)];
  const pairs = new Map<number, RunsPerDay>();
  const runs = { full: 0, quick: 0 };
  let last = -1;
  for (let minute = 0; minute < full.length; minute++) {
    runs.full += (full[minute] ?? 0) - (full[minute - MINUTES_A_DAY] ?? 0);
    runs.quick += (quick[minute] ?? 0) - (quick[minute - MINUTES_A_DAY] ?? 0);
    const key = runs.full * (MINUTES_A_DAY + 1) + runs.quick;
    if (key !== last) pairs.set(key, { ...runs });
    last = key;
  }
  return [...pairs.values()];
}

function toBitmap(minutes: readonly number[]): Uint8Array {
  const marks = new Uint8Array(DAYS * MINUTES_A_DAY);
  for (const minute of minutes) marks[minute] = 1;
  return marks;
}

function rhythmOf(ticks: readonly number[], runs: readonly number[]): Cadence {
  const steps = stepsMs(ticks);
  const isEven = steps.length > 0 && steps.every((step) => step === steps[0]);
  return {
    shortestMs: stepsMs(runs).reduce((one, other) => Math.min(one, other), Infinity),
    everyMs: isEven ? (steps[0] ?? null) : null,
  };
}

function stepsMs(minutes: readonly number[]): number[] {
  return minutes.slice(1).map((minute, index) => (minute - (minutes[index] ?? 0)) * MINUTE_MS);
}
