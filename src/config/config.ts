/**
 * The config: the schema of the file, whose output is the config that the rest of vodhouse reads. Keys become
 * camelCase, durations milliseconds (`settle` becomes `settleMs`), and an absent section null. Editors show
 * the descriptions.
 */
import { hostname } from 'node:os';
import type { Proxies } from '../lib/http/proxies.ts';
import { INCIDENT_EVENTS } from '../health/incident-events.ts';
import * as z from 'zod';
import * as types from './value-types.ts';
import { account } from './account.ts';
import { targets } from './publish-targets.ts';
import { orNull, section, withDefault } from './sections.ts';

/** Default paths of the live file, the published file and the folder of backups. */
export const DEFAULT_FILES = {
  warehouse: 'data/vodhouse.db',
  publish: 'published/vodhouse.bi.db',
  backups: 'data/backups',
} as const;

const schedule = section({
  timezone: orNull(types.timezone).describe(
    'Time zone in which the cron expressions are read. Default: timezone.',
  ),
  full: withDefault(types.cron, '0 * * * *', 'When to read everything: cron, or @hourly and its kind.'),
  quick: orNull(types.cron).describe('When to find only new and removed videos: cron. Default none.'),
});

const walk = section(
  {
    removal_brake: withDefault(
      types.fraction,
      0.2,
      'Share of a package (0 to 1) that one walk may remove without confirmation.',
    ),
    resume_within: withDefault(types.duration, '7d', 'Age up to which an interrupted walk is resumed.'),
    boundary_reads: withDefault(
      types.fraction,
      0.05,
      'Extra requests for page boundaries, as a share of the pages (0 to 1).',
    ),
  },
  'resume_within',
);

const publish = section(
  {
    file: withDefault(types.filePath, DEFAULT_FILES.publish, 'The published file.'),
    exclude: withDefault(
      z.array(types.nonEmptyText('a column'), 'a list of columns'),
      ['access_key', 'org_access_key'],
      'Columns left out of the published file.',
    ),
    tag_separators: withDefault(
      z.array(types.separator, 'a list of characters'),
      [',', ';'],
      'Characters that separate the tags of a video; [] where a text is one tag.',
    ),
    every: withDefault(
      types.durationOrZero,
      '0',
      'Least time between two publications (the first one of a day does not wait); 0: after each run that changed something.',
    ),
    targets: withDefault(targets, [], 'Databases and lakes that get the tables of the published file.'),
  },
  'every',
);

const backup = section({
  schedule: withDefault(types.cron, '30 2 * * *', 'When the worker makes a backup: cron.'),
  folder: withDefault(
    types.folderPath,
    DEFAULT_FILES.backups,
    'Folder of the backups; better one on another disk, which must exist.',
  ),
  keep: withDefault(types.integer(1), 7, 'Number of backups to keep.'),
});

const retention = section({
  requests_days: withDefault(types.integer(1), 35, 'Days that requests are kept.'),
  runs_days: withDefault(types.integer(1), 90, 'Days that runs and walks are kept.'),
});

const server = section({
  host: withDefault(types.host, '127.0.0.1', 'Address to listen on.'),
  port: withDefault(
    types.integer(0, 'a port from 0 to 65535', 65_535),
    8320,
    'Port to listen on; 0: any free one.',
  ),
  keys: withDefault(
    z.array(types.serverKey, 'a list of keys'),
    [],
    'Keys of at least 16 characters that give access; without one only this machine has it.',
  ),
  url: orNull(types.baseUrl).describe(
    'Address at which people open the pages, for links in messages, such as https://videos.example.com.',
  ),
  title: orNull(types.lineOfText).describe(
    'Name of the warehouse in the header and in the tab. Default: the name of this machine and of the file.',
  ),
  trust_proxy: withDefault(
    types.trustProxy,
    false,
    'Proxies whose X-Forwarded-For is believed: true for the one that connects, or their addresses and networks.',
  ),
});

