/** What `plan` tells, from the config and the sizes in the live file; nothing is sent. The shape is that of `--json`. */
import { existsSync } from 'node:fs';
import type { Config, ScheduleConfig } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import { WarehouseError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import {
  countCost,
  evaluatePlan,
  proposeSchedule,
  type AccountCost,
  type PackageSize,
  type PassCost,
  type Proposal,
  type Shortfall,
  type PlanResult,
} from './plan.ts';
import { createTimetables, type Timetable } from './timetable.ts';
import { maxBoundaryReads } from '../sync/videos/boundary-read.ts';
import { openStatusQueries } from '../queries/status-queries.ts';
import { planSentence } from './plan-sentence.ts';
import { commandsFor } from '../health/commands.ts';

export interface Plan {
  warehouse: string;
  /** False before the first run: no size is known then. */
  warehouse_exists: boolean;
  schedule: ScheduleConfig;
  fits: boolean;
  /** A schedule that fits every account that any of those proposed does; null where the present one does. */
  proposal: ScheduleConfig | null;
  accounts: AccountPlan[];
}

export interface AccountPlan {
  account: string;
  packages: number;
  /** Of these, packages whose size is not known yet: each counts as one page, and the plan is a lower bound. */
  packages_unknown: number;
  full: PassPlan;
  quick: PassPlan | null;
  /** Requests that a full pass may make on top, at most, to look between two pages. */
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
  /** At the limits of second and minute; null: no limit. */
  time_ms: number | null;
  runs_per_day: number;
}

/** An account with all that its plan is written from. */
interface Judged {
  cost: AccountCost;
  verdict: PlanResult;
  proposal: Proposal | null;
}

/** The plan of a config, by the sizes in its live file, if there is one. `now`: milliseconds since 1970. */
export function createPlan(config: Config, now: number): Plan {
  const { schedule, warehouse } = config;
  const sizes = readSizes(warehouse);
  const timetableOf = createTimetables(now);
  const timetable = timetableOf(schedule);
  const judged = judgeAll(config, sizes ?? [], timetableOf);
  const allFit = judged.every(fits);
  const able = judged.filter((each) => fits(each) || each.proposal).map(({ cost }) => cost);
  const hasProposal = judged.some(({ proposal }) => proposal);
  return {
    warehouse,
    warehouse_exists: sizes !== null,
    schedule,
    fits: allFit,
    proposal: hasProposal ? (proposeSchedule(able, schedule, timetableOf)?.schedule ?? null) : null,
    accounts: judged.map((each) => accountPlan(each, schedule, timetable)),
  };
}

/** Null where there is no live file yet. */
function readSizes(path: string): PackageSize[] | null {
  if (!existsSync(path)) return null;
  const overview = openStatusQueries(path);
  try {
    return overview.packages();
  } finally {
    overview.close();
  }
}

function judgeAll(
  { accounts, schedule, walk }: Config,
  sizes: readonly PackageSize[],
  timetableOf: (schedule: ScheduleConfig) => Timetable,
): Judged[] {
  return accounts.map((account) => {
    const cost = countCost(account, sizes, (pages) => maxBoundaryReads(walk.boundaryReads, pages));
    const verdict = evaluatePlan(cost, timetableOf(schedule));
    const fits = verdict.shortfalls.length === 0;
    return { cost, verdict, proposal: fits ? null : proposeSchedule([cost], schedule, timetableOf) };
  });
}

function fits({ verdict }: Judged): boolean {
  return verdict.shortfalls.length === 0;
}

function accountPlan(judged: Judged, schedule: ScheduleConfig, timetable: Timetable): AccountPlan {
  const { cost, verdict, proposal } = judged;
  const passPlan = ({ timeMs, ...pass }: PassCost, runs: number): PassPlan => ({
    ...pass,
    time_ms: timeMs,
    runs_per_day: runs,
  });
  return {
    account: cost.account,
    packages: cost.packages,
    packages_unknown: cost.packagesUnknown,
    full: passPlan(cost.full, verdict.runs.full),
    quick: schedule.quick === null ? null : passPlan(cost.quick, verdict.runs.quick),
    boundary_reads: cost.boundaryReads,
    requests_per_day: verdict.requestsPerDay,
    per_day: cost.perDay,
    fits: fits(judged),
    exceeds: verdict.shortfalls,
    verdict: planSentence({ cost, verdict, proposal, schedule, timetable }),
    proposal: proposal?.schedule ?? null,
  };
}

/** Warns of each account whose limits do not carry the schedule. A file that cannot be read is told by what needs it. */
export function warnIfPlanDoesNotFit(config: Config, options: { config: string }, logger: Logger): void {
  const command = commandsFor(options.config)('plan');
  try {
    for (const { account, fits, verdict } of createPlan(config, systemClock.now()).accounts)
      if (!fits) logger.warn(`${account}: the schedule ${verdict}; see ${command}`);
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
  }
}
