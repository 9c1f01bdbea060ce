/** The figures at the top of the status page. */
import { createCalendar } from '../../lib/calendar.ts';
import { fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import { STORAGE_KINDS } from '../../lib/service-fields.ts';
import type { Config } from '../../config/config.ts';
import type { HealthReport } from '../../health/report.ts';
import { findNextLoad, summarizeTarget } from '../../health/target-summary.ts';
import type { StorageTotal } from '../../queries/named/totals.ts';
import type { PageQueries } from '../../queries/page-queries.ts';

export type Tiles = ReturnType<typeof createTiles>;

interface TileSources {
  config: Pick<Config, 'accounts' | 'timezone'>;
  details: Pick<PageQueries, 'videoChanges' | 'storageTotals'>;
  health: Pick<HealthReport, 'packages' | 'budgets' | 'targets'>;
}

/** `now` is in ms since 1970. Throws WarehouseError if the live file cannot be read. */
export function createTiles({ config, details, health }: TileSources, now: number) {
  const calendar = createCalendar(config.timezone);
  const midnight = toTimestamp(calendar.startOf(calendar.dayAt(now)));
  const { inserted, restored, removed } = details.videoChanges(midnight);
  const withStorage = config.accounts.filter(({ storage }) => storage !== null);
  return {
    videos: {
      count: health.packages.reduce((sum, { videos }) => sum + videos, 0),
      /** Since midnight of the service. */
      today: { came: inserted + restored, went: removed },
    },
    storage: toStorageTile(withStorage.map(({ name }) => details.storageTotals(name))),
    requests: toRequestsTile(health.budgets),
    targets: toTargetsTile(health.targets, now),
  };
}

/** The totals of each account, the newest day first. Null without any day. */
export function toStorageTile(accounts: readonly (readonly StorageTotal[])[]) {
  const newest = accounts.flatMap(([day]) => day ?? []);
  if (newest.length === 0) return null;
  const bytes = sum(newest.map((day) => day.bytes));
  return {
    bytes,
    /** False: the service did not provide all sizes. */
    isComplete: newest.every(({ known }) => known === '1'.repeat(STORAGE_KINDS.length)),
    change: toStorageChange(accounts.filter(([day]) => day)),
  };
}

/** Null unless each account has the same sizes as many days before. */
function toStorageChange(accounts: readonly (readonly StorageTotal[])[]) {
  const pairs = accounts.map(([now, before]) => ({
    difference: now && before?.known === now.known ? now.bytes - before.bytes : null,
    before: before?.bytes ?? 0,
    days: now && before ? Math.round((Date.parse(now.date) - Date.parse(before.date)) / 86_400_000) : 0,
  }));
  const [first] = pairs;
  const isComparable = pairs.every((each) => each.difference !== null && each.days === first?.days);
  if (!first || !isComparable) return null;
  const before = sum(pairs.map((each) => each.before));
  const bytes = sum(pairs.map(({ difference }) => difference ?? 0));
  /** `share`: of the size then; null if that was 0. */
  return { bytes, days: first.days, share: before === 0 ? null : bytes / before };
}

function toRequestsTile(budgets: HealthReport['budgets']) {
  const limits = budgets.map(({ per_day: day }) => day.limit);
  const shares = budgets.map(({ account, per_day: { spent, limit } }) => ({
    account,
    share: limit ? spent / limit : 0,
  }));
  return {
    /** In the last 24 hours, of all accounts. */
    spent: sum(budgets.map(({ per_day: day }) => day.spent)),
    /** Null if an account has none. */
    limit: limits.some((limit) => limit === null) ? null : sum(limits.map((limit) => limit ?? 0)),
    /** Of several accounts, the one that has used most of its day; null for a single account. */
    fullest: shares.length > 1 ? (shares.toSorted((one, other) => other.share - one.share)[0] ?? null) : null,
    paused: budgets.filter(({ pause }) => pause?.in_force).map(({ account }) => account),
  };
}

function toTargetsTile(targets: HealthReport['targets'], now: number) {
  if (targets.length === 0) return null;
  const summaries = targets.map(summarizeTarget);
  const loaded = summaries.flatMap(({ loadedAt }) => loadedAt ?? []).sort();
  return {
    count: targets.length,
    /** Those that wait for their next load are not behind. */
    behind: summaries.filter(
      (summary) => summary.upToDate < summary.accounts && findNextLoad(summary, now) === null,
    ).length,
    /** The newest load (ms since 1970); null: none. */
    loadedAt: loaded.length === 0 ? null : fromTimestamp(loaded.at(-1) ?? ''),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
