/** The plan of a config, by the sizes in its live file. Sends nothing. Its shape is that of `plan --json` (docs/json.md). */
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { commandsFor } from '../health/commands.ts';
import { systemClock } from '../lib/clock.ts';
import { WarehouseError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { openStatusQueries } from '../queries/status-queries.ts';
import { getMaxBoundaryReads } from '../sync/videos/boundary-read.ts';
import { countCost, type PackageSize } from './cost.ts';
import { evaluatePlan, proposeSchedule, type GetTimetable } from './plan.ts';
import { planSentence, type EvaluatedAccount } from './plan-sentence.ts';
import { createTimetables } from './timetable.ts';

export type Plan = ReturnType<typeof createPlan>;
export type AccountPlan = Plan['accounts'][number];
export type PassPlan = AccountPlan['full'];

/** `now`: milliseconds since 1970. */
export function createPlan(config: Config, now: number) {
  const { schedule, warehouse } = config;
  const sizes = readSizes(warehouse);
  const getTimetable = createTimetables(now);
  const evaluated = evaluateAccounts(config, sizes ?? [], getTimetable);
  const fitting = evaluated.filter((each) => fits(each) || each.proposal).map(({ cost }) => cost);
  const hasProposal = evaluated.some(({ proposal }) => proposal);
  return {
    warehouse,
    warehouse_exists: sizes !== null, // without it, sizes are not known
    schedule,
    fits: evaluated.every(fits),
    /** Fits every account that has a proposal; null if no account has one. */
    proposal: hasProposal ? (proposeSchedule(fitting, schedule, getTimetable)?.schedule ?? null) : null,
    accounts: evaluated.map(createAccountPlan),
  };
}

/** Null if there is no live file yet. */
function readSizes(path: string): PackageSize[] | null {
  if (!existsSync(path)) return null;
  const queries = openStatusQueries(path);
  try {
    return queries.packages();
  } finally {
    queries.close();
  }
}

function evaluateAccounts(
  { accounts, schedule, walk }: Config,
  sizes: readonly PackageSize[],
  getTimetable: GetTimetable,
): EvaluatedAccount[] {
  const timetable = getTimetable(schedule);
  const getCadence = (expression: string) => {
    const { days, full } = getTimetable({ ...schedule, full: expression, quick: null });
    return { runsPerDay: Math.max(...days.map((runs) => runs.full)), shortestMs: full.shortestMs };
  };
  return accounts.map((account) => {
    const maxBoundaryReads = (pages: number) => getMaxBoundaryReads(walk.boundaryReads, pages);
    const cost = countCost(account, sizes, maxBoundaryReads, getCadence);
    const result = evaluatePlan(cost, timetable);
    const isFitting = result.shortfalls.length === 0;
    const proposal = isFitting ? null : proposeSchedule([cost], schedule, getTimetable);
    return { cost, result, proposal, schedule, timetable };
  });
}

function fits({ result }: EvaluatedAccount): boolean {
  return result.shortfalls.length === 0;
}

function createAccountPlan(account: EvaluatedAccount) {
  const { cost, result, proposal, schedule } = account;
  return {
    account: cost.account,
    packages: cost.packages,
    packages_unknown: cost.packagesUnknown,
    full: { ...cost.full, runs_per_day: result.runs.full },
    quick: schedule.quick === null ? null : { ...cost.quick, runs_per_day: result.runs.quick },
    own: cost.own.map(({ schedule, packages, pages, requests, time_ms, runsPerDay }) => ({
      ...{ schedule, packages, pages, requests, time_ms },
      runs_per_day: runsPerDay,
    })),
    boundary_reads: cost.boundaryReads,
    requests_per_day: result.requestsPerDay,
    per_day: cost.perDay,
    fits: fits(account),
    exceeds: result.shortfalls,
    verdict: planSentence(account),
    proposal: proposal?.schedule ?? null,
  };
}

/** Logs a warning for each account whose limits do not allow the schedule. Ignores a file that cannot be read. */
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
