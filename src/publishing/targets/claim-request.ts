/** What claiming accounts in a target is asked with. */
import type { TargetConfig } from '../../config/config.ts';
import type { Source } from './source.ts';
import type { Holder } from './target.ts';

/** What is known of a warehouse before its first publication. */
export type ClaimingWarehouse = Pick<Source, 'warehouseId' | 'timezone' | 'marts'>;

export interface ClaimRequest<Config extends TargetConfig = TargetConfig> {
  target: Config;
  holder: Holder;
  /** The claim is given up after this, in milliseconds. */
  deadlineMs: number;
}
