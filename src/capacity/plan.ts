/** Whether limits allow a schedule, and which schedule they would allow. Pure but for its cache. */
import { readCadence, type Cadence, type Schedule } from '../lib/cron-ticks.ts';
import { formatCount, formatDuration } from '../lib/format.ts';
import type { AccountConfig, LimitsConfig } from '../config/config.ts';
import { countPages } from '../service/count-pages.ts';
import type { PackageRow } from '../sync/package-key.ts';
import { listStreamsOf } from '../sync/streams.ts';

/** Size of a package at its last complete walk. */
export interface PackageSize extends PackageRow {
  totalcount: number | null;
  page_size: number | null;
  /** Live rows: more than `totalcount` where the service stops counting. */
  live_count?: number;
}

/** One pass over all packages of an account. */
interface PassCost {
  pages: number;
  /** Pages, and what the account has once. */
  requests: number;
  /** Milliseconds at the limits per second and minute; null: no limit. */
  time_ms: number | null;
}

/** One full pass over the packages that have the same own schedule. */
interface OwnCost extends PassCost {
  /** The cron expression. */
  schedule: string;
  packages: number;
}

export interface AccountCost {
  account: string;
  packages: number;
  /** Packages with their own schedule: they are in `quick`, not in `full`. */
  own: OwnCost[];
  /** Packages whose size is not known yet: each counts as one page. */
  packagesUnknown: number;
  full: PassCost;
  quick: PassCost;
  /** Limit of requests in any 24 hours; null: no limit. */
  perDay: number | null;
}

/**
 * Counts one request for each page of the present sizes, and one for each stream that the account has once.
 * Boundary reads of a walk are extra.
 */
export function countCost(account: AccountConfig, sizes: readonly PackageSize[]): AccountCost {
  const { name, packages, limits } = account;
  const others = listStreamsOf(account).length - packages.length;
  const known = new Map(sizes.filter((row) => row.account === name).map((row) => [row.package_id, row]));
  const sized = packages.map(({ id, full }) => ({ full, pages: countKnownPages(known.get(id)) }));
  const countPass = (passPages: number, otherRequests = others): PassCost => {
    const requests = passPages + otherRequests;
    return { pages: passPages, requests, time_ms: timeAtLimits(requests, limits) };
  };
  const passOf = (schedule: string | undefined) => {
    const taken = sized.filter(({ full }) => full === schedule);
    return { packages: taken.length, pages: taken.reduce((sum, { pages }) => sum + (pages ?? 1), 0) };
  };
  const schedules = [...new Set(sized.flatMap(({ full }) => full ?? []))];
  return {
    account: name,
    packages: packages.length,
    own: schedules.map((schedule) => {
      const taken = passOf(schedule);
      return { schedule, packages: taken.packages, ...countPass(taken.pages, 0) };
    }),
    packagesUnknown: sized.filter(({ pages }) => pages === null).length,
    full: countPass(passOf(undefined).pages),
    quick: countPass(packages.length),
    perDay: limits.perDay,
  };
}

/** Null before the first complete walk. */
function countKnownPages(size: PackageSize | undefined): number | null {
  if (!size || size.totalcount === null || !size.page_size) return null;
  return Math.max(1, countPages(Math.max(size.totalcount, size.live_count ?? 0), size.page_size));
}

function timeAtLimits(requests: number, { perSecond, perMinute }: LimitsConfig): number | null {
  if (perSecond === null && perMinute === null) return null;
  const slowest = Math.max(requests / (perSecond ?? Infinity), (requests / (perMinute ?? Infinity)) * 60);
  return Math.ceil(slowest * 1000);
}

/**
 * What exceeds the limits: the requests of a day, or the time until its next run of a full or quick pass, or
 * of a full pass over packages with their own schedule.
 */
export type Shortfall = 'per_day' | 'full_time' | 'quick_time' | 'own_time';

/** How often the runs of a schedule come. */
export interface Timetable {
  full: Cadence;
  /** Without those that a full run replaces; null: none are configured. */
  quick: Cadence | null;
  own: (expression: string) => Cadence;
}

export type GetTimetable = (schedule: Schedule) => Timetable;

/**
 * The returned function computes the timetable of a schedule at `now` (milliseconds since 1970), with a
 * cache.
 */
export function createTimetables(now: number): GetTimetable {
  const cadences = new Map<string, Cadence>();
  const read = (expression: string, without?: readonly number[]): Cadence => {
    const key = `${expression}|${without?.join() ?? ''}`;
    const cadence = cadences.get(key) ?? readCadence(expression, now, without);
    cadences.set(key, cadence);
    return cadence;
  };
  return ({ full: expression, quick }) => {
    const full = read(expression);
    const replaced = full.isDaily ? full.times : [];
    return { full, quick: quick === null ? null : read(quick, replaced), own: read };
  };
}

export interface PlanResult {
  /** Of the day with the most requests, if all passes run on it. */
  requestsPerDay: number;
  /** Empty where the schedule fits. */
  shortfalls: Shortfall[];
}

