/** What a process that loads a target is asked for; plain values. */
import type { TargetConfig } from '../../config/config.ts';
import type { Holder, LoadReport } from './target.ts';

export interface LoadRequest {
  target: TargetConfig;
  /** Path of the published file. */
  file: string;
  holder: Holder;
  /** The accounts of the config. The published file may have others, which another worker may have taken over. */
  accounts: readonly string[];
  /** Accounts whose counts and sums are compared after their load. */
  verify: readonly string[];
  /** Accounts that are loaded completely again, and taken from another worker or warehouse: a person said so. */
  rebuild: readonly string[];
}

/** The report about an account, with when to try again. */
export interface LoadResult extends LoadReport {
  /** `hourly`: a person must do something first. */
  retry: 'backoff' | 'hourly' | null;
}
