/** The gauges: name, meaning, and how each is read from the live file. */
import type { Config } from '../config/config.ts';
import { fromTimestamp } from '../lib/clock.ts';
import type { DiskSpace } from '../database/disk-space.ts';
import type { StatusQueries } from '../queries/status-queries.ts';
import type { Stream } from '../health/streams.ts';
import type { TargetReport } from '../health/targets.ts';

export interface Scrape {
  config: Config;
  statusQueries: StatusQueries;
  /** Milliseconds since 1970. */
  now: number;
  streams: readonly Stream[];
  space: DiskSpace;
  /** The published file; null if the config publishes nothing. */
  published: { at: string | null; isBehind: boolean; durationMs: number | null } | null;
  targets: readonly TargetReport[];
  version: string;
}

export interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** A gauge; it has no samples if nothing is known. */
export interface GaugeReading {
  name: string;
  help: string;
  labels: readonly string[];
  read(scrape: Scrape): Sample[];
}

const WINDOWS = [
  { window: 'second', limit: 'perSecond' },
  { window: 'minute', limit: 'perMinute' },
  { window: 'day', limit: 'perDay' },
] as const;

const toSample = (value: number, labels: Record<string, string> = {}): Sample => ({ labels, value });
const secondsSince = (at: string, now: number) => Math.max(0, (now - fromTimestamp(at)) / 1000);

