/** The worker's life: at start and every minute it asks what is due, and runs that. */
import { InterruptedError, LockedError, messageOf } from '../lib/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Trigger } from '../warehouse/schema/runs.ts';
import { dueTrigger, nextTick } from './due.ts';
import { createTicks } from './ticks.ts';

export interface LoopParts {
  clock: Clock;
  logger: Logger;
  /** Cron expression of full runs, read in UTC. */
  full: string;
  /** The newest full run over everything; null before the first. */
  lastWholeRun(): Promise<{ startedAt: string } | null>;
  /** Makes one run. Throws LockedError where another process is running. */
  run(trigger: Trigger): Promise<void>;
}

/**
 * When the worker looks: not at the ticks of the schedule itself. A timer for tomorrow stands still while a machine is
 * suspended, and node-cron reads a day of the month beside a weekday otherwise than cron does.
 */
const EVERY_MINUTE = '* * * * *';

/** Serves the schedule until the signal aborts; resolves when the run under way has ended. */
export async function keepInStep(parts: LoopParts, signal: AbortSignal): Promise<void> {
  let atWork: Promise<void> | null = null;
  const runWhatIsDue = createDueRun(parts, signal);
  const look = () => (atWork ??= runWhatIsDue().finally(() => (atWork = null)));
  const ticks = createTicks(EVERY_MINUTE, look, parts.logger);
  try {
    await look();
    logNext(parts);
    await aborted(signal);
  } finally {
    await ticks.close();
    await (atWork as Promise<void> | null);
  }
}

/** Gives what the worker does when it looks. Who else runs is told once, not every minute. */
function createDueRun(parts: LoopParts, signal: AbortSignal): () => Promise<void> {
  const { clock, logger, full } = parts;
  let putOff = '';

  function note(error: unknown): void {
    if (error instanceof InterruptedError) return;
    if (error instanceof LockedError) {
      if (error.message !== putOff) logger.info(`put off: ${error.message}`);
      putOff = error.message;
    } else logger.error(`the run failed: ${messageOf(error)}`);
  }

  return async () => {
    if (signal.aborted) return;
    const trigger = dueTrigger(full, clock.now(), await parts.lastWholeRun());
    if (!trigger) return;
    try {
      await parts.run(trigger);
      putOff = '';
    } catch (error) {
      note(error);
    }
  };
}

function logNext({ clock, full, logger }: LoopParts): void {
  const next = new Date(nextTick(full, clock.now())).toISOString();
  logger.info(`next full run at ${next.slice(0, 16).replace('T', ' ')} UTC`);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
