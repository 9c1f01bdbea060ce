/** Signs of life: a worker that renews its own keeps its accounts. */
import { MINUTE_MS, toTimestamp } from '../../../lib/clock.ts';
import { encodeDocument, parseWorkerSign, type WorkerSign } from './documents.ts';
import type { Lake } from './lake.ts';
import { toWorkerKey } from './layout.ts';

/** How long accounts stay with a worker that does not renew. */
const LEASE_MS = 10 * MINUTE_MS;

/** Gives the end of the lease: UTC, `YYYY-MM-DD HH:MM:SS`. Throws StoreError. */
export const renewSign = (lake: Lake): Promise<string> => writeSign(lake, LEASE_MS);

/** Ends the leases of this worker at once. Throws StoreError. */
export const endSign = (lake: Lake): Promise<string> => writeSign(lake, 0);

async function writeSign({ store, holder }: Lake, leaseMs: number): Promise<string> {
  const { worker, instance } = holder;
  const now = store.now();
  const until = toTimestamp(now + leaseMs);
  const sign: WorkerSign = {
    ...{ format: 1, worker, instance, renewed_at: toTimestamp(now), lease_until: until },
  };
  await store.put(toWorkerKey(instance), encodeDocument(sign).body);
  return until;
}

/** The sign of a worker; null if it gave none. Throws StoreError. */
export async function readSign({ store }: Pick<Lake, 'store'>, instance: string): Promise<WorkerSign | null> {
  const key = toWorkerKey(instance);
  const found = await store.get(key);
  return found && parseWorkerSign(key, found.body);
}
