import type { Figure } from '../lib/storage-figures.ts';

/**
 * The config as the rest of vodhouse reads it: checked, with defaults filled in, durations in milliseconds,
 * paths absolute, and frozen to the last list. `loadConfig` makes it; anything may import these types.
 */
export interface Config {
  /** Absolute path of the config file. */
  readonly file: string;
  /** Absolute path of the live file. */
  readonly warehouse: string;
  /** IANA zone of the service's calendar. */
  readonly timezone: string;
  /** What a video's `duration` counts in. */
  readonly durationUnit: 'ms' | 's';
  /** At least one; names are unique. */
  readonly accounts: readonly AccountConfig[];
  readonly schedule: ScheduleConfig;
  readonly walk: WalkConfig;
  readonly publish: PublishConfig | null;
  readonly retention: RetentionConfig;
  readonly server: ServerConfig | null;
  readonly notify: NotifyConfig | null;
  /** Every key of the file and every address to notify, for redaction: none of these may ever be printed. */
  readonly secrets: readonly string[];
}

/** One API key with its base addresses, packages and limits. It has packages, or storage, or both. */
export interface AccountConfig {
  readonly name: string;
  readonly videoList: VideoListConfig;
  readonly storage: StorageConfig | null;
  readonly packages: readonly PackageConfig[];
  readonly limits: LimitsConfig;
}

/** `baseUrl` has no slash at its end, no query and no credentials; `pageSize` is what is asked for. */
export interface VideoListConfig {
  readonly baseUrl: string;
  readonly key: string;
  readonly pageSize: number;
}

/** How a storage request carries the key: not at all, as `?key=`, or in the named header. */
export type StorageAuth = 'none' | 'query' | { readonly header: string };

export interface StorageConfig {
  readonly baseUrl: string;
  readonly auth: StorageAuth;
  /** Its own key, or else the account's; not sent with auth `none`. */
  readonly key: string;
  /** First day to book as `yyyy-mm-dd`; null: yesterday. */
  readonly since: string | null;
  readonly settleMs: number;
  readonly lookAgainDays: number;
  readonly giveUpDays: number;
  /** Figures (docs/service.md 2.3) that a record may lack and still be booked. */
  readonly optional: readonly Figure[];
  /** A total further than this factor from the last live reading of its day waits for a second reading. */
  readonly plausibleFactor: number;
}

/** Ids are unique within their account. */
export interface PackageConfig {
  readonly id: number;
  readonly name: string | null;
}

/** How much may be asked: `concurrency` packages at a time, and requests per window (null: that window is off). */
export interface LimitsConfig {
  readonly concurrency: number;
  readonly perSecond: number | null;
  readonly perMinute: number | null;
  readonly perDay: number | null;
  /** A longer wait parks the run. */
  readonly maxWaitMs: number;
  /** `errorCode` values that mean "restricted". */
  readonly restrictedCodes: readonly string[];
  /** `errorCode` values that mean "do not retry". */
  readonly finalCodes: readonly string[];
}

/** Cron expressions of five fields, read in UTC. */
export interface ScheduleConfig {
  readonly full: string;
  readonly quick: string | null;
}

/** `removalBrake` and `boundaryReads` are shares from 0 to 1. */
export interface WalkConfig {
  readonly removalBrake: number;
  readonly resumeWithinMs: number;
  readonly boundaryReads: number;
}

export interface PublishConfig {
  /** Absolute path of the published file. */
  readonly file: string;
  /** Columns left out of it. */
  readonly exclude: readonly string[];
  /** At most one publication after a run in this time, in milliseconds; 0: after each run that changed something. */
  readonly everyMs: number;
  /** Days that dated copies are kept; 0: none are made. */
  readonly keepDays: number;
}

export interface RetentionConfig {
  readonly requestsDays: number;
  readonly runsDays: number;
}

/** `keys` open the server; an empty list: no key is asked for, and only this machine is answered. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  readonly keys: readonly string[];
}

/** Who is told. The addresses are secrets as well: whoever knows them can write there. */
export interface NotifyConfig {
  readonly webhook: string | null;
  readonly ping: string | null;
  /** After this trouble that lasts is told again; null: never. */
  readonly remindAfterMs: number | null;
}
