/** What a worker does in a lake between loads: claims, releases, and who has each account. */
import { version } from '../../../lib/version.ts';
import type { Holder } from '../target.ts';
import { claimAll } from './claim.ts';
import { readStoreHolders } from './holders.ts';
import { endSign } from './sign.ts';
import type { LakeOptions, LakePlace, Store } from './store.ts';
import { withStore } from './with-store.ts';

/** Plain data: it crosses from one process to another. */
export type Errand = { place: LakePlace; deadlineMs: number } & Work;

type Work =
  | { kind: 'claim'; target: LakeOptions; holder: Holder; warehouse: Claiming; accounts: readonly string[] }
  | { kind: 'release'; target: LakeOptions; holder: Holder }
  | { kind: 'holders' };

interface Claiming {
  warehouseId: string;
  timezone: string;
}

/** Throws StoreError. */
export function runErrand(errand: Errand): Promise<unknown> {
  return withStore(errand.place, errand.deadlineMs, (store) => work(errand, store));
}

async function work(errand: Work, store: Store): Promise<unknown> {
  if (errand.kind === 'holders') return readStoreHolders(store);
  const lake = { options: errand.target, holder: errand.holder, store };
  if (errand.kind === 'release') return endSign(lake);
  const claimant = { ...errand.warehouse, version: version(), force: false };
  return claimAll(lake, errand.accounts, claimant);
}
