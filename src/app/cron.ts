/** Calls a function at the ticks of a cron expression. A late tick counts too; calls never overlap. */
import cron from 'node-cron';
import { errorLine } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';

export interface CronTicks {
  close(): Promise<void>;
}

/** Calls `onTick` at every tick of the expression (read in UTC), unless an earlier call is still running. */
export function createCronTicks(expression: string, onTick: () => Promise<void>, logger: Logger): CronTicks {
  let isRunning = false; // `noOverlap` does not cover missed executions
  const callOnTick = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await onTick();
    } catch (error) {
      const text = errorLine(error);
      logger.error({ event: 'check_failed', error: text }, `scheduled check failed: ${text}`);
    } finally {
      isRunning = false;
    }
  };
  const task = cron.schedule(expression, callOnTick, {
    timezone: 'UTC',
    noOverlap: true,
    suppressMissedWarning: true,
    logger: createCronLogger(logger),
  });
  task.on('execution:missed', callOnTick);
  return {
    close: async () => {
      await task.destroy();
    },
  };
}

/** Without it, node-cron writes to the console. */
function createCronLogger(logger: Logger) {
  const write = (message: string | Error) => {
    const text = errorLine(message);
    logger.debug({ event: 'timer', text }, `cron: ${text}`);
  };
  return { info: write, warn: write, error: write, debug: write };
}
