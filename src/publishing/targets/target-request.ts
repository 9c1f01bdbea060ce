/** What a process that loads a target is asked for; plain values. */
import type { TargetConfig } from '../../config/config.ts';
import type { Force } from './ownership.ts';

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
