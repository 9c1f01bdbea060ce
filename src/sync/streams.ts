/**
 * Streams: what is read as one, the videos of a package or what the service has once for an account.
 * Everything that lists, names or judges streams takes it from their kinds here; how one is read is in
 * sync/sync-account.ts.
 */
import type { AccountConfig } from '../config/config.ts';

/** The kinds of which an account has one stream at most. */
export const ACCOUNT_STREAMS = ['storage'] as const;
export type AccountStream = (typeof ACCOUNT_STREAMS)[number];

/** Every kind, as rows, JSON and labels of metrics name it. */
export const STREAMS = ['videos', ...ACCOUNT_STREAMS] as const;
export type StreamName = (typeof STREAMS)[number];

/** One stream. */
export interface Stream {
  account: string;
  stream: StreamName;
  /** Null for a kind of which an account has one stream. */
  packageId: number | null;
}

/** A stream that the config names. */
export interface ConfiguredStream extends Stream {
  /** The name of the package in the config. */
  name: string | null;
  /** The cron expression of its own complete reads; null: those of `schedule.full`. */
  schedule: string | null;
}

/** What is known of a kind of streams. Sentences are made of its words. */
interface StreamKind {
  /** What one of them is called, and several: `storage of main`, `3 packages`. */
  one: string;
  several: string;
  /** Its records: `videos of main lack the documented field …`. */
  records: string;
  /** What `sync --NAME` reads: `only the videos`. */
  what: string;
  /** Its last complete read, and that there was none: `last read at …`, `storage of main was never read`. */
  lastRead: string;
  neverRead: string;
  /** The section of an account in the config, and what in it a refused request is about. */
  section: 'video_list' | 'storage';
  refusable: string;
  /** The base URL; null where the account has no such stream. */
  getAddress: (account: AccountConfig) => string | null;
}

/**
 * The page that shows such streams of an account: its path, its name in the navigation, the text of a link to
 * it.
 */
interface StreamPage {
  path: string;
  name: string;
  link: string;
}

/** A kind of which an account has one stream. */
interface AccountStreamKind extends StreamKind {
  page: StreamPage;
  /**
   * The table of the live file that gets a row when such a stream was read, with its `account` and `date`,
   * and the column that has the time.
   */
  readings: { table: string; at: string };
}

type Kinds = { videos: StreamKind } & Record<AccountStream, AccountStreamKind>;

export const STREAM_KINDS: Readonly<Kinds> = {
  videos: {
    one: 'package',
    several: 'packages',
    records: 'videos',
    what: 'videos',
    lastRead: 'last full walk',
    neverRead: 'is not synced yet',
    section: 'video_list',
    refusable: 'the package',
    getAddress: ({ videoList }) => videoList.baseUrl,
  },
  storage: {
    one: 'storage',
    several: 'storages',
    records: 'storage days',
    what: 'storage statistics',
    lastRead: 'last read',
    neverRead: 'was never read',
    section: 'storage',
    refusable: '`auth` of the storage',
    getAddress: ({ storage }) => storage?.baseUrl ?? null,
    page: { path: '/storage', name: 'Storage', link: 'Storage by day' },
    readings: { table: 'storage_reading', at: 'observed_at' },
  },
};

/** The streams of an account in the config: its packages, then what it has once. */
export function listStreamsOf(account: AccountConfig): ConfiguredStream[] {
  const packages = account.packages.map(({ id, name, full }) => ({
    account: account.name,
    stream: 'videos' as const,
    packageId: id,
    name,
    schedule: full ?? null,
  }));
  const others = ACCOUNT_STREAMS.filter((stream) => STREAM_KINDS[stream].getAddress(account) !== null);
  return [
    ...packages,
    ...others.map((stream) => ({
      account: account.name,
      stream,
      packageId: null,
      name: null,
      schedule: null,
    })),
  ];
}

/** Is it a kind of which an account has one stream? `stream`: null for an account as a whole. */
export function isAccountStream(stream: string | null | undefined): stream is AccountStream {
  return ACCOUNT_STREAMS.some((name) => name === stream);
}

/**
 * A stream as a row names it. An account as a whole has null as its `stream`, or `videos` without a package.
 */
export interface StreamRow {
  account: string;
  package_id: number | null;
  stream?: string | null;
}

/** `main/101`, `storage of main`, `account main`. */
export function formatStream({ account, package_id: id, stream }: StreamRow): string {
  if (id !== null) return `${account}/${id}`;
  return isAccountStream(stream) ? `${STREAM_KINDS[stream].one} of ${account}` : `account ${account}`;
}
