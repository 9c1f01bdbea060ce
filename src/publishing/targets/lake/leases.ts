/** Claims accounts before they are synced: all of a worker, with one sign of life. */
import { version } from '../../../lib/version.ts';
import type { Source } from '../source.ts';
import type { AccountClaim, Holder } from '../target.ts';
import { claimAll } from './claim.ts';
import type { Lake } from './lake.ts';
import { endSign } from './sign.ts';
import type { LakeOptions } from './store.ts';
import { withStore } from './with-store.ts';

export interface LakeClaimRequest {
  target: LakeOptions;
  holder: Holder;
  /** The store has this long to answer, in milliseconds. */
  deadlineMs: number;
}

/** Claims the accounts, or renews their leases. Throws StoreError where no account can be read. */
export function claimAccounts(
  request: LakeClaimRequest,
  { warehouseId, timezone, originsOf }: Pick<Source, 'warehouseId' | 'timezone' | 'originsOf'>,
  accounts: readonly string[],
): Promise<AccountClaim[]> {
  const claimant = { warehouseId, timezone, originsOf, version: version(), force: false };
  return withLake(request, (lake) => claimAll(lake, accounts, claimant));
}

/** Gives the accounts back, so that another worker need not wait for the end of the lease. Throws StoreError. */
export function release(request: LakeClaimRequest): Promise<void> {
  return withLake(request, async (lake) => {
    await endSign(lake);
  });
}

const withLake = <T>(
  { target, holder, deadlineMs }: LakeClaimRequest,
  work: (lake: Lake) => Promise<T>,
): Promise<T> => withStore(target.place, deadlineMs, (store) => work({ options: target, holder, store }));
