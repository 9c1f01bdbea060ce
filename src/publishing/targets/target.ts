/** A place besides the published file that gets its tables: one interface, implemented by each kind. */
import type { TargetConfig } from '../../config/config.ts';
import type { AccountState, Force } from './ownership.ts';

/** What one load did. */
export interface Loaded {
  /** `nothing`: the target had everything. */
  kind: 'all' | 'changes' | 'nothing';
  /** Rows written, in all tables. */
  rows: number;
}

export interface LoadOptions {
  /** What a person allowed; null: nothing. */
  force: Force | null;
  /** Its former name, under which the target may have it: renamed in the same load. */
  formerName: string | null;
}

/** What was looked at, and the result in one sentence. */
export interface TargetCheck {
  /** `connection`, `rights`, `account NAME` … */
  subject: string;
  isOk: boolean;
  result: string;
  /** What to type or do; null: nothing. */
  hint: string | null;
}

/** What an error means. */
export interface TargetFailure {
  /** One line, without a secret. */
  message: string;
  hint: string | null;
  /** SQLSTATE, or code of the connection, of the file system or of the store; null if there is none. */
  code: string | null;
}

/** The part of a target that needs no published file. All functions throw what the connection or the store throws. */
export interface TargetAccess {
  /** What the target remembers of each of its accounts, by name. Empty for a target that was never loaded. */
  readAccounts: () => Promise<Map<string, AccountState>>;
  /** How many rows of an account the large tables have, by table: shown before they are deleted. */
  countRows: (account: string) => Promise<Record<string, number>>;
  /** Whether the target can be loaded. Changes nothing that a reader sees. Does not throw. */
  check: () => Promise<TargetCheck[]>;
  /** What an error of any of these means. */
  describe: (error: unknown) => TargetFailure;
  close: () => Promise<void>;
}

/** A target that is loaded from a published file. */
export interface Target extends TargetAccess {
  /**
   * Brings one account up to the published file. Readers of a table see the old rows or the new ones. Throws OwnedError where
   * the account is not ours and `force` does not allow to load it.
   */
  load: (account: string, options: LoadOptions) => Promise<Loaded>;
  /** Brings up the tables that belong to no account, and deletes what is expired. */
  loadShared: () => Promise<Loaded>;
  /** Deletes an account of ours that the published file no longer has. Nothing if it is not ours. */
  remove: (account: string) => Promise<Loaded>;
  /** Compares every value of an account with the published file: the first ten differences, a sentence each. */
  verify: (account: string) => Promise<string[]>;
}

/** What a process that loads a target is asked for; plain values. */
export interface LoadRequest {
  target: TargetConfig;
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
