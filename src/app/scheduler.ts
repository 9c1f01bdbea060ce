/** The scheduler: at start and every minute it checks what is due, and runs that. */
import { once } from 'node:events';
import cron from 'node-cron';
import {
  InterruptedError,
  LockedError,
  errorLine,
  hintLine,
  ParkedError,
  VodhouseError,
  withHint,
} from '../lib/errors.ts';
import { toTimestamp, type Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { nextTick, previousTick, type Schedule } from '../lib/cron-ticks.ts';
import type { Mode } from '../database/schema/values.ts';
import { findDue, type Due, type LastRun } from './due.ts';
import type { OwnSchedules } from './own-schedules.ts';

export interface SchedulerOptions {
  clock: Clock;
  logger: Logger;
  schedule: Schedule;
  /** The newest run over everything in this mode; null before the first. */
  lastUnscopedRun(mode: Mode): Promise<LastRun | null>;
  /** Packages with their own schedule; left out: none. */
  own?: Pick<OwnSchedules, 'findDue'> | undefined;
  /** Calls a function until the returned one is called; left out: every minute of the machine's clock. */
  startTicks?: ((onTick: () => Promise<void>) => () => void) | undefined;
  /** Called before each search for due runs. An error that it throws ends the worker. */
  check?: (() => void) | undefined;
  /** Called at each tick, also during a run. */
  onMinute?: (() => void) | undefined;
  /** Called when nothing is due any more. */
  onCaughtUp?: (() => void) | undefined;
  /**
   * Makes a run. Throws LockedError while another process makes one, ParkedError if no request may be sent.
   */
  run(due: Due): Promise<void>;
}

/**
 * Calls `onTick`, which never rejects, at each tick of the expression (read in UTC), until the returned
 * function is called. Each tick that a suspended machine missed makes a late call.
 */
export function startTicks(expression: string, onTick: () => Promise<void>): () => void {
  const task = cron.schedule(expression, onTick, { timezone: 'UTC', suppressMissedWarning: true });
  task.on('execution:missed', onTick);
  return () => void task.destroy();
}

/** A timer for the next run would not advance while a machine is suspended. */
const everyMinute = (onTick: () => Promise<void>) => startTicks('* * * * *', onTick);

/** Serves the schedule until the signal aborts and the current run has ended. Throws what `check` throws. */
export async function runScheduler(options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  const { check, onMinute, logger } = options;
  const failing = new AbortController();
  const runWhatIsDue = createDueRunner(options, signal);
  let current: Promise<void> | null = null;
  const checkAndRun = async () => {
    try {
      check?.();
    } catch (error) {
      failing.abort(error);
      return;
    }
    await runWhatIsDue();
  };
  const checkOnce = () => (current ??= checkAndRun().finally(() => (current = null)));
  const stopTicks = (options.startTicks ?? everyMinute)(async () => {
    try {
      onMinute?.();
      await checkOnce();
    } catch (thrown) {
      const error = errorLine(thrown);
      logger.error({ event: 'check_failed', error }, `scheduled check failed: ${error}`);
    }
  });
  try {
    await checkOnce();
    if (!failing.signal.aborted && !signal.aborted) logNextRuns(options);
    const ending = AbortSignal.any([signal, failing.signal]);
    if (!ending.aborted) await once(ending, 'abort');
  } finally {
    stopTicks();
    await (current as Promise<void> | null);
  }
  failing.signal.throwIfAborted();
}

/** A run, and when it was started (ms). */
type StartedRun = Due & { at: number };

/** Makes one run after the other until nothing is due or a run fails. */
function createDueRunner(options: SchedulerOptions, signal: AbortSignal): () => Promise<void> {
  const { logger } = options;
  let lastDeferral = '';
  const onFailure = (error: unknown) => {
    if (error instanceof LockedError || error instanceof ParkedError) {
      const reason = error.message;
      // a reason is logged once, not every minute
      if (reason !== lastDeferral) logger.info({ event: 'run_postponed', reason }, `postponed: ${reason}`);
      lastDeferral = reason;
    } else if (!(error instanceof InterruptedError)) {
      const [text, hint] = [errorLine(error), hintLine(error)];
      const stack = error instanceof Error && !(error instanceof VodhouseError) ? error.stack : undefined;
      const message = withHint(`the run failed: ${text}`, hint);
      logger.error({ event: 'run_failed', error: text, hint, stack }, message);
    }
  };
  return async () => {
    let previous: StartedRun | null = null;
    while (!signal.aborted) {
      const due = await findNextDue(options, previous);
      if (!due) {
        options.onCaughtUp?.();
        return;
      }
      try {
        await options.run(due);
      } catch (error) {
        onFailure(error);
        return;
      }
      lastDeferral = '';
      previous = due;
    }
  };
}

async function findNextDue(
  options: SchedulerOptions,
  previous: StartedRun | null,
): Promise<StartedRun | null> {
  const { schedule } = options;
  const full = await options.lastUnscopedRun('full');
  const quick = schedule.quick === null ? null : await options.lastUnscopedRun('quick');
  const at = options.clock.now();
  const due = findDue(schedule, at, { full, quick }, options.own?.findDue(at, full) ?? null);
  return due && !isRepeat(due, previous, schedule, at) ? { ...due, at } : null;
}

/**
 * True if the run that is due is the one that just ended, without a tick since then. Such a run is not made
 * again at once, because it could not be resumed.
 */
function isRepeat(
  { mode, resumesFrom }: Due,
  previous: StartedRun | null,
  schedule: Schedule,
  now: number,
): boolean {
  if (previous?.mode !== mode || previous.resumesFrom !== resumesFrom) return false;
  return resumesFrom !== null || previousTick(schedule[mode] ?? '', now, schedule.timezone) <= previous.at;
}

function logNextRuns({ clock, schedule, logger }: SchedulerOptions): void {
  const format = (expression: string) => toTimestamp(nextTick(expression, clock.now(), schedule.timezone));
  const full = format(schedule.full);
  const quick = schedule.quick === null ? null : format(schedule.quick);
  const quickText = quick === null ? '' : `, next quick run at ${quick.slice(0, 16)} UTC`;
  const text = `next full run at ${full.slice(0, 16)} UTC${quickText}`;
  logger.info({ event: 'worker_waiting', next_full: full, next_quick: quick }, text);
}
