/** The ticks of a cron expression, as hints: late ones are hints too, and none overlaps another. */
import cron from 'node-cron';
import { errorMessage } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';

export interface CronTicks {
  close(): Promise<void>;
}

/** Calls `look` at every tick of the expression (read in UTC), never while an earlier call is under way. */
export function createCronTicks(expression: string, look: () => Promise<void>, logger: Logger): CronTicks {
  let isUnderWay = false; // node-cron keeps its runs apart, but not from those that it missed
  const noted = async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      await look();
    } catch (error) {
      logger.error(`the tick came to nothing: ${errorMessage(error)}`);
    } finally {
      isUnderWay = false;
    }
  };
  const task = cron.schedule(expression, noted, {
    timezone: 'UTC',
    noOverlap: true,
    suppressMissedWarning: true,
    logger: forCron(logger),
  });
  task.on('execution:missed', noted);
  return {
    close: async () => {
      await task.destroy();
    },
  };
}

/** node-cron writes to the console unless it is given a logger. */
function forCron(logger: Logger) {
  const write = (message: string | Error) => logger.debug(`cron: ${errorMessage(message)}`);
  return { info: write, warn: write, error: write, debug: write };
}
