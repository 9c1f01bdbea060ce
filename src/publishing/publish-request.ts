/** What a publication is asked for; plain values, for it is made in a process of its own. */
export interface PublishRequest {
  /** Absolute path of the live file. */
  live: string;
  /** Absolute path of the published file. */
  file: string;
  /** Fields of the service, or columns, that are left out. */
  exclude: readonly string[];
  /** Days that dated copies are kept; 0: none are made. */
  keepDays: number;
  /** Are dated copies removed that are older? Not where the clock may be wrong. */
  pruneCopies: boolean;
  /** Accounts that have storage in the config. */
  storageAccounts: readonly string[];
  /** IANA zone of the service's calendar. */
  timezone: string;
  durationUnit: 'ms' | 's';
  /** Version of vodhouse, for `about`. */
  version: string;
  /** The moment of publication, in milliseconds since 1970. */
  now: number;
  /** The day of the service's calendar that it falls on. */
  today: string;
  /** For whoever is refused the lock: the command that publishes. */
  command: string;
}

/** What was published. */
export interface Publication {
  file: string;
  /** Size of the file. */
  bytes: number;
  durationMs: number;
  /** Rows by table. */
  rows: Record<string, number>;
  /** The dated copy; null where none is kept. */
  copy: string | null;
}
