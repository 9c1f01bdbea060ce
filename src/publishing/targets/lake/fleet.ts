/** Every account of a lake, as its pointers and the signs of its workers tell: read only. */
import pLimit from 'p-limit';
import { fromTimestamp } from '../../../lib/clock.ts';
import { ConfigError } from '../../../lib/errors.ts';
import type { FleetAccount } from '../../../lib/fleet.ts';
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

/** Reads all accounts of a lake, sorted by name. Throws ConfigError where there is no lake, and StoreError. */
export async function readFleetOf(store: Store): Promise<FleetAccount[]> {
  const accounts = await readAccounts(store);
  if (accounts === null)
    throw new ConfigError(`there is no lake at ${store.name}`, {
      hint: 'the first load of a worker makes it; or correct the place',
    });
  return accounts.map((each) => toFleetAccount(each, store.now()));
}

/** Who has each account that was ever claimed. Throws StoreError. */
export async function readStoreHolders(store: Store): Promise<AccountHolder[]> {
  const accounts = (await readAccounts(store)) ?? [];
  return accounts.map(({ account, pointer: { facts }, sign, isHeld }) => ({
    ...{ account, worker: facts.worker, instance: facts.instance, warehouseId: facts.warehouse_id },
    ...{ timeline: facts.timeline, isHeld, leaseUntil: sign?.lease_until ?? '' },
    ...{ since: null, loadedAt: facts.timeline === null ? null : facts.loaded_at },
  }));
}

/** Null where there is neither a pointer nor a worker. */
async function readAccounts(store: Store): Promise<ReadAccount[] | null> {
  const [pointers, signs] = await Promise.all([
    readAll(store, POINTERS, parsePointer, ({ owner }) => toPointerKey(owner)),
    readAll(store, WORKERS, parseWorkerSign, ({ instance }) => toWorkerKey(instance)),
  ]);
  if (pointers.length === 0 && signs.length === 0) return null;
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

function toFleetAccount({ account, pointer, sign, isHeld }: ReadAccount, now: number): FleetAccount {
  const { facts, state } = pointer;
  const age = state.published_at === null ? null : Math.max(0, now - fromTimestamp(state.published_at));
  return {
    ...{ account, worker: facts.worker, warehouseId: facts.warehouse_id, version: facts.version },
    ...{ isHeld, leaseUntil: sign?.lease_until ?? null, renewedAt: sign?.renewed_at ?? null },
    ...{ publishedAt: state.published_at, publishedSecondsAgo: age === null ? null : Math.round(age / 1000) },
    ...{ loadedAt: facts.timeline === null ? null : facts.loaded_at, verifiedAt: state.verified_at },
    ...{ status: state.status ?? 'ok', changeSeq: facts.change_seq },
    ...{ lastLoad: facts.kind, lastRows: facts.rows },
  };
}
