/** The streams of the config, and how fresh they are. */
import type { Config } from '../config/config.ts';
import type { Db } from '../database/connection.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { previousTick, type Schedule } from '../lib/cron-ticks.ts';
import { keyOfPackage } from '../sync/package-key.ts';
import { isAccountStream, listStreamsOf, type ConfiguredStream } from '../sync/streams.ts';
import { readPackages } from '../queries/named/packages.ts';
import { LAST_READ } from '../queries/named/status.ts';

/** One stream, and when it was last read completely. */
export interface Stream extends Omit<ConfiguredStream, 'schedule'> {
  /** End of the last full walk, or of the last reading (`YYYY-MM-DD HH:MM:SS` UTC); null before it. */
  at: string | null;
  isStale: boolean;
  /** Videos that are not removed; null for other streams, and before the first run with this package. */
  videos: number | null;
}

/** Whether a stream that was last read at `at` is stale at `now` (ms). `full` is its own schedule. */
export type IsStale = (at: string | null, now: number, full?: string) => boolean;

/** A stream is stale when two ticks of its schedule have passed since it was read. */
export function createStaleCheck({ full: general, timezone }: Pick<Schedule, 'full' | 'timezone'>): IsStale {
  let latest = { now: NaN, ticks: new Map<string, number>() }; // finding a tick takes 0.3 ms
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
  return config.accounts.flatMap(listStreamsOf).map(({ schedule, ...stream }) => {
    const { account, packageId } = stream;
    const row = packageId === null ? null : rows.get(keyOfPackage({ account, package_id: packageId }));
    const at = isAccountStream(stream.stream)
      ? LAST_READ.one(db, { account, stream: stream.stream }).at
      : (row?.walked_at ?? null);
    return {
      ...stream,
      at,
      isStale: isStale(at, now, schedule ?? undefined),
      videos: row?.live_count ?? null,
    };
  });
}
