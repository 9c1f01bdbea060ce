/** The worker's life: at start and at every tick it asks what is due, and runs that. */
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

/** Serves the schedule until the signal aborts; resolves when the run under way has ended. */
export async function keepInStep(parts: LoopParts, signal: AbortSignal): Promise<void> {
  let atWork: Promise<void> | null = null;
  const look = () => (atWork ??= runWhatIsDue(parts, signal).finally(() => (atWork = null)));
  const ticks = createTicks(parts.full, look, parts.logger);
  try {
    await look();
    logNext(parts);
    await aborted(signal);
  } finally {
    await ticks.close();
    await (atWork as Promise<void> | null);
  }
}

async function runWhatIsDue(parts: LoopParts, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const trigger = dueTrigger(parts.full, parts.clock.now(), await parts.lastWholeRun());
  if (!trigger) return;
  try {
    await parts.run(trigger);
  } catch (error) {
    if (error instanceof LockedError) parts.logger.info(`left out: ${messageOf(error)}`);
    else if (!(error instanceof InterruptedError)) parts.logger.error(`the run failed: ${messageOf(error)}`);
  }
}

function logNext({ clock, full, logger }: LoopParts): void {
  const next = new Date(nextTick(full, clock.now())).toISOString();
  logger.info(`next full run at ${next.slice(0, 16).replace('T', ' ')} UTC`);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
