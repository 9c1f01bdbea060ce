/** The streams of the config and how fresh they are: the videos of each package, the storage of each account. */
import type { Config } from '../config/config.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { nextTick, type Schedule } from '../lib/cron-ticks.ts';
import type { StatusQueries } from '../queries/status-queries.ts';

/** One stream, and when it was last read completely. */
export interface Stream {
  account: string;
  stream: 'videos' | 'storage';
  /** Null for storage. */
  packageId: number | null;
  /** The name of the package in the config. */
  name: string | null;
  /** The cron expression of its own schedule of full walks; left out: that of all. */
  full?: string;
  /** End of the last full walk, or the last reading of today's storage (`YYYY-MM-DD HH:MM:SS` UTC); null before it. */
  at: string | null;
  isStale: boolean;
  /** Videos that are not removed; null for storage, and before the first run with this package. */
  videos: number | null;
}

/**
 * Is a stream that was last read at `at` (as above; null: never) stale at `now` (ms)? A later reading is never staler. `full`:
 * the package's own schedule of full walks.
 */
export type IsStale = (at: string | null, now: number, full?: string) => boolean;

/** A stream is stale when two ticks of the schedule of full runs, or of its own one, have passed since it was read. */
export function createStaleCheck({ full: general, timezone }: Pick<Schedule, 'full' | 'timezone'>): IsStale {
  return (at, now, full = general) => {
    const next = (after: number) => nextTick(full, after, timezone);
    return at === null || now > next(next(fromTimestamp(at)));
  };
}

export interface StreamParts {
  config: Pick<Config, 'accounts' | 'warehouse'>;
  statusQueries: Pick<StatusQueries, 'packages' | 'storage'>;
  isStale: IsStale;
}

/** Lists the streams of the config at `now` (ms), also those that no run has read yet. */
export function listStreams(
  { config, statusQueries, isStale }: StreamParts,
  now: number,
  packages = statusQueries.packages(),
): Stream[] {
  const rows = new Map(packages.map((row) => [`${row.account}/${row.package_id}`, row]));
  const streams = config.accounts.flatMap(({ name: account, packages: configured, storage }) => {
    const videos = configured.map(({ id: packageId, name, full }): Omit<Stream, 'isStale'> => {
      const { walked_at: at = null, live_count: live = null } = rows.get(`${account}/${packageId}`) ?? {};
      return {
        account,
        stream: 'videos',
        packageId,
        name,
        at,
        videos: live,
        ...(full !== undefined && { full }),
      };
    });
    if (!storage) return videos;
    const at = statusQueries.storage(account, '').read_at;
    return [
      ...videos,
      { account, stream: 'storage' as const, packageId: null, name: null, at, videos: null },
    ];
  });
  const newest = new Map<string | undefined, string>();
  for (const full of new Set(streams.map((stream) => stream.full))) {
    const times = streams.flatMap((stream) => (stream.full === full ? (stream.at ?? []) : []));
    newest.set(
      full,
      findNewestStale(times, (at) => isStale(at, now, full)),
    );
  }
  return streams.map((stream) => ({
    ...stream,
    isStale: stream.at === null ? isStale(null, now) : stream.at <= (newest.get(stream.full) ?? ''),
  }));
}

/** The newest stale time; '' if none is. A binary search, because cron arithmetic takes 0.3 ms for each time. */
function findNewestStale(times: readonly string[], isStale: (at: string) => boolean): string {
  const sorted = [...new Set(times)].sort();
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isStale(sorted[middle] ?? '')) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1] ?? '';
}
