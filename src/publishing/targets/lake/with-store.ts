/** A store that is open for one piece of work, which has a deadline. */
import { setTimeout } from 'node:timers/promises';
import { openStore } from './open-store.ts';
import { StoreError, type LakePlace, type Store } from './store.ts';

/** Opens the store, and closes it after the work. Throws StoreError, also where the work takes longer than `deadlineMs`. */
export async function withStore<Result>(
  place: LakePlace,
  deadlineMs: number,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = openStore(place);
  try {
    return await within(deadlineMs, work(store), () => toSilence(store.name, deadlineMs));
  } finally {
    await store.close();
  }
}

/** Waits for work that may never end. Throws `toLate()` after `deadlineMs`; the work itself goes on. */
export async function within<Result>(
  deadlineMs: number,
  work: Promise<Result>,
  toLate: () => StoreError,
): Promise<Result> {
  const ended = new AbortController();
  const late = setTimeout(deadlineMs, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw toLate();
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}

/** The error of a store that does not answer. */
export const toSilence = (name: string, ms: number): StoreError =>
  new StoreError(`${name} did not answer for ${ms / 1000} s`, {
    code: 'ETIMEDOUT',
    hint: 'look whether the store works, and whether a firewall is in between',
  });

/** The error of a load that takes too long. */
export const toLateLoad = (timeoutMs: number): StoreError =>
  new StoreError(`the load was not done after ${Math.round(timeoutMs / 1000)} s`, {
    ...{ code: 'ETIMEDOUT', hint: 'a larger load_timeout: in the target gives it more time' },
  });
