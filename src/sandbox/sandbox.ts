/** A made-up account of the service: to try vodhouse on, and to test it against. */
import { createCalendar } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import { packageNotFound, type Catalogue } from '../service/server/catalogue.ts';
import { createServiceServer, PAGE_SIZES, type StorageAuth } from '../service/server/server.ts';
import { churnSteadily, createChurn, type Change } from './churn.ts';
import type { PackageSpec } from './record-cache.ts';
import { createPackageList } from './package-list.ts';
import { createStorageDays, isSentAsDoubles } from './sample-storage.ts';

const DEFAULT_PACKAGES: readonly PackageSpec[] = [
  { id: 101, videos: 12_000 },
  { id: 102, videos: 300 },
  { id: 103, videos: 0 },
];
const DEFAULT_KEYS = ['sandbox-key'];

/** All but the clock have defaults; the same options make the same account, in every process. */
export interface SandboxOptions {
  clock: Clock;
  /** Default: 101 with 12,000, 102 with 300 and 103 with 0 videos. */
  packages?: readonly PackageSpec[];
  /** A whole number; default 1. */
  seed?: number;
  /** Videos changed a minute, from the first `listen` on; default 0. */
  churnPerMinute?: number;
  /** The largest page in videos; default 1,000. */
  pageSizeMax?: number;
  /** Default: `sandbox-key`. */
  keys?: readonly string[];
  /** IANA zone of the days; default Asia/Seoul. */
  timezone?: string;
  /** Where the storage operation wants the key; default `none`. */
  storageAuth?: StorageAuth;
}

export interface Sandbox {
  readonly packageIds: readonly number[];
  /** A key that is let in. */
  readonly key: string;
  /** What the account holds now, past HTTP. A look at today's storage counts as a look here too. */
  readonly catalogue: Catalogue;
  /** Listens on 127.0.0.1 and any free port, unless told otherwise; `url` is both base addresses. */
  listen(where?: { host?: string; port?: number }): Promise<{ url: string; port: number }>;
  /** Makes that many changes at once and says which; the same ones in the same order for a seed. */
  churn(count: number): Change[];
  close(): Promise<void>;
}

/** A made-up account; it answers once `listen` is called. Throws RangeError where the time zone does not exist. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { clock, seed = 1, packages = DEFAULT_PACKAGES, keys = DEFAULT_KEYS, churnPerMinute = 0 } = options;
  const lists = packages.map((spec) => createPackageList(seed, spec));
  const churn = createChurn(seed, lists);
  const storageDays = createStorageDays(seed, createCalendar(options.timezone ?? 'Asia/Seoul'), clock);
  const catalogue: Catalogue = {
    videos: (query) =>
      lists.find((list) => list.packageId === query.packageId)?.page(query) ??
      packageNotFound(query.packageId),
    storage: (range) => ({ days: storageDays(range) }),
  };
  const server = createServiceServer({
    catalogue,
    keys,
    now: () => clock.now(),
    ...wireOptions(options, seed),
  });
  let steady: { close(): void } | undefined;
  return {
    packageIds: lists.map((list) => list.packageId),
    key: keys[0] ?? '',
    catalogue,
    churn,
    listen: async ({ host = '127.0.0.1', port = 0 } = {}) => {
      const address = await server.listen({ host, port });
      if (churnPerMinute > 0) steady = churnSteadily(churnPerMinute, clock, churn);
      return address;
    },
    close: async () => {
      steady?.close();
      await server.close();
    },
  };
}

function wireOptions(
  { pageSizeMax = PAGE_SIZES.maxPageSize, storageAuth = 'none' }: SandboxOptions,
  seed: number,
) {
  return {
    defaultPageSize: Math.min(PAGE_SIZES.defaultPageSize, pageSizeMax),
    maxPageSize: pageSizeMax,
    storageAuth,
    asDoubles: (day: string) => isSentAsDoubles(seed, day),
  };
}
