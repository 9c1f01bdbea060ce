/** The worker's life: at start and every minute it asks what is due, and runs that. */
import { InterruptedError, LockedError, errorMessage, ParkedError, VodhouseError } from '../lib/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Mode } from '../database/schema/runs.ts';
import { findDue, type Due, type LastRun, type Schedule } from './due.ts';
import { createCronTicks, type CronTicks } from './cron.ts';
import { previousTick, nextTick } from '../lib/cron-ticks.ts';

export interface SchedulerParts {
  clock: Clock;
  logger: Logger;
  schedule: Schedule;
  /** The newest run over everything in this mode; null before the first. */
  lastWholeRun(mode: Mode): Promise<LastRun | null>;
  /** Calls what looks, again and again; left out: every minute of the machine's clock. */
  ticks?: ((look: () => Promise<void>) => CronTicks) | undefined;
  /** Called before each look. What it throws ends the worker: there is nothing left to keep in step. */
  check?: (() => void) | undefined;
  /** Called each minute, also while a run is under way. */
  onMinute?: (() => void) | undefined;
  /** Called when nothing is due any more. */
  onInStep?: (() => void) | undefined;
  /** Makes one run. Throws LockedError where another process is running, ParkedError where nothing may be asked yet. */
  run(due: Due): Promise<void>;
}

/**
 * When the worker looks: not at the ticks of the schedule itself. A timer for tomorrow stands still while a machine is
 * suspended, and node-cron reads a day of the month beside a weekday otherwise than cron does.
 */
const EVERY_MINUTE = '* * * * *';

/** Serves the schedule until the signal aborts; resolves when the run under way has ended. Throws what `check` throws. */
export async function runScheduler(parts: SchedulerParts, signal: AbortSignal): Promise<void> {
  let atWork: Promise<void> | null = null;
  const runWhatIsDue = createDueRun(parts, signal);
  const failing = new AbortController();
  const checkAndRun = async () => {
    try {
      parts.check?.();
    } catch (error) {
      failing.abort(error);
      return;
    }
    await runWhatIsDue();
  };
  const look = () => (atWork ??= checkAndRun().finally(() => (atWork = null)));
  const ticksOf = parts.ticks ?? ((call) => createCronTicks(EVERY_MINUTE, call, parts.logger));
  const { onMinute } = parts;
  const ticks = [ticksOf(look), ...(onMinute ? [ticksOf(async () => onMinute())] : [])];
  try {
    await look();
    if (!failing.signal.aborted) logNext(parts);
    await aborted(AbortSignal.any([signal, failing.signal]));
  } finally {
    await Promise.all(ticks.map((each) => each.close()));
    await (atWork as Promise<void> | null);
  }
  failing.signal.throwIfAborted();
}

/** A run, and when it was made (ms). */
type StartedRun = Due & { at: number };

/** Gives what the worker does when it looks: all that is due. Who else runs is told once, not every minute. */
function createDueRun(parts: SchedulerParts, signal: AbortSignal): () => Promise<void> {
  const { clock, logger, schedule } = parts;
  let putOff = '';

  function note(error: unknown): void {
    if (error instanceof InterruptedError) return;
    if (error instanceof LockedError || error instanceof ParkedError) {
      if (error.message !== putOff) logger.info(`put off: ${error.message}`);
      putOff = error.message;
    } else logger.error(`the run failed: ${errorMessage(error)}${hintOf(error)}`);
  }

  /** The same as just now, though no tick has come since: what could not go on is not tried again at once. */
  function isRepeat({ mode, resumesFrom }: Due, before: StartedRun | null, now: number): boolean {
    if (before?.mode !== mode || before.resumesFrom !== resumesFrom) return false;
    return resumesFrom !== null || previousTick(schedule[mode] ?? '', now) <= before.at;
  }

  /** Gives the run that was made: another one may be due by now, or the rest of it. */
  async function runOne(before: StartedRun | null): Promise<StartedRun | null> {
    const last = {
      full: await parts.lastWholeRun('full'),
      quick: schedule.quick === null ? null : await parts.lastWholeRun('quick'),
    };
    const due = findDue(schedule, clock.now(), last);
    const at = clock.now();
    if (!due || isRepeat(due, before, at)) {
      parts.onInStep?.();
      return null;
    }
    try {
      await parts.run(due);
      putOff = '';
      return { ...due, at };
    } catch (error) {
      note(error);
      return null;
    }
  }

  return async () => {
    let made: StartedRun | null = null;
    do made = signal.aborted ? null : await runOne(made);
    while (made);
  };
}

function logNext({ clock, schedule, logger }: SchedulerParts): void {
  const { full, quick } = schedule;
  const next = (expression: string) => {
    const tick = new Date(nextTick(expression, clock.now())).toISOString();
    return `${tick.slice(0, 16).replace('T', ' ')} UTC`;
  };
  const quickly = quick === null ? '' : `, next quick run at ${next(quick)}`;
  logger.info(`next full run at ${next(full)}${quickly}`);
}

function hintOf(error: unknown): string {
  return error instanceof VodhouseError && error.hint ? ` -> ${error.hint}` : '';
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
