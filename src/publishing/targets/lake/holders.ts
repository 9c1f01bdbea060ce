/** Who has each account of a lake, as its pointers and the signs of its workers tell: read only. */
import pLimit from 'p-limit';
import type { AccountHolder } from '../account-holder.ts';
import { parsePointer, parseWorkerSign, type Pointer, type WorkerSign } from './documents.ts';
import { isOver } from './lake.ts';
import { POINTERS, toPointerKey, toWorkerKey, WORKERS } from './layout.ts';
import type { Store } from './store.ts';

/** An account, its last load, and the sign of the worker that has it; null: it gave none. */
interface ReadAccount {
  account: string;
  pointer: Pointer;
  sign: WorkerSign | null;
  isHeld: boolean;
}

const AT_ONCE = 8;

/** Who has each account that was ever claimed. Throws StoreError. */
export async function readStoreHolders(store: Store): Promise<AccountHolder[]> {
  const accounts = await readAccounts(store);
  return accounts.map(({ account, pointer: { facts }, sign, isHeld }) => ({
    ...{ account, worker: facts.worker, instance: facts.instance, warehouseId: facts.warehouse_id },
    ...{ timeline: facts.timeline, isHeld, leaseUntil: sign?.lease_until ?? '' },
    ...{ since: null, loadedAt: facts.timeline === null ? null : facts.loaded_at },
  }));
}

async function readAccounts(store: Store): Promise<ReadAccount[]> {
  const [pointers, signs] = await Promise.all([
    readAll(store, POINTERS, parsePointer, ({ owner }) => toPointerKey(owner)),
    readAll(store, WORKERS, parseWorkerSign, ({ instance }) => toWorkerKey(instance)),
  ]);
  const byInstance = new Map(signs.map((sign) => [sign.instance, sign]));
  return pointers.flatMap((pointer) => {
    const { owner, facts } = pointer;
    if (owner === 'all' || !('account' in owner) || facts.kind === 'removed') return [];
    const sign = byInstance.get(facts.instance) ?? null;
    const isHeld = sign !== null && !isOver({ store }, sign.lease_until);
    return { account: owner.account, pointer, sign, isHeld };
  });
}

/**
 * The documents below a prefix, sorted by key. One that is gone by the time that it is read is left out, and so is one under
 * another name than its own: a copy that another program made.
 */
async function readAll<Document>(
  store: Store,
  prefix: string,
  parse: (key: string, body: Uint8Array) => Document,
  toKey: (document: Document) => string,
): Promise<Document[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) if (key.endsWith('.json')) keys.push(key);
  const limit = pLimit(AT_ONCE);
  const found = await Promise.all(keys.map((key) => limit(() => store.get(key))));
  return found.flatMap((object, index) => {
    const key = keys[index] ?? '';
    const document = object && parse(key, object.body);
    return document && toKey(document) === key ? [document] : [];
  });
}
