/** Claims accounts before they are synced: all of a worker, with one sign of life. */
import type { Source } from '../source.ts';
import type { AccountClaim, Holder } from '../target.ts';
import { sendErrand } from './errand-process.ts';
import type { LakeOptions } from './store.ts';

export interface LakeClaimRequest {
  target: LakeOptions;
  holder: Holder;
  /** The store has this long to answer, in milliseconds. */
  deadlineMs: number;
}

/** Claims the accounts, or renews their leases. Throws StoreError where no account can be read. */
export function claimAccounts(
  { target, holder, deadlineMs }: LakeClaimRequest,
  { warehouseId, timezone }: Pick<Source, 'warehouseId' | 'timezone'>,
  accounts: readonly string[],
): Promise<AccountClaim[]> {
  const warehouse = { warehouseId, timezone };
  return sendErrand({ kind: 'claim', place: target.place, target, holder, deadlineMs, warehouse, accounts });
}

/** Gives the accounts back, so that another worker need not wait for the end of the lease. Throws StoreError. */
export async function release({ target, holder, deadlineMs }: LakeClaimRequest): Promise<void> {
  await sendErrand({ kind: 'release', place: target.place, target, holder, deadlineMs });
}
