/** A lake that is open: its store, and who works on it. */
import { fromTimestamp, toTimestamp } from '../../../lib/clock.ts';
import type { Holder } from '../target.ts';
import type { LakeOptions, Store } from './store.ts';

export interface Lake {
  options: LakeOptions;
  store: Store;
  holder: Holder;
}

/** The clock of the store: UTC, `YYYY-MM-DD HH:MM:SS`. */
export const nowText = ({ store }: Pick<Lake, 'store'>): string => toTimestamp(store.now());

/** Is the time (UTC, `YYYY-MM-DD HH:MM:SS`) over by the clock of the store? */
export const isOver = ({ store }: Pick<Lake, 'store'>, time: string): boolean =>
  fromTimestamp(time) <= store.now();
