import { fromTimestamp } from '../lib/clock.ts';
import type { Mode, Trigger } from '../database/schema/runs.ts';
import { previousTick, nextTick } from '../lib/cron-ticks.ts';

/** How late a run may begin and still count as made by its tick, in milliseconds. */
const ON_TIME_MS = 60_000;

/** Cron expressions read in UTC; null where there are no quick runs. */
export interface Schedule {
  full: string;
  quick: string | null;
}

/** The newest run over everything in a mode: when it (or the first that it goes on from) began, when to go on. */
export interface LastRun {
  startedAt: string;
  /** Runs are numbered in their order. */
  runId: number;
  resumeAt: string | null;
}

/** A run that is due. */
export interface Due {
  mode: Mode;
  trigger: Extract<Trigger, 'schedule' | 'catch_up'>;
  /** Start of the parked run that is to be gone on with; null for a run from the start. */
  resumesFrom: string | null;
}

/**
 * What is due? A full run, where none has begun since its last tick; else a quick one, where neither has begun since
 * its; else what was parked and may go on. So a missed tick, a suspended machine or a restart costs nothing and doubles
 * nothing, what is new comes before the rest of a long full run, and full and quick together are one full run. Where
 * quick runs take longer than the time between them, they and the rest of a full one take turns.
 */
export function findDue(schedule: Schedule, now: number, last: Record<Mode, LastRun | null>): Due | null {
  const { full, quick } = last;
  const triggerOfFull = dueTrigger(schedule.full, now, full);
  if (triggerOfFull && !quickIsStarved(schedule, last)) {
    return { mode: 'full', trigger: triggerOfFull, resumesFrom: null };
  }
  const isRestNext = !triggerOfFull && canResume(full, now) && quick !== null && quick.runId > full.runId;
  if (schedule.quick !== null && !isRestNext) {
    const newest = quick && (!full || quick.startedAt >= full.startedAt) ? quick : full;
    const trigger = dueTrigger(schedule.quick, now, newest);
    if (trigger) return { mode: 'quick', trigger, resumesFrom: null };
  }
  for (const mode of ['full', 'quick'] as const) {
    const parked = last[mode];
    if (canResume(parked, now)) return { mode, trigger: 'catch_up', resumesFrom: parked.startedAt };
  }
  return null;
}

/** A full run that was too long for its schedule kept a quick one waiting: that one is next. */
function quickIsStarved(
  { quick: expression }: Schedule,
  { full, quick }: Record<Mode, LastRun | null>,
): boolean {
  if (expression === null || !full?.resumeAt || (quick && quick.startedAt >= full.startedAt)) return false;
  return nextTick(expression, fromTimestamp(full.startedAt)) <= fromTimestamp(full.resumeAt);
}

function canResume(last: LastRun | null, now: number): last is LastRun {
  return last?.resumeAt != null && fromTimestamp(last.resumeAt) <= now;
}

/**
 * Is a run of this schedule due? It is when none has begun since the last tick; null where it is not.
 */
export function dueTrigger(
  expression: string,
  now: number,
  last: { startedAt: string } | null,
): Due['trigger'] | null {
  const tick = previousTick(expression, now);
  const lastAt = last ? fromTimestamp(last.startedAt) : 0;
  const isOfTheFuture = lastAt > now + ON_TIME_MS; // by a clock that was ahead: it says nothing
  if (lastAt >= tick && !isOfTheFuture) return null;
  return now - tick <= ON_TIME_MS ? 'schedule' : 'catch_up';
}

/**
 * Says when a run must give way, asked between the turns of its packages; null as long as it need not. A full run gives
 * way to a quick one that is due, once it has gone on for as long as the last quick one took; and to the next full one:
 * that reads today's storage first, and goes on with the packages longest unserved.
 */
export function createPreemption(
  schedule: Schedule,
  { mode, startedAt, quickTookMs }: { mode: Mode; startedAt: number; quickTookMs: number },
): (now: number) => string | null {
  if (mode === 'quick') return () => null;
  const nextFull = nextTick(schedule.full, startedAt);
  const quickTick = schedule.quick === null ? Number.POSITIVE_INFINITY : nextTick(schedule.quick, startedAt);
  const nextQuick = Math.max(quickTick, startedAt + quickTookMs);
  return (now) => {
    if (now >= nextFull) return 'the next full run is due';
    return now >= nextQuick ? 'a quick run is due' : null;
  };
}
