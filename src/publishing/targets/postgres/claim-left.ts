/** The claim of an account that left the config, and of which the published file still has rows. */
import type { Claim } from '../target.ts';
import { claim, toUtcText, type Claimant } from './claim.ts';
import type { Session } from './session.ts';

/**
 * The claim that this worker has, without a longer lease: another worker, whose config has the account, gets it when the lease
 * ends. Claims an account that nobody ever claimed. Null if another worker has it, or had it last.
 */
export async function claimLeftAccount(
  session: Session,
  account: string,
  claimant: Claimant,
): Promise<Claim | null> {
  const { holder, warehouseId } = claimant;
  const row = await session.queryOne<Record<'epoch' | 'warehouse_id' | 'instance' | 'until', string>>(
    `SELECT epoch, warehouse_id, instance, ${toUtcText('lease_until')} AS until FROM ${session.name('vodhouse_account')}
WHERE account = $1`,
    [account],
  );
  if (row === null) return (await claim(session, [account], claimant))[0] ?? null;
  if (row.warehouse_id !== warehouseId || row.instance !== holder.instance) return null;
  return { result: 'claimed', account, epoch: Number(row.epoch), leaseUntil: row.until };
}
