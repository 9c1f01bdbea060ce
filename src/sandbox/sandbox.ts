/** A simulated account of the service, for trials and tests of vodhouse. */
import { createCalendar, type Calendar } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import { packageNotFound, type Catalogue } from '../service/server/catalogue.ts';
import { createServiceServer, PAGE_SIZES, type StorageAuth } from '../service/server/server.ts';
import { churnSteadily, createChurn } from './churn.ts';
import { createIncidents } from './incidents.ts';
import { createPackageVideos, type PackageSpec, type PackageVideos } from './package-videos.ts';
import { createStorageDays } from './sample-storage.ts';
import { formatCreationTime } from './sample-video.ts';

/** All but the clock have defaults; the same options make the same account, in every process. */
export interface SandboxOptions {
  clock: Clock;
  packages?: readonly PackageSpec[];
  /** An integer. */
  seed?: number;
  /** When the newest of the first videos was uploaded, in milliseconds since 1970. */
  newestMs?: number;
  /** Videos changed a minute, from the first `listen` on. */
  churnPerMinute?: number;
  /** The largest page in videos. */
  pageSizeMax?: number;
  keys?: readonly string[];
  /** IANA zone of the days. */
  timezone?: string;
  /** Where the storage operation expects the key. */
  storageAuth?: StorageAuth;
  /** How long the clock sleeps before each answer over HTTP, in milliseconds. */
  answerMs?: number;
}

const DEFAULTS: Required<Omit<SandboxOptions, 'clock'>> = {
  packages: [
    { id: 101, videos: 12_000 },
    { id: 102, videos: 300 },
    { id: 103, videos: 0 },
  ],
  seed: 1,
  newestMs: Date.UTC(2025, 5, 30, 18),
  churnPerMinute: 0,
  pageSizeMax: PAGE_SIZES.maxPageSize,
  keys: ['sandbox-key'],
  timezone: 'Asia/Seoul',
  storageAuth: 'none',
  answerMs: 0,
};

export type Sandbox = ReturnType<typeof createSandbox>;

/**
 * A simulated account; it answers once `listen` is called. Throws RangeError if the time zone does not exist.
 */
export function createSandbox(given: SandboxOptions) {
  const options = { ...DEFAULTS, ...given };
  const { clock, seed, newestMs, keys, churnPerMinute } = options;
  const calendar = createCalendar(options.timezone);
  const storage = createStorageDays(calendar, clock);
  const account = { seed, newestMs, now: () => formatNow(calendar, clock), countFile: storage.count };
  const lists = options.packages.map((spec) => createPackageVideos(account, spec));
  const churn = createChurn(seed, lists);
  const incidents = createIncidents();
  const catalogue = incidents.wrap(createCatalogue(lists, storage.read));
  const server = createServer(options, catalogue);
  let stopChurn: (() => void) | undefined;
  return {
    packageIds: lists.map((list) => list.packageId),
    /** An accepted key. */
    key: keys[0] ?? '',
    /** The present content, without HTTP. */
    catalogue,
    /** Makes that many changes at once and returns them; for a seed, always the same in the same order. */
    churn,
    /**
     * Removes `count` videos of a package at once, evenly spread over its list; their files are deleted on
     * `day` (`yyyy-mm-dd`), by default today. Throws RangeError if it has fewer.
     */
    removeMany: (packageId: number, count: number, day?: string): void =>
      lists.find((list) => list.packageId === packageId)?.removeMany(count, day),
    incidents,
    /** Listens, by default on 127.0.0.1 and any free port; `url` is both base addresses. */
    listen: async ({ host = '127.0.0.1', port = 0 } = {}) => {
      const address = await server.listen({ host, port });
      if (churnPerMinute > 0) stopChurn = churnSteadily(churnPerMinute, clock, churn);
      return address;
    },
    close: async (): Promise<void> => {
      stopChurn?.();
      await server.close();
    },
  };
}

function createServer(options: Required<SandboxOptions>, catalogue: Catalogue) {
  const { clock, keys, pageSizeMax, storageAuth, answerMs } = options;
  return createServiceServer({
    catalogue: slowDown(catalogue, clock, answerMs),
    keys,
    now: () => clock.now(),
    defaultPageSize: Math.min(PAGE_SIZES.defaultPageSize, pageSizeMax),
    maxPageSize: pageSizeMax,
    storageAuth,
  });
}

function slowDown(catalogue: Catalogue, clock: Clock, answerMs: number): Catalogue {
  if (answerMs === 0) return catalogue;
  return {
    ...catalogue,
    videos: async (query, signal) => {
      await clock.sleep(answerMs);
      return catalogue.videos(query, signal);
    },
    storage: async (range) => {
      await clock.sleep(answerMs);
      return catalogue.storage(range);
    },
  };
}

/** As in `cdate`: what the clock on the wall of the account shows. */
function formatNow(calendar: Calendar, clock: Clock): string {
  const ms = clock.now();
  const day = calendar.dayAt(ms);
  return formatCreationTime(Date.parse(day) + ms - calendar.startOf(day));
}

function createCatalogue(
  lists: readonly PackageVideos[],
  readStorageDays: ReturnType<typeof createStorageDays>['read'],
): Catalogue {
  let isCounted = false; // the first videos: it takes a while, and some accounts have no storage
  return {
    videos: (query) =>
      lists.find(({ packageId }) => packageId === query.packageId)?.page(query) ??
      packageNotFound(query.packageId),
    storage: (range) => {
      if (!isCounted) for (const list of lists) list.countFirst();
      isCounted = true;
      return { days: readStorageDays(range) };
    },
  };
}