const isTooLong = ({ time_ms }: PassCost, { shortestMs }: Cadence): boolean => (time_ms ?? 0) > shortestMs;

/** Compares the cost of an account with its limits: in a day, and from each run to the next. */
export function evaluatePlan(cost: AccountCost, { full, quick, own }: Timetable): PlanResult {
  const requestsPerDay =
    full.times.length * cost.full.requests +
    (quick?.times.length ?? 0) * cost.quick.requests +
    cost.own.reduce((sum, { requests, schedule }) => sum + requests * own(schedule).times.length, 0);
  const isOver: Record<Shortfall, boolean> = {
    per_day: cost.perDay !== null && requestsPerDay > cost.perDay,
    full_time: isTooLong(cost.full, full),
    quick_time: quick !== null && isTooLong(cost.quick, quick),
    own_time: cost.own.some((each) => isTooLong(each, own(each.schedule))),
  };
  const shortfalls = (Object.keys(isOver) as Shortfall[]).filter((each) => isOver[each]);
  return { requestsPerDay, shortfalls };
}

/** Minutes between two runs that are proposed; all of them divide a day. */
export const FULL_STEPS = [60, 120, 180, 240, 360, 480, 720, 1440] as const;
export const QUICK_STEPS = [10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440] as const;

/**
 * Finds the schedule nearest to the present one that fits all of these accounts; null where none does. It
 * makes full runs rarer first; where that is not enough, quick runs as little rarer as possible, and full
 * runs where necessary.
 */
export function proposeSchedule(
  costs: readonly AccountCost[],
  present: Schedule,
  getTimetable: GetTimetable,
): Schedule | null {
  const found = listCandidates(present).find((schedule) =>
    costs.every((cost) => evaluatePlan(cost, getTimetable(schedule)).shortfalls.length === 0),
  );
  if (!found) return null;
  return getTimetable(found).quick?.times.length === 0 ? { ...found, quick: null } : found;
}

/** In order of preference. */
function listCandidates(present: Schedule): Schedule[] {
  const minute = /^\d+(?= )/.exec(present.full)?.[0] ?? '0'; // the minute of the hour stays as it is
  const fulls = FULL_STEPS.map((step) => formatCron(step, minute));
  const rarerFull = fulls.map((full) => ({ ...present, full }));
  if (present.quick === null) return rarerFull;
  const quicks = QUICK_STEPS.map((step) => formatCron(step, minute));
  const rarerQuick = quicks.flatMap((quick) =>
    [present.full, ...fulls].map((full) => ({ ...present, full, quick })),
  );
  return [...rarerFull, ...rarerQuick];
}

/** The cron expression that ticks every `step` minutes; from an hour up, at this minute of the hour. */
function formatCron(step: number, minute: string): string {
  if (step < 60) return `*/${step} * * * *`;
  if (step === 60) return `${minute} * * * *`;
  return step === 1440 ? `${minute} 0 * * *` : `${minute} */${step / 60} * * *`;
}

/**
 * `fits: 6,336 of 20,000 requests a day`, or `does not fit: …` with what exceeds the limits and what would
 * fit.
 */
export function formatVerdict(
  cost: AccountCost,
  { requestsPerDay, shortfalls }: PlanResult,
  timetable: Timetable,
  proposal: Schedule | null,
): string {
  const atLeast = cost.packagesUnknown > 0 ? 'at least ' : ''; // all figures are lower bounds
  const limit = cost.perDay === null ? 'no limit' : `${formatCount(cost.perDay)} allowed`;
  const requests = `${atLeast}${formatCount(requestsPerDay)} requests a day, ${limit}`;
  if (shortfalls.length === 0) return `fits: ${requests}`;
  const tooLong = (kind: string, pass: PassCost, { shortestMs }: Cadence) =>
    `a ${kind} run takes at least ${formatDuration(pass.time_ms ?? 0)}, ` +
    `and the next begins after ${formatDuration(shortestMs)}`;
  const tooLongOwn = cost.own.filter((each) => isTooLong(each, timetable.own(each.schedule)));
  const reasons: Record<Shortfall, () => string | string[]> = {
    per_day: () => requests,
    full_time: () => tooLong('full', cost.full, timetable.full),
    quick_time: () => (timetable.quick ? tooLong('quick', cost.quick, timetable.quick) : []),
    own_time: () =>
      tooLongOwn.map((each) => tooLong(`"${each.schedule}"`, each, timetable.own(each.schedule))),
  };
  const advice = proposal
    ? `${formatSchedule(proposal)} would fit`
    : 'no schedule fits: raise the limits, split the account, or make own schedules of packages rarer';
  return `does not fit: ${shortfalls.flatMap((each) => reasons[each]()).join('; ')}; ${advice}`;
}

/** As in the config: `{ full: "0 * * * *" }`. */
export function formatSchedule({ full, quick }: Pick<Schedule, 'full' | 'quick'>): string {
  return quick === null ? `{ full: "${full}" }` : `{ full: "${full}", quick: "${quick}" }`;
}