export const GAUGES: readonly GaugeReading[] = [
  {
    name: 'vodhouse_build_info',
    help: 'The version of vodhouse, as a label.',
    labels: ['version'],
    read: ({ version }) => [toSample(1, { version })],
  },
  {
    name: 'vodhouse_stream_age_seconds',
    help: "Seconds since the last full walk of the package ended, or since today's storage was last read. No sample before the first read.",
    labels: ['account', 'stream', 'package_id'],
    read: ({ streams, now }) =>
      streams.flatMap((stream) =>
        stream.at === null ? [] : toSample(secondsSince(stream.at, now), toLabels(stream)),
      ),
  },
  {
    name: 'vodhouse_stream_stale',
    help: '1 if the stream was never read, or if two ticks of schedule.full (or of its own) have passed since it was last read; else 0.',
    labels: ['account', 'stream', 'package_id'],
    read: ({ streams }) => streams.map((stream) => toSample(stream.isStale ? 1 : 0, toLabels(stream))),
  },
  {
    name: 'vodhouse_videos',
    help: 'Videos in the package without removed ones. No sample before the first run with this package.',
    labels: ['account', 'package_id'],
    read: ({ streams }) =>
      streams.flatMap(({ account, packageId, videos }) =>
        videos === null ? [] : toSample(videos, { account, package_id: String(packageId) }),
      ),
  },
  {
    name: 'vodhouse_held_back_removals',
    help: 'Removals of the package that wait for a second proof, or for a person who accepts them.',
    labels: ['account', 'package_id'],
    read: ({ config, statusQueries }) => {
      const removals = new Map(
        statusQueries.countHeldBack().map((row) => [`${row.account}/${row.package_id}`, row.removals]),
      );
      return config.accounts.flatMap(({ name: account, packages }) =>
        packages.map(({ id }) =>
          toSample(removals.get(`${account}/${id}`) ?? 0, { account, package_id: String(id) }),
        ),
      );
    },
  },
  {
    name: 'vodhouse_quarantine_records',
    help: 'Records that could not be stored, and were not valid in a later response.',
    labels: ['account', 'stream'],
    read: ({ streams, statusQueries }) => {
      const rows = statusQueries.countQuarantine();
      const kinds = new Map(
        streams.map(({ account, stream }) => [`${stream} ${account}`, { account, stream }]),
      );
      return [...kinds.values()].map(({ account, stream }) => {
        const row = rows.find((each) => each.account === account && each.stream === stream);
        return toSample(row?.open ?? 0, { account, stream });
      });
    },
  },
  {
    name: 'vodhouse_storage_gaps',
    help: 'Past days that the service did not return: open while they are still requested, then given_up.',
    labels: ['account', 'state'],
    read: ({ config, statusQueries }) =>
      config.accounts.flatMap(({ name: account, storage }) => {
        if (!storage) return [];
        const { open_gaps, given_up_gaps } = statusQueries.storage(account, storage.since ?? '');
        return [
          toSample(open_gaps, { account, state: 'open' }),
          toSample(given_up_gaps, { account, state: 'given_up' }),
        ];
      }),
  },
  {
    name: 'vodhouse_budget_left_requests',
    help: 'Requests that the account may still send in the window that ends now. No sample if the window has no limit.',
    labels: ['account', 'window'],
    read: ({ config, statusQueries, now }) =>
      config.accounts.flatMap(({ name: account, limits }) => {
        const spent = statusQueries.spentRequests(account, now);
        return WINDOWS.flatMap(({ window, limit }) => {
          const most = limits[limit];
          return most === null ? [] : toSample(Math.max(0, most - spent[window]), { account, window });
        });
      }),
  },
  {
    name: 'vodhouse_budget_limit_requests',
    help: 'Requests that the account may send in each window. No sample if the window has no limit.',
    labels: ['account', 'window'],
    read: ({ config }) =>
      config.accounts.flatMap(({ name: account, limits }) =>
        WINDOWS.flatMap(({ window, limit }) => {
          const most = limits[limit];
          return most === null ? [] : toSample(most, { account, window });
        }),
      ),
  },
  {
    name: 'vodhouse_pause_left_seconds',
    help: 'Seconds until the account may send requests again after a restriction by the service; 0 if it may now.',
    labels: ['account'],
    read: ({ config, statusQueries, now }) =>
      config.accounts.map(({ name: account }) => {
        const until = statusQueries.pause(account, now)?.until;
        const left = until === undefined ? 0 : (fromTimestamp(until) - now) / 1000;
        return toSample(Math.max(0, left), { account });
      }),
  },
  single(
    'vodhouse_published_timestamp_seconds',
    'When the published file was made, in seconds since 1970. No sample without a published file.',
    ({ published }) => (published?.at ? fromTimestamp(published.at) / 1000 : null),
  ),
  single(
    'vodhouse_published_behind',
    '1 if the live file has changes that are not in the published file, or if there is no published file; else 0.',
    ({ published }) => published && Number(published.isBehind),
  ),
  single(
    'vodhouse_publish_duration_seconds',
    "Duration of the worker's last publication. No sample before the first since this server started.",
    ({ published }) => (published?.durationMs == null ? null : published.durationMs / 1000),
  ),
  single(
    'vodhouse_backup_timestamp_seconds',
    'When the worker last made a backup, in seconds since 1970. No sample before the first.',
    ({ config, statusQueries }) => {
      const madeAt = config.backup && statusQueries.lastBackup().made_at;
      return madeAt === null ? null : fromTimestamp(madeAt) / 1000;
    },
  ),
  single('vodhouse_warehouse_size_bytes', 'Size of the live file.', ({ space }) => space.file),
  single(
    'vodhouse_warehouse_wal_size_bytes',
    'Size of the -wal file of the live file; 0 if there is none.',
    ({ space }) => space.wal,
  ),
  single('vodhouse_disk_free_bytes', 'Free bytes on the disk of the live file.', ({ space }) => space.free),
  single('vodhouse_disk_size_bytes', 'Size of the disk of the live file.', ({ space }) => space.disk),
];

/** A gauge without labels; null: no sample. */
function single(name: string, help: string, getValue: (scrape: Scrape) => number | null): GaugeReading {
  const read = (scrape: Scrape) => {
    const value = getValue(scrape);
    return value === null ? [] : [toSample(value)];
  };
  return { name, help, labels: [], read };
}

function toLabels({ account, stream, packageId }: Stream): Record<string, string> {
  return { account, stream, package_id: packageId === null ? '' : String(packageId) };
}
