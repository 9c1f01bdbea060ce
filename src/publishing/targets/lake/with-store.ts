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
  const ended = new AbortController();
  const late = setTimeout(deadlineMs, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new StoreError(`${store.name} did not answer for ${deadlineMs / 1000} s`, {
      code: 'ETIMEDOUT',
      hint: 'look whether the store works, and whether a firewall is in between',
    });
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work(store), late]);
  } finally {
    ended.abort();
    await store.close();
  }
}
