/** What runs cost in requests and time. Pure. */
import type { AccountConfig, LimitsConfig } from '../config/config.ts';
import { countPages } from '../lib/count-pages.ts';

/** Size of a package at its last complete walk. */
export interface PackageSize {
  account: string;
  package_id: number;
  totalcount: number | null;
  page_size: number | null;
}

/** One pass over all packages of an account. */
export interface PassCost {
  pages: number;
  /** Pages and storage. */
  requests: number;
  /** Milliseconds at the limits per second and minute; null: no limit. */
  time_ms: number | null;
}

/** One full pass over the packages that have the same own schedule. */
export interface OwnCost extends PassCost {
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

/** Counts one request for each page of the present sizes, and one for the storage. Boundary reads of a walk are extra. */
export function countCost(
  { name, packages, storage, limits }: AccountConfig,
  sizes: readonly PackageSize[],
): AccountCost {
  const known = new Map(sizes.filter(({ account }) => account === name).map((row) => [row.package_id, row]));
  const sized = packages.map(({ id, full }) => ({ full, pages: countKnownPages(known.get(id)) }));
  const countPass = (passPages: number, storageRequests = storage ? 1 : 0): PassCost => {
    const requests = passPages + storageRequests;
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
  return Math.max(1, countPages(size.totalcount, size.page_size));
}

function timeAtLimits(requests: number, { perSecond, perMinute }: LimitsConfig): number | null {
  if (perSecond === null && perMinute === null) return null;
  const slowest = Math.max(requests / (perSecond ?? Infinity), (requests / (perMinute ?? Infinity)) * 60);
  return Math.ceil(slowest * 1000);
}
