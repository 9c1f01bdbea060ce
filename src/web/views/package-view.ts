/** What the page of a package shows, read from the live file. */
import type { Config } from '../../config/config.ts';
import { createHealthReport, type HealthReport } from '../../health/report.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import type { Growth, LastChange } from '../../queries/named/packages.ts';
import { keyOfPackage, type CountedPackage } from '../../queries/wide-reads/wide-reads.ts';
import { listItems } from '../../health/items.ts';
import { listAttention } from './attention.ts';
import { createListView, type ListQuery } from './list-view.ts';
import { getPackageStates, type ViewSources } from './status-view.ts';
import { findToday } from './today.ts';

const WALKS = 10;
/** Days of its chart; and those whose changes are counted. The last one is today. */
const CHART_DAYS = 90;
const COUNTED_DAYS = 30;

/** The page waits for new totals at most this long. */
const TOTALS_WAIT_MS = 500;

export type PackageView = NonNullable<Awaited<ReturnType<typeof createPackageView>>>;

/** The videos of a package at the end of a day. */
export interface PackageDay {
  /** `YYYY-MM-DD` */
  date: string;
  videos: number;
  size_bytes: number;
}

/** Null if the package is neither in the warehouse nor in the config. Rejects as `WideReads.changes` does. */
export async function createPackageView(
  sources: ViewSources,
  { account, package_id }: { account: string; package_id: number },
  query: ListQuery,
  { now, signal }: { now: number; signal: AbortSignal },
) {
  const { details, wideReads, config } = sources;
  const key = { account, packageId: package_id };
  const report = createHealthReport({ ...sources, publisher: null }, now, 1);
  const health =
    getPackageStates(report).find((row) => row.account === account && row.package_id === package_id) ?? null;
  const stored = details.package(key);
  if (!stored && !health) return null;
  const { changed_seq, first_walked_at } = stored ?? { changed_seq: 0, first_walked_at: null };
  const counted = createCounting(config, now)({ account, package_id, changed_seq, first_walked_at });
  const [{ totals }, growth, list] = await Promise.all([
    wideReads.totals([counted], TOTALS_WAIT_MS),
    wideReads.growth({ account, package_id }, signal),
    createListView(sources, query, { now, signal, ofPackage: { account, package_id } }),
  ]);
  return {
    ...{ now, account, package_id, list },
    name: (stored ?? health)?.name ?? null,
    /** Null if it is no longer in the config (`retiredAt`). */
    health,
    retiredAt: stored?.retired_at ?? null,
    attention: listAttentionOf(key, report),
    /** The command that lists all problems. */
    listAllCommand: sources.formatCommand('status --json'),
    days: addUp(growth, config, now),
    /** Null: not added up yet. */
    totals: totals.get(keyOfPackage(counted)) ?? null,
    walks: details.walks(key, WALKS),
  };
}

/** The items of the package; their place is this page. */
function listAttentionOf(
  { account, packageId }: { account: string; packageId: number },
  report: HealthReport,
) {
  const own = report.problems.filter(
    ({ scope }) => scope.account === account && scope.packageId === packageId,
  );
  return listAttention(listItems(own, report.formatCommand)).map((item) => ({ ...item, place: null }));
}

const NEVER = '9999-12-31 00:00:00';

/** The returned function says from when on the changes of a package are counted: from the day after its first full walk. */
export function createCounting({ timezone }: Pick<Config, 'timezone'>, now: number) {
  const { startOf, dayAt } = createCalendar(timezone);
  const earliest = toTimestamp(startOf(addDays(dayAt(now), 1 - COUNTED_DAYS)));
  const known = new Map<string, string>();
  const startAfter = (at: string): string => {
    const minute = at.slice(0, 16);
    const start = known.get(minute) ?? toTimestamp(startOf(addDays(dayAt(fromTimestamp(at)), 1)));
    known.set(minute, start);
    return start;
  };
  return ({ first_walked_at: first, ...row }: LastChange): CountedPackage => ({
    ...row,
    since: first === null ? NEVER : first < earliest ? earliest : startAfter(first),
  });
}

/** Its days from the first change on; from the last ninety. */
function addUp(growth: readonly Growth[], config: Pick<Config, 'timezone'>, now: number): PackageDay[] {
  const calendar = createCalendar(config.timezone);
  const sums = new Map<string, Omit<PackageDay, 'date'>>();
  let [videos, size_bytes] = [0, 0];
  for (const { minute, ...change } of growth) {
    [videos, size_bytes] = [videos + change.videos, size_bytes + change.size_bytes];
    sums.set(calendar.dayAt(fromTimestamp(`${minute}:00`)), { videos, size_bytes });
  }
  const [first] = sums.keys();
  if (first === undefined) return [];
  const today = findToday(config, now);
  const earliest = addDays(today, 1 - CHART_DAYS);
  let last = [...sums].findLast(([date]) => date < earliest)?.[1] ?? { videos: 0, size_bytes: 0 };
  return [...calendar.days(first > earliest ? first : earliest, today)].map(({ day: date }) => {
    last = sums.get(date) ?? last;
    return { date, ...last };
  });
}
