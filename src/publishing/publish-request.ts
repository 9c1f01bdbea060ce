/** What to publish and where to; plain values, because it is sent to a process of its own. */
export interface PublishRequest {
  /** Absolute path of the live file. */
  live: string;
  /** Absolute path of the published file. */
  file: string;
  /** Fields of the service, or columns, that are left out. */
  exclude: readonly string[];
  /** What separates the tags of a text; as `VideoOptions`. */
  tagSeparators: readonly string[];
  /** Accounts that have storage in the config. */
  storageAccounts: readonly string[];
  /** IANA zone of the service's calendar. */
  timezone: string;
  durationUnit: 'ms' | 's';
  /** Version of vodhouse, for `about`. */
  version: string;
  /** The time of publication, in milliseconds since 1970. */
  now: number;
  /** The day of the service's calendar that `now` falls on. */
  today: string;
  /** The command that publishes: shown to other processes that need the lock. */
  command: string;
}

/** The result of a publication. */
export interface Publication {
  file: string;
  /** Size of the file. */
  bytes: number;
  durationMs: number;
  /** Rows by table. */
  rows: Record<string, number>;
}
