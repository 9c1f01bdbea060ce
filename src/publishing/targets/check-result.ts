/** What a check of a target is given, and what it finds. */
import type { TargetConfig } from '../../config/config.ts';
import type { Marts } from '../marts/marts.ts';
import type { Holder } from './target.ts';

/** What was looked at, and the result in one sentence. */
export interface TargetCheck {
  /** `connection`, `encoding`, `rights`, `readers`, `clock`, or `account NAME`. */
  asked: string;
  state: 'ok' | 'warning' | 'failed';
  result: string;
  /** What to type or do; null: nothing. */
  hint: string | null;
}

export interface CheckRequest<Config extends TargetConfig = TargetConfig> {
  target: Config;
  holder: Holder;
  warehouseId: string;
  accounts: readonly string[];
  marts: Marts;
  timezone: string;
}

export const passed = (asked: string, result: string): TargetCheck => ({
  ...{ asked, state: 'ok', result, hint: null },
});
export const failed = (asked: string, result: string, hint: string | null): TargetCheck => ({
  ...{ asked, state: 'failed', result, hint },
});
