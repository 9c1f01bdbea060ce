/** Since when a backup of the worker is overdue. */
import type { Config } from '../config/config.ts';
import { fromTimestamp, toTimestamp } from '../lib/clock.ts';
import { nextTick } from '../lib/cron-ticks.ts';

export interface BackupTimes {
  /** The last backup that was made; null: none. */
  madeAt: string | null;
  /** The end of the first full run; null: before it there is nothing to copy. */
  firstRunAt: string | null;
  /** Since when the running worker has the schedule of the backups; null: no worker makes backups. */
  scheduledAt: string | null;
}

/**
 * The second tick of `backup.schedule` after the latest of these times, once it has passed; null where no
 * backup is overdue. A time after `now` (ms) was written while the clock was ahead: it does not count.
 */
export function findOverdueSince(
  { backup, schedule: { timezone } }: Pick<Config, 'backup' | 'schedule'>,
  { madeAt, firstRunAt, scheduledAt }: BackupTimes,
  now: number,
): string | null {
  if (!backup || firstRunAt === null || scheduledAt === null) return null;
  const times = [madeAt, firstRunAt, scheduledAt].flatMap((time) =>
    time === null ? [] : fromTimestamp(time),
  );
  const past = times.filter((time) => time <= now);
  if (past.length === 0) return null;
  const next = (after: number) => nextTick(backup.schedule, after, timezone);
  const due = next(next(Math.max(...past)));
  return now > due ? toTimestamp(due) : null;
}
