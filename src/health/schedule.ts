/** Whether a worker runs, and what is due next. */
import type { Config } from '../config/config.ts';
import { readLiveHolder } from '../database/lock.ts';
import { toTimestamp } from '../lib/clock.ts';
import { nextTick } from '../lib/cron-ticks.ts';
import type { Publisher } from '../publishing/publisher.ts';

/** Times are `YYYY-MM-DD HH:MM:SS` UTC. */
export interface Schedule {
  /** Null where no worker runs. */
  worker: { host: string; pid: number; since: string } | null;
  /** The next ticks of the schedule; null where there is none, or nothing is to be published. */
  next: { full: string | null; quick: string | null; publication: string | null; backup: string | null };
}

/** Reads the worker of the warehouse, and what is due after `now` (ms). */
export function readSchedule(
  { warehouse, schedule, backup }: Pick<Config, 'warehouse' | 'schedule' | 'backup'>,
  publisher: Pick<Publisher, 'dueAt'> | null,
  now: number,
): Schedule {
  const holder = readLiveHolder(warehouse, 'worker');
  const formatTime = (ms: number | null) => (ms === null || !Number.isFinite(ms) ? null : toTimestamp(ms));
  const tickOf = (expression: string | null) =>
    expression === null ? null : nextTick(expression, now, schedule.timezone);
  return {
    worker: holder && { host: holder.host, pid: holder.pid, since: holder.since },
    next: {
      full: formatTime(tickOf(schedule.full)),
      quick: formatTime(tickOf(schedule.quick)),
      backup: formatTime(tickOf(backup?.schedule ?? null)),
      publication: formatTime(publisher?.dueAt(now) ?? null),
    },
  };
}
