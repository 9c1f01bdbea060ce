/** The streams of the config in force, and how fresh they are: the videos of each package, the storage of each account. */
import type { Config } from '../config/config.ts';
import type { StatusQueries } from '../queries/status-queries.ts';

/** What one stream is, and when it was last read whole. */
export interface Stream {
  account: string;
  stream: 'videos' | 'storage';
  /** Null for storage. */
  packageId: number | null;
  /** End of the last full walk, or the last reading of today's storage (`YYYY-MM-DD HH:MM:SS` UTC); null before it. */
  at: string | null;
  isStale: boolean;
  /** Videos that are not removed; null for storage, and before a run has met the package. */
  videos: number | null;
}

/** What streams are read from. */
export interface StreamParts {
  config: Config;
  overview: Pick<StatusQueries, 'packages' | 'storage'>;
  /** Is what was last read at this moment (as `at` above) stale at `now` (ms)? What was read later is never staler. */
  isStale: (at: string | null, now: number) => boolean;
}

/** The streams at `now` (ms): also those that no run has met yet, and none that was taken out of the config since. `packages` may be given where they were read already. */
export function listStreams(
  { config, overview, isStale }: StreamParts,
  now: number,
  packages = overview.packages(),
): Stream[] {
  const known = new Map(packages.map((row) => [`${row.account}/${row.package_id}`, row]));
  const streams = config.accounts.flatMap(({ name: account, packages: named, storage }): Unjudged[] => {
    const videos = named.map(({ id: packageId }): Unjudged => {
      const row = known.get(`${account}/${packageId}`);
      const { walked_at: at = null, live_count: live = null } = row ?? {};
      return { account, stream: 'videos', packageId, at, videos: live };
    });
    if (!storage) return videos;
    const at = overview.storage(account, '').readAt;
    return [...videos, { account, stream: 'storage', packageId: null, at, videos: null }];
  });
  const newest = newestStale(streams, (at) => isStale(at, now));
  return streams.map((stream) => ({
    ...stream,
    isStale: stream.at === null ? isStale(null, now) : stream.at <= newest,
  }));
}

type Unjudged = Omit<Stream, 'isStale'>;

/** Which is the newest moment that is stale; '' where none is. By halving: cron arithmetic takes 0.3 ms a moment. */
function newestStale(streams: readonly Unjudged[], isStale: (at: string) => boolean): string {
  const moments = [...new Set(streams.flatMap(({ at }) => at ?? []))].sort();
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isStale(moments[middle] ?? '')) low = middle + 1;
    else high = middle;
  }
  return moments[low - 1] ?? '';
}
