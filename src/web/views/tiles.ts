/** The figures at the top of the status page. */
import { daysBetween } from '../../lib/calendar.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import { STORAGE_KINDS } from '../../lib/service-fields.ts';
import type { Config } from '../../config/config.ts';
import type { HealthReport } from '../../health/report.ts';
import { summarizeTarget } from '../../health/targets.ts';
import type { StorageDayRow } from '../../queries/named/storage.ts';
import type { PageQueries } from '../../queries/page-queries.ts';
import { findDelta } from './storage-days.ts';
import { readTodaysChanges } from './today.ts';

export type Tiles = ReturnType<typeof createTiles>;

/** Enough for a booked day a week before the last one, also after an outage. */
const TILE_DAYS = 30;

interface TileSources {
  config: Pick<Config, 'accounts' | 'timezone'>;
  details: Pick<PageQueries, 'videoChanges' | 'storageDays'>;
  health: Pick<HealthReport, 'packages' | 'published' | 'runs' | 'targets'>;
}

/** `now` is in ms since 1970. Throws WarehouseError if the live file cannot be read. */
export function createTiles({ config, details, health }: TileSources, now: number) {
  const changes = readTodaysChanges({ config, details }, now);
  const withStorage = config.accounts.filter(({ storage }) => storage !== null);
  return {
    videos: {
      count: health.packages.reduce((sum, { videos }) => sum + videos, 0),
      /** Since midnight of the service. */
      today: {
        added: sum(changes.map(({ added }) => added ?? 0)),
        removed: sum(changes.map(({ removed }) => removed)),
        firstSeen: sum(changes.map((row) => row.first_seen)),
      },
    },
    storage: toStorageTile(withStorage.map(({ name }) => details.storageDays(name, TILE_DAYS))),
    freshness: toFreshnessTile(health),
    lastRun: health.runs.find(({ status }) => status !== 'running') ?? null,
    targets: toTargetsTile(health.targets, now),
  };
}

/** The oldest of all packages, and the published file. */
function toFreshnessTile({ packages, published }: TileSources['health']) {
  const walked = packages.map(({ walked_at: at }) => at);
  return {
    /** Null: a package was never walked completely, or there is none. */
    oldest: walked.includes(null) ? null : (walked.sort()[0] ?? null),
    isStale: packages.some(({ stale }) => stale),
    /** Null: nothing is published. */
    published,
  };
}

/** The last days of each account, the oldest first. Null without any day. */
export function toStorageTile(accounts: readonly (readonly StorageDayRow[])[]) {
  const read = accounts.filter((days) => days.length > 0);
  if (read.length === 0) return null;
  const newest = read.flatMap((days) => days.at(-1) ?? []);
  const sizes = newest.flatMap((day) => STORAGE_KINDS.map(({ size }) => day[size]));
  return {
    bytes: sum(sizes.map((size) => size ?? 0)),
    /** False: the service did not provide all sizes. */
    isComplete: !sizes.includes(null),
    /** A day is not over: its figures are the last reading. */
    isLive: newest.some(({ state }) => state === 'live'),
    change: toStorageChange(read),
  };
}

/** Between booked days. Null unless each account has the same sizes as many days before. */
function toStorageChange(accounts: readonly (readonly StorageDayRow[])[]) {
  const deltas = accounts.map((days) => {
    const booked = days.filter(({ state }) => state === 'booked');
    const [last] = booked.slice(-1);
    const before = last && booked.findLast(({ date }) => date <= addDays(last.date, -7));
    return findDelta([before, last].map((row) => ({ row: row ?? null })));
  });
  const known = deltas.flatMap((delta) =>
    delta ? [{ ...delta, days: daysBetween(delta.since, delta.until) }] : [],
  );
  const [first] = known;
  if (!first || known.length < deltas.length || known.some(({ days }) => days !== first.days)) return null;
  const bytes = sum(known.map((delta) => delta.bytes));
  const before = sum(known.map((delta) => delta.from));
  /** `share`: of the size then; null if that was 0. */
  return { bytes, days: first.days, share: before === 0 ? null : bytes / before };
}

function toTargetsTile(targets: HealthReport['targets'], now: number) {
  if (targets.length === 0) return null;
  const summaries = targets.map((report) => summarizeTarget(report, now));
  const loaded = summaries.flatMap(({ loadedAt }) => loadedAt ?? []).sort();
  return {
    count: targets.length,
    /** Those that wait for their next load are not behind. */
    behind: summaries.filter(({ isBehind }) => isBehind).length,
    /** The newest load (ms since 1970); null: none. */
    loadedAt: loaded.length === 0 ? null : fromTimestamp(loaded.at(-1) ?? ''),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
