/** How often a schedule runs, counted from its cron expressions. Pure. */
import { Cron } from 'croner';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../lib/clock.ts';
import { nextTick, type Schedule } from '../lib/cron-ticks.ts';

/** Two weeks hold every weekday twice. */
const DAYS = 14;
const MINUTES_A_DAY = 1440;

/** Runs within the same 24 hours. */
export interface RunsPerDay {
  full: number;
  quick: number;
}

/** How often full or quick runs start. */
export interface Cadence {
  /** The shortest time between two runs, in milliseconds; infinite where two weeks hold one at most. */
  shortestMs: number;
  /** The time between two ticks, in milliseconds; null if it differs. */
  everyMs: number | null;
}

export interface Timetable {
  /** The runs of any 24 hours: each pair that occurs. */
  days: readonly RunsPerDay[];
  full: Cadence;
  quick: Cadence | null;
}

/**
 * The returned function computes the timetable of a schedule, with a cache, for the two weeks that begin with the day (UTC)
 * of its next full run after `now` (milliseconds since 1970). Where a full and a quick tick coincide, only the full run is
 * made.
 */
export function createTimetables(now: number): (schedule: Schedule) => Timetable {
  const timetables = new Map<string, Timetable>();
  const ticks = new Map<string, number[]>();
  const ticksFrom = (expression: string, start: number) =>
    getOrCreate(ticks, `${start} ${expression}`, () => listTicks(expression, start));
  return ({ full, quick }) =>
    getOrCreate(timetables, `${full}|${quick ?? ''}`, () => {
      const start = Math.floor(nextTick(full, now) / DAY_MS) * DAY_MS;
      return createTimetable(ticksFrom(full, start), quick === null ? null : ticksFrom(quick, start));
    });
}

function getOrCreate<T>(cache: Map<string, T>, key: string, create: () => T): T {
  const value = cache.get(key) ?? create();
  cache.set(key, value);
  return value;
}

function createTimetable(fullTicks: readonly number[], quickTicks: readonly number[] | null): Timetable {
  const isFull = new Set(fullTicks);
  const quickRuns = quickTicks?.filter((minute) => !isFull.has(minute)) ?? [];
  return {
    days: countRuns(fullTicks, quickRuns),
    full: getCadence(fullTicks, fullTicks),
    quick: quickTicks && getCadence(quickTicks, quickRuns),
  };
}

/**
 * The ticks of two weeks, in minutes since their start. In UTC all days with ticks have them at the same times, and all
 * such hours at the same minutes: so about a hundred calls of croner replace 20,160.
 */
function listTicks(expression: string, start: number): number[] {
  const cron = new Cron(expression, { timezone: 'UTC', paused: true });
  const days = windowsWithTick(cron, start, { lengthMs: DAY_MS, count: DAYS });
  const day = start + (days[0] ?? 0) * DAY_MS;
  const hours = windowsWithTick(cron, day, { lengthMs: HOUR_MS, count: 24 });
  const hour = day + (hours[0] ?? 0) * HOUR_MS;
  const minutes = windowsWithTick(cron, hour, { lengthMs: MINUTE_MS, count: 60 });
  return days.flatMap((d) => hours.flatMap((h) => minutes.map((m) => d * MINUTES_A_DAY + h * 60 + m)));
}

/** Which of `count` consecutive windows hold a tick. */
function windowsWithTick(cron: Cron, start: number, windows: { lengthMs: number; count: number }): number[] {
  const found: number[] = [];
  for (let index = 0; index < windows.count; index++) {
    const tick = cron.nextRun(new Date(start + index * windows.lengthMs - 1))?.getTime() ?? Infinity;
    index = Math.floor((tick - start) / windows.lengthMs);
    if (index < windows.count) found.push(index);
  }
  return found;
}

/** Over a sliding window of 24 hours. */
function countRuns(fullRuns: readonly number[], quickRuns: readonly number[]): RunsPerDay[] {
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
  const bitmap = new Uint8Array(DAYS * MINUTES_A_DAY);
  for (const minute of minutes) bitmap[minute] = 1;
  return bitmap;
}

function getCadence(ticks: readonly number[], runs: readonly number[]): Cadence {
  const intervals = intervalsMs(ticks);
  const isEven = intervals.length > 0 && intervals.every((each) => each === intervals[0]);
  return {
    shortestMs: intervalsMs(runs).reduce((one, other) => Math.min(one, other), Infinity),
    everyMs: isEven ? (intervals[0] ?? null) : null,
  };
}

function intervalsMs(minutes: readonly number[]): number[] {
  return minutes.slice(1).map((minute, index) => (minute - (minutes[index] ?? 0)) * MINUTE_MS);
}
