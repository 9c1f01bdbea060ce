/** A target, into which the tables of the published file are loaded: one interface, which each kind has. */
import type { TargetConfig } from '../../config/config.ts';
import { VodhouseError } from '../../lib/errors.ts';
import type { AccountState, Force } from './ownership.ts';
import type { Source } from './source.ts';

export interface LoadOptions {
  /** What a person allowed; null: nothing. */
  force: Force | null;
  /** Its former name, under which the target may have it: renamed in the same load. */
  formerName: string | null;
}

/** An error of a database or a store, in one line without a secret. A later load may succeed. */
export class TargetError extends VodhouseError {
  /** SQLSTATE, or code of the connection, of the file system or of the store; null if there is none. */
  readonly code: string | null;

  constructor(
    message: string,
    options: { code?: string | null; hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options);
    this.code = options.code ?? null;
  }
}

/**
 * Connects when needed. All functions throw TargetError, and ConfigError for what a person must change first.
 * Loads return the number of rows that they wrote and deleted, in all tables; 0: the target had everything.
 */
export interface Target {
  /** What the target remembers of each of its accounts, by name. Empty for a target that was never loaded. */
  readAccounts: () => Promise<Map<string, AccountState>>;
  /** How many videos it has of an account: shown before they are deleted. */
  countVideos: (account: string) => Promise<number>;
  /** Tries all that a load needs; changes nothing that a reader sees. Returns what it found, in one line. */
  check: () => Promise<string>;
  /**
   * Brings one account up to the published file. Readers of a table see the old rows or the new ones. Throws
   * OwnedError where the account is not ours and `force` does not allow to load it.
   */
  load: (source: Source, account: string, options: LoadOptions) => Promise<number>;
  /** Brings up the tables that belong to no account (`isRebuilt`: all rows), and deletes what is expired. */
  loadShared: (source: Source, isRebuilt: boolean) => Promise<number>;
  /** Deletes an account of ours that the published file no longer has. Nothing if it is not ours. */
  remove: (source: Source, account: string) => Promise<number>;
  /** Compares every value of an account with the published file. Returns at most ten differences. */
  verify: (source: Source, account: string) => Promise<string[]>;
}

/** The request to a process that loads a target; plain values. */
export interface LoadRequest {
  target: TargetConfig;
  /** Path of the live file. */
  live: string;
  /** Path of the published file. */
  file: string;
  /** `worker` of the config: shown to others. */
  worker: string;
  /** The accounts of the config, with their former names. The published file may have others. */
  accounts: readonly { name: string; was: string | null }[];
  /** Is every value compared after the load? */
  isVerified: boolean;
  /** The one account that a person asked for; null: all, and none by force. */
  force: { account: string; kind: Force } | null;
}
