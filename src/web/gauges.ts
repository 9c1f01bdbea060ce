/** The gauges: name, meaning, and how each is read from the live file. */
import type { Config } from '../config/config.ts';
import type { Db } from '../database/connection.ts';
import type { DiskSpace } from '../database/files.ts';
import type { Stream } from '../health/streams.ts';
import { isUpToDate, type TargetAccount, type TargetReport } from '../health/targets.ts';
import { fromTimestamp, toTimestamp } from '../lib/clock.ts';
import { keyOfPackage } from '../sync/package-key.ts';
import { STREAM_KINDS, STREAMS } from '../sync/streams.ts';
import { LAST_BACKUP } from '../queries/named/backups.ts';
import { HELD_BACK_COUNTS, PAUSE, QUARANTINE_COUNTS, SPENT_REQUESTS } from '../queries/named/status.ts';
import { STORAGE } from '../queries/named/storage.ts';

export interface Scrape {
  config: Config;
  db: Db;
  /** Milliseconds since 1970. */
  now: number;
  streams: readonly Stream[];
  space: DiskSpace;
  /** The published file; null if the config publishes nothing. */
  published: { at: string | null; isBehind: boolean; durationMs: number | null } | null;
  targets: readonly TargetReport[];
  version: string;
}

/** A value and its labels, in their order. A value of null is unknown, and gives no sample. */
type Sample = readonly [value: number | null, ...labels: (string | number)[]];

export interface GaugeReading {
  name: string;
  help: string;
  labels: readonly string[];
  read: (scrape: Scrape) => readonly Sample[];
}

type Read = GaugeReading['read'];

const gauge = (name: string, labels: readonly string[], read: Read, help: string): GaugeReading => ({
  name: `vodhouse_${name}`,
  help,
  read,
  labels,
});
const single = (name: string, getValue: (scrape: Scrape) => number | null, help: string): GaugeReading =>
  gauge(name, [], (scrape) => [[getValue(scrape)]], help);
/** The gauges of each account of the config in each target. */
const ofTargets = (name: string, get: (row: TargetAccount, now: number) => number | null, help: string) => {
  const read: Read = ({ targets, now }) =>
    targets.flatMap(({ accounts }) => accounts.map((row) => [get(row, now), row.target, row.account]));
  return gauge(`target_${name}`, ['target', 'account'], read, help);
};

const toSeconds = (at: string | null) => (at === null ? null : fromTimestamp(at) / 1000);
const secondsSince = (at: string | null, now: number) =>
  at === null ? null : Math.max(0, (now - fromTimestamp(at)) / 1000);

const WINDOWS = [
  { window: 'second', limit: 'perSecond' },
  { window: 'minute', limit: 'perMinute' },
  { window: 'day', limit: 'perDay' },
] as const;

const STREAM = ['account', 'stream', 'package_id'];
const labelsOf = ({ account, stream, packageId }: Stream) => [account, stream, packageId ?? ''] as const;

