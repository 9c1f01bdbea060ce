/** The plan of a config, by the sizes in its live file. Sends nothing. Its shape is that of `plan --json` (docs/json.md). */
import { existsSync } from 'node:fs';
import type { Config, ScheduleConfig } from '../config/config.ts';
import { commandsFor } from '../health/commands.ts';
import { systemClock } from '../lib/clock.ts';
import { WarehouseError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { openStatusQueries } from '../queries/status-queries.ts';
import { getMaxBoundaryReads } from '../sync/videos/boundary-read.ts';
import { countCost, type PackageSize, type PassCost } from './cost.ts';
import { evaluatePlan, proposeSchedule, type GetTimetable, type Shortfall } from './plan.ts';
import { planSentence, type EvaluatedAccount } from './plan-sentence.ts';
import { createTimetables } from './timetable.ts';

export interface Plan {
  warehouse: string;
  /** False before the first run: sizes are not known then. */
  warehouse_exists: boolean;
  schedule: ScheduleConfig;
  fits: boolean;
  /** A schedule that fits every account that has a proposal; null where no account has one. */
  proposal: ScheduleConfig | null;
  accounts: AccountPlan[];
}

export interface AccountPlan {
  account: string;
  packages: number;
  /** Packages whose size is not known yet: each counts as one page, and the plan is a lower bound. */
  packages_unknown: number;
  full: PassPlan;
  quick: PassPlan | null;
  /** Additional boundary reads of a full pass, at most. */
  boundary_reads: number;
  requests_per_day: number;
  per_day: number | null;
  fits: boolean;
  exceeds: Shortfall[];
  verdict: string;
  proposal: ScheduleConfig | null;
}

/** One pass over an account, and how many of them the fullest 24 hours hold. */
export interface PassPlan {
  pages: number;
  requests: number;
  /** At the limits per second and minute; null: no limit. */
  time_ms: number | null;
  runs_per_day: number;
}

/** `now`: milliseconds since 1970. */
export function createPlan(config: Config, now: number): Plan {
  const { schedule, warehouse } = config;
  const sizes = readSizes(warehouse);
  const getTimetable = createTimetables(now);
  const evaluated = evaluateAccounts(config, sizes ?? [], getTimetable);
  const fitting = evaluated.filter((each) => fits(each) || each.proposal).map(({ cost }) => cost);
  const hasProposal = evaluated.some(({ proposal }) => proposal);
  return {
    warehouse,
    warehouse_exists: sizes !== null,
    schedule,
    fits: evaluated.every(fits),
    proposal: hasProposal ? (proposeSchedule(fitting, schedule, getTimetable)?.schedule ?? null) : null,
    accounts: evaluated.map(createAccountPlan),
  };
}

/** Null where there is no live file yet. */
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
  return accounts.map((account) => {
    const cost = countCost(account, sizes, (pages) => getMaxBoundaryReads(walk.boundaryReads, pages));
    const result = evaluatePlan(cost, timetable);
    const isFitting = result.shortfalls.length === 0;
    const proposal = isFitting ? null : proposeSchedule([cost], schedule, getTimetable);
    return { cost, result, proposal, schedule, timetable };
  });
}

function fits({ result }: EvaluatedAccount): boolean {
  return result.shortfalls.length === 0;
}

function createAccountPlan(account: EvaluatedAccount): AccountPlan {
  const { cost, result, proposal, schedule } = account;
  const createPassPlan = ({ timeMs, ...pass }: PassCost, runs: number): PassPlan => ({
    ...pass,
    time_ms: timeMs,
    runs_per_day: runs,
  });
  return {
    account: cost.account,
    packages: cost.packages,
    packages_unknown: cost.packagesUnknown,
    full: createPassPlan(cost.full, result.runs.full),
    quick: schedule.quick === null ? null : createPassPlan(cost.quick, result.runs.quick),
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
      if (!fits) logger.warn(`${account}: the schedule ${verdict}; see ${command}`);
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error; // the run that follows reports it
  }
}
