/** What runs would cost, whether the limits carry the schedule, and which schedule they would carry. Pure. */
import type { AccountConfig, LimitsConfig, ScheduleConfig } from '../config/config.ts';
import type { RunsPerDay, Timetable } from './timetable.ts';

/** How long a package is, as far as it was walked: `totalcount` videos in pages of `page_size`. */
export interface PackageSize {
  account: string;
  package_id: number;
  totalcount: number | null;
  page_size: number | null;
}

/** One pass over an account: its pages, all its requests, and milliseconds at the limits (null: no limit). */
export interface PassCost {
  pages: number;
  requests: number;
  timeMs: number | null;
}

export interface AccountCost {
  account: string;
  packages: number;
  /** Of these, packages whose size nobody knows yet: each counts as one page. */
  packagesUnknown: number;
  full: PassCost;
  quick: PassCost;
  /** Requests that a full pass may make on top, at most, to look between two pages. */
  boundaryReads: number;
  /** Requests in any 24 hours; null: no limit. */
  perDay: number | null;
}

/** What is short: the requests of a day, or the time from one pass to the next of its kind. */
export type Shortfall = 'per_day' | 'full_time' | 'quick_time';

export interface PlanResult {
  /** The fullest 24 hours, and their requests. */
  runs: RunsPerDay;
  requestsPerDay: number;
  /** Empty where the schedule fits. */
  shortfalls: Shortfall[];
}

/** A schedule that fits. `fullMinutes` and `quickMinutes` are the changes to the present one; null: as it is. */
export interface Proposal {
  schedule: ScheduleConfig;
  fullMinutes: number | null;
  /** 0: without quick runs. */
  quickMinutes: number | null;
}

/** Minutes between two full runs, and between two quick ones, that are proposed; all of them divide a day. */
export const FULL_STEPS = [60, 120, 180, 240, 360, 480, 720, 1440] as const;
export const QUICK_STEPS = [10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440] as const;

/**
 * What the passes of an account cost in requests at the sizes last known. `mostLooks` gives how many boundary reads a
 * walk of so many pages may make.
 */
export function countCost(
  { name, packages, storage, limits }: AccountConfig,
  sizes: readonly PackageSize[],
  mostLooks: (pages: number) => number,
): AccountCost {
  const known = new Map(sizes.filter(({ account }) => account === name).map((row) => [row.package_id, row]));
  const pages = packages.map(({ id }) => pagesOf(known.get(id)));
  const cost = (passPages: number): PassCost => {
    const requests = passPages + (storage ? 1 : 0);
    return { pages: passPages, requests, timeMs: timeAtLimits(requests, limits) };
  };
  return {
    account: name,
    packages: packages.length,
    packagesUnknown: pages.filter((each) => each === null).length,
    full: cost(sum(pages.map((each) => each ?? 1))),
    quick: cost(packages.length),
    boundaryReads: sum(pages.map((each) => (each !== null && each > 1 ? mostLooks(each) : 0))),
    perDay: limits.perDay,
  };
}

/** Pages of a package; null where it was never walked whole. */
function pagesOf(size: PackageSize | undefined): number | null {
  if (!size || size.totalcount === null || !size.page_size) return null;
  return Math.max(1, Math.ceil(size.totalcount / size.page_size));
}

/** Milliseconds that so many requests take at the limits; null where neither second nor minute has one. */
function timeAtLimits(requests: number, { perSecond, perMinute }: LimitsConfig): number | null {
  if (perSecond === null && perMinute === null) return null;
  const slowest = Math.max(requests / (perSecond ?? Infinity), (requests / (perMinute ?? Infinity)) * 60);
  return Math.ceil(slowest * 1000);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Whether the limits of an account carry the timetable: in the fullest 24 hours, and from each run to the next. */
export function evaluatePlan({ full, quick, perDay }: AccountCost, timetable: Timetable): PlanResult {
  const requestsOf = (runs: RunsPerDay) => runs.full * full.requests + runs.quick * quick.requests;
  const runs = timetable.days.reduce((most, each) => (requestsOf(each) > requestsOf(most) ? each : most));
  const requestsPerDay = requestsOf(runs);
  const isOver: Record<Shortfall, boolean> = {
    per_day: perDay !== null && requestsPerDay > perDay,
    full_time: (full.timeMs ?? 0) > timetable.full.shortestMs,
    quick_time: timetable.quick !== null && (quick.timeMs ?? 0) > timetable.quick.shortestMs,
  };
  const shortfalls = (Object.keys(isOver) as Shortfall[]).filter((each) => isOver[each]);
  return { runs, requestsPerDay, shortfalls };
}

/**
 * The schedule nearest to the present one that fits all of these accounts; null where none does. Full runs are made
 * rarer first; where that is not enough, quick ones as little rarer as can be, and full ones where they must.
 */
export function proposeSchedule(
  costs: readonly AccountCost[],
  present: ScheduleConfig,
  timetableOf: (schedule: ScheduleConfig) => Timetable,
): Proposal | null {
  const fits = ({ schedule }: Proposal) =>
    costs.every((cost) => evaluatePlan(cost, timetableOf(schedule)).shortfalls.length === 0);
  const proposal = candidatesFor(present).find(fits);
  if (!proposal || proposal.quickMinutes === null) return proposal ?? null;
  const hasQuick = timetableOf(proposal.schedule).days.some(({ quick }) => quick > 0);
  return hasQuick
    ? proposal
    : { ...proposal, schedule: { ...proposal.schedule, quick: null }, quickMinutes: 0 };
}

/** What is proposed, in the order of preference. */
function candidatesFor(present: ScheduleConfig): Proposal[] {
  const minute = /^\d+(?= )/.exec(present.full)?.[0] ?? '0'; // whoever chose it keeps it
  const candidate = (fullMinutes: number | null, quickMinutes: number | null): Proposal => {
    const full = fullMinutes === null ? present.full : cronOf(fullMinutes, minute);
    const quick = quickMinutes === null ? present.quick : cronOf(quickMinutes, minute);
    return { schedule: { full, quick }, fullMinutes, quickMinutes };
  };
  const rarerFull = FULL_STEPS.map((step) => candidate(step, null));
  if (present.quick === null) return rarerFull;
  return [
    ...rarerFull,
    ...QUICK_STEPS.flatMap((quick) => [null, ...FULL_STEPS].map((full) => candidate(full, quick))),
  ];
}

/** The cron expression of every so many minutes; from an hour up, at this minute of the hour. */
function cronOf(step: number, minute: string): string {
  if (step < 60) return `*/${step} * * * *`;
  if (step === 60) return `${minute} * * * *`;
  return step === 1440 ? `${minute} 0 * * *` : `${minute} */${step / 60} * * *`;
}
