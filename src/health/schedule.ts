/** Whether a worker runs, and what is due next. */
import type { Config } from '../config/config.ts';
import { readLiveHolder } from '../database/lock.ts';
import { toTimestamp } from '../lib/clock.ts';
import { nextTick } from '../lib/cron-ticks.ts';
import type { Publisher } from '../publishing/publisher.ts';

/** The next full walk of a package by its own schedule. */
export interface NextWalk {
  account: string;
  package_id: number;
  /** The cron expression. */
  schedule: string;
  at: string;
}

/** Times are `YYYY-MM-DD HH:MM:SS` UTC. */
export interface Schedule {
  /** Null where no worker runs. */
  worker: { host: string; pid: number; since: string } | null;
  /** The next ticks of the schedule, null where it has none; `publication`: null where the published file has everything. */
  next: {
    full: string | null;
    quick: string | null;
    publication: string | null;
    backup: string | null;
    packages: NextWalk[];
  };
}

/** Reads the worker of the warehouse, and what is due after `now` (ms). */
export function readSchedule(
  { warehouse, schedule, accounts, backup }: Pick<Config, 'warehouse' | 'schedule' | 'accounts' | 'backup'>,
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
      packages: listNextWalks(accounts, (full) => toTimestamp(nextTick(full, now, schedule.timezone))),
    },
  };
}

/** The packages with their own schedule, the first ones due first. */
function listNextWalks(accounts: Config['accounts'], formatNext: (full: string) => string): NextWalk[] {
  const times = new Map<string, string>();
  const walks = accounts.flatMap(({ name: account, packages }) =>
    packages.flatMap(({ id: package_id, full: schedule }) => {
      if (schedule === undefined) return [];
      const at = times.get(schedule) ?? formatNext(schedule);
      times.set(schedule, at);
      return { account, package_id, schedule, at };
    }),
  );
  return walks.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
}
