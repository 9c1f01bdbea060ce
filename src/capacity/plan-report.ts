/**
 * The plan of a config, by the sizes in its live file. Sends nothing. Its shape is that of `plan --json`
 * (docs/json.md).
 */
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { commandsFor } from '../lib/shell-command.ts';
import { systemClock } from '../lib/clock.ts';
import { WarehouseError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { readLiveFile } from '../database/connection.ts';
import { readPackages } from '../queries/named/packages.ts';
import {
  countCost,
  type AccountCost,
  type PackageSize,
  createTimetables,
  evaluatePlan,
  formatVerdict,
  proposeSchedule,
  type GetTimetable,
} from './plan.ts';

export type Plan = ReturnType<typeof createPlan>;
export type AccountPlan = Plan['accounts'][number];
export type PassPlan = AccountPlan['full'];

/** `now`: milliseconds since 1970. */
export function createPlan(config: Config, now: number) {
  const { schedule, warehouse } = config;
  const sizes = readSizes(warehouse);
  const getTimetable = createTimetables(now);
  const costs = config.accounts.map((account) => countCost(account, sizes ?? []));
  const accounts = costs.map((cost) => createAccountPlan(cost, config, getTimetable));
  const fits = accounts.every((account) => account.fits);
  return {
    warehouse,
    warehouse_exists: sizes !== null, // without it, sizes are not known
    schedule,
    fits,
    /** Fits every account; null if none does, or none is needed. */
    proposal: fits ? null : proposeSchedule(costs, schedule, getTimetable),
    accounts,
  };
}

/** Null if there is no live file yet. */
function readSizes(path: string): PackageSize[] | null {
  return existsSync(path) ? readLiveFile(path, readPackages) : null;
}

function createAccountPlan(cost: AccountCost, { schedule }: Config, getTimetable: GetTimetable) {
  const timetable = getTimetable(schedule);
  const result = evaluatePlan(cost, timetable);
  const fits = result.shortfalls.length === 0;
  const proposal = fits ? null : proposeSchedule([cost], schedule, getTimetable);
  const { full, quick, own } = timetable;
  return {
    account: cost.account,
    packages: cost.packages,
    packages_unknown: cost.packagesUnknown,
    full: { ...cost.full, runs_per_day: full.times.length },
    quick: quick && { ...cost.quick, runs_per_day: quick.times.length },
    own: cost.own.map((each) => ({ ...each, runs_per_day: own(each.schedule).times.length })),
    requests_per_day: result.requestsPerDay,
    per_day: cost.perDay,
    fits,
    exceeds: result.shortfalls,
    verdict: formatVerdict(cost, result, timetable, proposal),
    proposal,
  };
}

/**
 * Logs a warning for each account whose limits do not allow the schedule. Ignores a file that cannot be read.
 */
export function warnIfPlanDoesNotFit(config: Config, options: { config: string }, logger: Logger): void {
  const command = commandsFor(options.config)('plan');
  try {
    for (const { account, fits, verdict } of createPlan(config, systemClock.now()).accounts)
      if (!fits)
        logger.warn(
          { event: 'schedule_does_not_fit', account, verdict },
          `${account}: the schedule ${verdict}; see ${command}`,
        );
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error; // the run that follows reports it
  }
}
