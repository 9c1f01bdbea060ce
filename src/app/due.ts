import { fromTimestamp, MINUTE_MS } from '../lib/clock.ts';
import type { Mode, Trigger } from '../database/schema/runs.ts';
import type { PackageKey } from '../lib/package-key.ts';
import { previousTick, nextTick, type Schedule } from '../lib/cron-ticks.ts';

/** A run that begins at most this long after its tick has the trigger `schedule`, in milliseconds. */
const ON_TIME_MS = MINUTE_MS;

/** The newest run over everything in a mode: when it (or the first run that it resumes) began, when it may be resumed. */
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

/** A package that had no turn since the last tick of its own schedule. */
export interface DuePackage extends PackageKey {
  /** That tick, in milliseconds since 1970. */
  tick: number;
  trigger: Due['trigger'];
}

/** Packages that wait for a run of their own, and the last such run. */
export interface OwnRuns {
  waiting: readonly DuePackage[];
  last: LastRun | null;
}

/**
 * Finds the run that is due. In this order: a full run, if none began since its last tick; a quick run, if neither a full
 * nor a quick one began since its last tick; a run for packages that are due by their own schedules; a parked run that may
 * be resumed. So a missed tick, a suspended machine or a restart loses no run and makes none twice. Two exceptions keep other
 * runs and long full runs from starving each other: see `quickIsStarved` and `isBeforeRest`.
 */
export function findDue(
  schedule: Schedule,
  now: number,
  last: Record<Mode, LastRun | null>,
  own: OwnRuns = { waiting: [], last: null },
): Due | null {
  const { full, quick } = last;
  const newest = quick && (!full || quick.startedAt >= full.startedAt) ? quick : full;
  const fullTrigger = dueTrigger(schedule.full, now, full, schedule.timezone);
  const quickTrigger =
    schedule.quick === null ? null : dueTrigger(schedule.quick, now, newest, schedule.timezone);
  const start = (mode: Mode, trigger: Due['trigger'] | null): Due | null =>
    trigger && { mode, trigger, resumesFrom: null };
  const resume = (mode: Mode, parked: LastRun | null): Due | null =>
    parked?.resumeAt != null && fromTimestamp(parked.resumeAt) <= now
      ? { mode, trigger: 'catch_up', resumesFrom: parked.startedAt }
      : null;
  // Where other runs take longer than the time between them, each alternates with the rest of a parked full run.
  const rest = fullTrigger ? null : resume('full', full);
  const isBeforeRest = (other: LastRun | null) => !(rest && full && other && other.runId > full.runId);
  const startQuick = start('quick', quickTrigger);
  const startOwn = createOwnRun(own.waiting);
  return (
    (quickIsStarved(schedule, last) ? null : start('full', fullTrigger)) ??
    (isBeforeRest(quick) ? startQuick : null) ??
    (isBeforeRest(own.last) ? startOwn : null) ??
    rest ??
    startQuick ??
    startOwn ??
    resume('full', full) ??
    resume('quick', quick)
  );
}

function createOwnRun(waiting: readonly DuePackage[]): Due | null {
  if (waiting.length === 0) return null;
  const isOnTime = waiting.some(({ trigger }) => trigger === 'schedule');
  const packages = waiting.map(({ account, packageId }) => ({ account, packageId }));
  return { mode: 'full', trigger: isOnTime ? 'schedule' : 'catch_up', resumesFrom: null, packages };
}

/** A full run that was too long for its schedule made a quick run wait: the quick run is next. */
function quickIsStarved(
  { quick: expression, timezone }: Schedule,
  { full, quick }: Record<Mode, LastRun | null>,
): boolean {
  if (expression === null || !full?.resumeAt || (quick && quick.startedAt >= full.startedAt)) return false;
  return nextTick(expression, fromTimestamp(full.startedAt), timezone) <= fromTimestamp(full.resumeAt);
}

/** Why a run of this schedule (a cron expression, or its last tick in ms) is due: none began since its last tick. Null where it is not due. */
export function dueTrigger(
  schedule: string | number,
  now: number,
  last: { startedAt: string } | null,
  timezone?: string,
): Due['trigger'] | null {
  const tick = typeof schedule === 'string' ? previousTick(schedule, now, timezone) : schedule;
  if (startOf(last, now) >= tick) return null;
  return now - tick <= ON_TIME_MS ? 'schedule' : 'catch_up';
}

/** When a run began, in milliseconds since 1970; 0 for none, and for one in the future: it was written while the clock was ahead. */
export function startOf(run: { startedAt: string } | null, now: number): number {
  const at = run ? fromTimestamp(run.startedAt) : 0;
  return at > now + ON_TIME_MS ? 0 : at;
}

/** A run that may have to give way. */
interface PreemptedRun {
  mode: Mode;
  startedAt: number;
  quickTookMs: number;
  nextOwnTick?: number;
  ownTookMs?: number;
}

/**
 * Gives a function that says why a run must give way, or null. It is called between the turns of packages. A full run gives
 * way to a quick run that is due, but not before it has run for as long as the last quick run took; and to the next full
 * run: that one reads today's storage first, then resumes with the packages that were read longest ago. It gives way to
 * packages with their own schedule as to a quick run: `nextOwnTick`, the first tick of these after `startedAt`, and
 * `ownTookMs`, how long their last run took. All times are in milliseconds.
 */
export function createPreemption(
  schedule: Schedule,
  { mode, startedAt, quickTookMs, nextOwnTick = Infinity, ownTookMs = 0 }: PreemptedRun,
): (now: number) => string | null {
  if (mode === 'quick') return () => null;
  const { full, quick, timezone } = schedule;
  const nextFull = nextTick(full, startedAt, timezone);
  const quickTick = quick === null ? Infinity : nextTick(quick, startedAt, timezone);
  const nextQuick = Math.max(quickTick, startedAt + quickTookMs);
  const nextOwn = Math.max(nextOwnTick, startedAt + ownTookMs);
  return (now) => {
    if (now >= nextFull) return 'the next full run is due';
    if (now >= nextQuick) return 'a quick run is due';
    return now >= nextOwn ? 'packages are due by their own schedule' : null;
  };
}
