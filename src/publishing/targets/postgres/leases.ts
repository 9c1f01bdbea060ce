/** Claims accounts before they are synced: all of a worker on one connection. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import type { ClaimingWarehouse, ClaimRequest } from '../claim-request.ts';
import type { Claim } from '../target.ts';
import { claim, releaseAccounts } from './claim.ts';
import { ensureSchema } from './ensure-schema.ts';
import { withSession, type Session } from './session.ts';

/** Claims the accounts, or renews their leases; makes the schema where it is missing. Throws what pg throws. */
export function claimAccounts(
  { target, holder, deadlineMs }: ClaimRequest<PostgresTargetConfig>,
  { warehouseId, timezone, marts }: ClaimingWarehouse,
  accounts: readonly string[],
): Promise<Claim[]> {
  const { schema, readers } = target;
  return withSession(target, deadlineMs, async (session) => {
    // columns that are missing are a matter of the loads: a claim must not wait for them
    if (!(await hasAccounts(session))) await ensureSchema(session, { schema, readers, marts }, timezone);
    return claim(session, accounts, { holder, warehouseId, force: false });
  });
}

async function hasAccounts(session: Session): Promise<boolean> {
  const row = await session.queryOne<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    session.name('vodhouse_account'),
  ]);
  return row?.found === true;
}

/** Gives the accounts back, so that another worker need not wait for the end of the lease. Throws what pg throws. */
export function release(
  { target, holder, deadlineMs }: ClaimRequest<PostgresTargetConfig>,
  { warehouseId }: Pick<ClaimingWarehouse, 'warehouseId'>,
): Promise<void> {
  return withSession(target, deadlineMs, (session) => releaseAccounts(session, { holder, warehouseId }));
}