export const GAUGES: readonly GaugeReading[] = [
  gauge('build_info', ['version'], ({ version }) => [[1, version]], 'The version of vodhouse, as a label.'),
  gauge(
    'stream_age_seconds',
    STREAM,
    ({ streams, now }) => streams.map((stream) => [secondsSince(stream.at, now), ...labelsOf(stream)]),
    "Seconds since the last full walk of the package ended, or since today's storage was last read.",
  ),
  gauge(
    'stream_stale',
    STREAM,
    ({ streams }) => streams.map((stream) => [Number(stream.isStale), ...labelsOf(stream)]),
    '1 if the stream was never read, or not for two ticks of its schedule.',
  ),
  gauge(
    'videos',
    ['account', 'package_id'],
    ({ streams }) => streams.map(({ account, packageId, videos }) => [videos, account, packageId ?? '']),
    'Videos in the package without removed ones.',
  ),
  gauge(
    'held_back_removals',
    ['account', 'package_id'],
    ({ streams, db }) => {
      const rows = HELD_BACK_COUNTS.all(db);
      const removals = new Map(rows.map((row) => [keyOfPackage(row), row.removals]));
      return streams.flatMap(({ account, packageId: package_id }) =>
        package_id === null
          ? []
          : [[removals.get(keyOfPackage({ account, package_id })) ?? 0, account, package_id] as const],
      );
    },
    'Removals that wait for a second proof, or for a person who accepts them.',
  ),
  gauge(
    'quarantine_records',
    ['account', 'stream'],
    ({ config, db }) => {
      const rows = QUARANTINE_COUNTS.all(db);
      const count = (account: string, stream: string) =>
        rows.find((row) => row.account === account && row.stream === stream)?.open ?? 0;
      return config.accounts.flatMap((account) =>
        STREAMS.flatMap((stream) =>
          STREAM_KINDS[stream].getAddress(account) === null
            ? []
            : [[count(account.name, stream), account.name, stream] as const],
        ),
      );
    },
    'Records that could not be stored, and were not valid in a later response.',
  ),
  gauge(
    'storage_gaps',
    ['account', 'state'],
    ({ config, db }) =>
      config.accounts.flatMap(({ name, storage }) => {
        if (!storage) return [];
        const { open_gaps, given_up_gaps } = STORAGE.one(db, { account: name, since: storage.since ?? '' });
        return [[open_gaps, name, 'open'] as const, [given_up_gaps, name, 'given_up'] as const];
      }),
    'Past days that the service did not return: open while they are still requested, then given_up.',
  ),
  gauge(
    'budget_left_requests',
    ['account', 'window'],
    ({ config, db, now }) =>
      config.accounts.flatMap(({ name, limits }) => {
        const spent = SPENT_REQUESTS.one(db, { account: name, now_ms: now });
        return WINDOWS.map(({ window, limit }) => {
          const most = limits[limit];
          return [most === null ? null : Math.max(0, most - spent[window]), name, window] as const;
        });
      }),
    'Requests that the account may still send in the window that ends now.',
  ),
  gauge(
    'budget_limit_requests',
    ['account', 'window'],
    ({ config }) =>
      config.accounts.flatMap(({ name, limits }) =>
        WINDOWS.map(({ window, limit }) => [limits[limit], name, window] as const),
      ),
    'Requests that the account may send in each window.',
  ),
  gauge(
    'pause_left_seconds',
    ['account'],
    ({ config, db, now }) =>
      config.accounts.map(({ name }) => {
        const until = PAUSE.get(db, { account: name, at: toTimestamp(now) })?.until;
        return [until === undefined ? 0 : Math.max(0, (fromTimestamp(until) - now) / 1000), name];
      }),
    'Seconds until the account may send requests again after a restriction; 0 if it may now.',
  ),
  single(
    'published_timestamp_seconds',
    ({ published }) => published && toSeconds(published.at),
    'When the published file was made.',
  ),
  single(
    'published_behind',
    ({ published }) => published && Number(published.isBehind),
    '1 if the published file lacks changes of the live file, or is missing.',
  ),
  single(
    'publish_duration_seconds',
    ({ published }) => (published?.durationMs == null ? null : published.durationMs / 1000),
    "Duration of the worker's last publication.",
  ),
  single(
    'backup_timestamp_seconds',
    ({ config, db }) => config.backup && toSeconds(LAST_BACKUP.one(db).made_at),
    'When the worker last made a backup.',
  ),
  single('warehouse_size_bytes', ({ space }) => space.file, 'Size of the live file.'),
  single(
    'warehouse_wal_size_bytes',
    ({ space }) => space.wal,
    'Size of the -wal file of the live file; 0 if there is none.',
  ),
  single('disk_free_bytes', ({ space }) => space.free, 'Free bytes on the disk of the live file.'),
  single('disk_size_bytes', ({ space }) => space.disk, 'Size of the disk of the live file.'),
  gauge(
    'target_every_seconds',
    ['target'],
    ({ targets }) => targets.map(({ target, everyMs }) => [everyMs / 1000, target]),
    'The least time between two loads of the target (`every`): so long it may lack changes.',
  ),
  ofTargets(
    'behind_changes',
    (row) => row.behind_changes,
    'Changes of the account that the target lacks, at most: those of other accounts in between count too.',
  ),
  ofTargets(
    'behind_seconds',
    (row, now) => (row.loaded_at !== null && isUpToDate(row) ? 0 : secondsSince(row.loaded_at, now)),
    'Seconds since the last load that succeeded, if it lacks changes or a load failed since; else 0.',
  ),
  ofTargets(
    'last_success_timestamp_seconds',
    (row) => toSeconds(row.loaded_at),
    'When the last load ended that succeeded, also if it had nothing to write.',
  ),
  ofTargets(
    'verified_timestamp_seconds',
    (row) => (row.differences?.length === 0 ? toSeconds(row.verified_at) : null),
    'When every value was last compared, and none differed.',
  ),
];
