/** Which run is due, and when a run must give way to another one. */
import { fromTimestamp, MINUTE_MS } from '../lib/clock.ts';
import type { Mode, Trigger } from '../database/schema/values.ts';
import type { PackageKey } from '../sync/package-key.ts';
import { previousTick, nextTick, type Schedule } from '../lib/cron-ticks.ts';

/** A run that begins at most this long after its tick has the trigger `schedule`, in milliseconds. */
const ON_TIME_MS = MINUTE_MS;

/** The newest run over everything in a mode: when it, or the first run that it resumes, began. */
export interface LastRun {
  startedAt: string;
  /** Later runs have higher numbers. */
  runId: number;
  resumeAt: string | null;
}

/** A run that is due. */
export interface Due {
  mode: Mode;
  trigger: Extract<Trigger, 'schedule' | 'catch_up'>;
  /** Start of the parked run to resume; null for a new run. */
  resumesFrom: string | null;
  /** Only these packages, due by their own schedules; left out: everything that is due. */
  packages?: readonly PackageKey[];
}

/**
 * Finds the run that is due. In this order: a full run, if none began since its last tick; a quick run, if
 * neither a full nor a quick one began since its last tick; a parked run that may be resumed. So a missed
 * tick, a suspended machine or a restart loses no run and makes none twice. Two exceptions keep other runs
 * and long full runs from starving each other: see `quickIsStarved` and `isRestFirst`. `own`: packages that
 * wait for a full walk by their own schedule.
 */
export function findDue(
  schedule: Schedule,
  now: number,
  last: Record<Mode, LastRun | null>,
  own: Due | null = null,
): Due | null {
  const { full, quick } = last;
  const newest = quick && (!full || quick.startedAt >= full.startedAt) ? quick : full;
  const start = (mode: Mode, since: LastRun | null): Due | null => {
    const expression = schedule[mode];
    const trigger = expression && dueTrigger(expression, now, since?.startedAt ?? null, schedule.timezone);
    return trigger ? { mode, trigger, resumesFrom: null } : null;
  };
  const resume = (mode: Mode, parked: LastRun | null): Due | null =>
    parked?.resumeAt != null && fromTimestamp(parked.resumeAt) <= now
      ? { mode, trigger: 'catch_up', resumesFrom: parked.startedAt }
      : null;
  const startFull = start('full', full);
  const startQuick = start('quick', newest);
  const rest = startFull ? null : resume('full', full);
  // A quick run that takes longer than the time between two of them alternates with the rest of a parked full
  // run: without that, the rest would never be read.
  const isRestFirst = full && quick && quick.runId > full.runId;
  return (
    (quickIsStarved(schedule, now, last) ? null : startFull) ??
    (isRestFirst ? (rest ?? startQuick) : (startQuick ?? rest)) ??
    own ??
    resume('quick', quick)
  );
}

/**
 * A full run that was too long for its schedule made a quick run wait: the quick run is next. A quick run
 * whose tick is still to come waits for nothing, though a parked account would resume later than that.
 */
function quickIsStarved(
  { quick: expression, timezone }: Schedule,
  now: number,
  { full, quick }: Record<Mode, LastRun | null>,
): boolean {
  if (expression === null || !full?.resumeAt || (quick && quick.startedAt >= full.startedAt)) return false;
  const until = Math.min(now, fromTimestamp(full.resumeAt));
  return nextTick(expression, fromTimestamp(full.startedAt), timezone) <= until;
}

/** Why a run of this cron expression is due: none began since its last tick. Null where it is not due. */
export function dueTrigger(
  expression: string,
  now: number,
  lastStartedAt: string | null,
  timezone?: string,
): Due['trigger'] | null {
  const tick = previousTick(expression, now, timezone);
  return startOf(lastStartedAt, now) >= tick ? null : triggerOf(tick, now);
}

/** The trigger of a run at `now` for a tick, both in milliseconds since 1970. */
export const triggerOf = (tick: number, now: number): Due['trigger'] =>
  now - tick <= ON_TIME_MS ? 'schedule' : 'catch_up';

/**
 * When a run began (ms). 0, which is before any tick, for no run and for one in the future, which was written
 * by a clock that was ahead.
 */
export function startOf(startedAt: string | null, now: number): number {
  const at = startedAt === null ? 0 : fromTimestamp(startedAt);
  return at > now + ON_TIME_MS ? 0 : at;
}

/**
 * Returns a function that returns the reason why a run must give way, or null. It is called between the turns
 * of packages. A full run gives way to a quick run that is due, but not before it has run for as long as the
 * last quick run took; and to the next full run: that one reads today's storage first, then resumes with the
 * packages that were read longest ago. All times are in milliseconds.
 */
export function createPreemption(
  { full, quick, timezone }: Schedule,
  { mode, startedAt, quickTookMs }: { mode: Mode; startedAt: number; quickTookMs: number },
): (now: number) => string | null {
  if (mode === 'quick') return () => null;
  const nextFull = nextTick(full, startedAt, timezone);
  const quickTick = quick === null ? Infinity : nextTick(quick, startedAt, timezone);
  const nextQuick = Math.max(quickTick, startedAt + quickTookMs);
  return (now) => {
    if (now >= nextFull) return 'the next full run is due';
    return now >= nextQuick ? 'a quick run is due' : null;
  };
}
