/** Claims accounts before they are synced: all of a worker on one connection. */
import type { TargetConfig } from '../../../config/config.ts';
import type { Source } from '../source.ts';
import type { Claim, Holder } from '../target.ts';
import { claimAccount, releaseAccounts } from './claim.ts';
import { ensureSchema } from './ensure-schema.ts';
import { withSession } from './session.ts';

/** What is known of a warehouse before its first publication. */
export type ClaimingWarehouse = Pick<Source, 'warehouseId' | 'timezone' | 'marts'>;

export interface ClaimRequest {
  target: TargetConfig;
  holder: Holder;
  /** The connection is cut after this, in milliseconds. */
  deadlineMs: number;
}

const LOCK_TIMEOUT_MS = 500;

/** Claims the accounts, or renews their leases; makes the schema before. Throws what pg throws. */
export async function claimAccounts(
  request: ClaimRequest,
  { warehouseId, timezone, marts }: ClaimingWarehouse,
  accounts: readonly string[],
): Promise<Claim[]> {
  const { schema, readers } = request.target;
  return withSession(request.target, request.deadlineMs, async (session) => {
    await ensureSchema(session, { schema, readers, marts }, timezone);
    await session.execute(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`); // a long load of one account delays no other
    const claims: Claim[] = [];
    for (const account of accounts)
      claims.push(await claimAccount(session, account, warehouseId, request.holder));
    return claims;
  });
}

/** Gives the accounts back, so that another worker need not wait for the end of the lease. Throws what pg throws. */
export function release(request: ClaimRequest): Promise<void> {
  return withSession(request.target, request.deadlineMs, (session) =>
    releaseAccounts(session, request.holder),
  );
}
