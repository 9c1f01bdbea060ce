/** The ticks of the worker: the only use of node-cron. */
import cron from 'node-cron';

/**
 * Calls `onTick`, which never rejects, at each tick of the expression (read in UTC), until the returned
 * function is called. Each tick that a suspended machine missed makes a late call.
 */
export function startTicks(expression: string, onTick: () => Promise<void>): () => void {
  const task = cron.schedule(expression, onTick, { timezone: 'UTC', suppressMissedWarning: true });
  task.on('execution:missed', onTick);
  return () => void task.destroy();
}
