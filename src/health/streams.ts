/** The streams of the config, and how fresh they are. */
import type { Config } from '../config/config.ts';
import type { Db } from '../database/connection.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { previousTick, type Schedule } from '../lib/cron-ticks.ts';
import { keyOfPackage } from '../lib/package-key.ts';
import { readPackages } from '../queries/named/packages.ts';
import { STORAGE } from '../queries/named/storage.ts';

/** One stream, and when it was last read completely. */
export interface Stream {
  account: string;
  stream: 'videos' | 'storage';
  /** Null for storage. */
  packageId: number | null;
  /** The name of the package in the config. */
  name: string | null;
  /**
   * End of the last full walk, or the last reading of today's storage (`YYYY-MM-DD HH:MM:SS` UTC); null
   * before it.
   */
  at: string | null;
  isStale: boolean;
  /** Videos that are not removed; null for storage, and before the first run with this package. */
  videos: number | null;
}

/** Is a stream that was last read at `at` stale at `now` (ms)? `full`: its own schedule. */
export type IsStale = (at: string | null, now: number, full?: string) => boolean;

/** A stream is stale when two ticks of its schedule have passed since it was read. */
export function createStaleCheck({ full: general, timezone }: Pick<Schedule, 'full' | 'timezone'>): IsStale {
  let latest = { now: NaN, ticks: new Map<string, number>() }; // a tick takes 0.3 ms: once for all packages
  return (at, now, full = general) => {
    if (now !== latest.now) latest = { now, ticks: new Map() };
    const before = (time: number) => previousTick(full, time - 1, timezone);
    const lastButOne = latest.ticks.get(full) ?? before(before(now));
    latest.ticks.set(full, lastButOne);
    return at === null || fromTimestamp(at) < lastButOne;
  };
}

export interface StreamParts {
  config: Pick<Config, 'accounts' | 'warehouse'>;
  /** The live file. */
  db: Db;
  isStale: IsStale;
}

/** Lists the streams of the config at `now` (ms), also those that no run has read yet. */
export function listStreams(
  { config, db, isStale }: StreamParts,
  now: number,
  packages = readPackages(db),
): Stream[] {
  const rows = new Map(packages.map((row) => [keyOfPackage(row), row]));
  return config.accounts.flatMap(({ name: account, packages: configured, storage }) => {
    const videos = configured.map(({ id: packageId, name, full }): Stream => {
      const { walked_at: at = null, live_count: live = null } =
        rows.get(keyOfPackage({ account, package_id: packageId })) ?? {};
      const isStaleNow = isStale(at, now, full);
      return { account, stream: 'videos', packageId, name, at, isStale: isStaleNow, videos: live };
    });
    if (!storage) return videos;
    const at = STORAGE.one(db, { account, since: '' }).read_at;
    const own = { stream: 'storage' as const, packageId: null, name: null, videos: null };
    return [...videos, { account, ...own, at, isStale: isStale(at, now) }];
  });
}