type PingAddresses = Record<'success' | 'start' | 'failure', string | null>;
const PINGS = 'an http(s) address, or { success, start, failure }';
const ping = z.union(
  [
    types.url.transform((success): PingAddresses => ({ success, start: null, failure: null })),
    section({
      success: orNull(types.url).describe('Address that is called when a run over everything succeeded.'),
      start: orNull(types.url).describe('Address that is called when a run over everything begins.'),
      failure: orNull(types.url).describe('Address that is called when one failed or was done in part.'),
    }),
  ],
  PINGS,
);

const notify = section(
  {
    webhook: orNull(types.url).describe(
      'Address that gets a POST when a problem begins and when it ends. Default none.',
    ),
    ping: orNull(ping).describe(
      'Address that is called after each good run, or { success, start, failure }. Default none.',
    ),
    events: z
      .array(z.enum(INCIDENT_EVENTS, INCIDENT_EVENTS.join(', ')))
      .prefault([...INCIDENT_EVENTS])
      .describe('Kinds of problems that are reported. Default all.'),
    remind_after: withDefault(
      types.duration.nullable(),
      '1d',
      'Time after which a problem that lasts is reported again; null: never.',
    ),
  },
  'remind_after',
);

const file = section({
  warehouse: withDefault(
    types.filePath,
    DEFAULT_FILES.warehouse,
    'The SQLite file; its folder must exist, except for data/ next to this file.',
  ),
  timezone: types.timezone.describe("IANA time zone of the service's calendar. Required."),
  duration_unit: withDefault(
    z.enum(['ms', 's'], 'ms or s'),
    'ms',
    "What a video's duration counts in: ms or s.",
  ),
  worker: types.lineOfText
    .optional()
    .transform((name) => name ?? hostname())
    .describe('Name of this worker, for others that load the same target. Default: the name of the host.'),
  accounts: z
    .array(account, 'a list of at least one account')
    .min(1, 'a list of at least one account')
    .describe('The accounts: one API key each, with its addresses, packages and limits.'),
  schedule: schedule.prefault({}).describe('When runs are due.'),
  walk: walk.prefault({}).describe('How packages are walked.'),
  publish: orNull(publish).describe('The file for readers. Leave out for none.'),
  backup: orNull(backup).describe('Backups that the worker makes. Leave out for none.'),
  retention: retention.prefault({}).describe('How long requests, runs and walks are kept.'),
  server: orNull(server).describe('The web server. Leave out for none.'),
  notify: orNull(notify).describe('Where alerts are sent. Leave out for none.'),
});

/** The complete file. Paths are as they are written. */
export const configSchema = file.transform(({ schedule, ...others }) => ({
  ...others,
  schedule: { ...schedule, timezone: schedule.timezone ?? others.timezone },
}));

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/**
 * The checked config, frozen; its paths are absolute, and packages of files are read. `loadConfig` creates
 * it; any room may import these types.
 */
export type Config = DeepReadonly<z.output<typeof configSchema>> & {
  /** Absolute path of the config file. */
  readonly file: string;
  /** The proxies of the environment, for accounts that name none. */
  readonly proxies: Proxies;
  /**
   * Every key of the file, every address to notify, every password of a proxy or a target, and every login of
   * a store: none of these may ever be printed.
   */
  readonly secrets: readonly string[];
};

/** One API key with its base addresses, packages and limits. It has packages, or storage, or both. */
export type AccountConfig = Config['accounts'][number];
export type StorageConfig = NonNullable<AccountConfig['storage']>;
export type StorageAuth = StorageConfig['auth'];
export type LimitsConfig = AccountConfig['limits'];
/** One place that gets the published tables: a database of PostgreSQL, or a lake of Parquet files. */
export type TargetConfig = NonNullable<Config['publish']>['targets'][number];
/** `postgres` is the address with the password: never printed. */
export type PostgresTargetConfig = Extract<TargetConfig, { kind: 'postgres' }>;
/** `place` may have the login of a store: never printed. */
export type LakeTargetConfig = Extract<TargetConfig, { kind: 'lake' }>;
export type ServerConfig = NonNullable<Config['server']>;
export type BackupConfig = NonNullable<Config['backup']>;
export type NotifyConfig = NonNullable<Config['notify']>;
