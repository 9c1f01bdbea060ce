/** The lease of an account: which worker ships it, by the clock of the database. */
import { errorCode } from '../../../lib/errors.ts';
import type { Claim, Holder } from '../target.ts';
import type { Session } from './session.ts';

/** How long an account stays with a worker that does not renew. */
export const LEASE_MINUTES = 10;

/** Every moment that the database gives, as vodhouse writes it. */
export const toUtcText = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;

/**
 * Claims an account for a warehouse, or renews the lease. `force`: a person takes it from another warehouse or worker.
 * A load under way locks its account: after the `lock_timeout` of the session, the account is as that load found it.
 * The epoch counts the changes of the worker, so one that lost the account finds another number.
 */
export async function claimAccount(
  session: Session,
  account: string,
  warehouseId: string,
  { worker, instance }: Holder,
  force = false,
): Promise<Claim> {
  try {
    const claimed = await writeClaim(session, account, warehouseId, { worker, instance }, force);
    if (claimed) return { result: 'claimed', account, ...claimed };
  } catch (error) {
    if (errorCode(error) !== '55P03') throw error; // else a load is under way, which extends the lease at its end
  }
  return explain(session, account, warehouseId, instance);
}

async function writeClaim(
  session: Session,
  account: string,
  warehouseId: string,
  { worker, instance }: Holder,
  force: boolean,
): Promise<{ epoch: number; leaseUntil: string } | null> {
  const claimed = await session.queryOne<{ epoch: string; until: string }>(
    `INSERT INTO ${session.name('vodhouse_account')} AS a (account, warehouse_id, epoch, worker, instance, lease_until, renewed_at)
VALUES ($1, $2, 1, $3, $4, now() + interval '${LEASE_MINUTES} minutes', now())
ON CONFLICT (account) DO UPDATE SET
  epoch = a.epoch + (a.instance <> excluded.instance OR a.warehouse_id <> excluded.warehouse_id)::int,
  status = CASE WHEN a.warehouse_id <> excluded.warehouse_id THEN 'rebuild' ELSE a.status END,
  warehouse_id = excluded.warehouse_id, worker = excluded.worker, instance = excluded.instance,
  lease_until = excluded.lease_until, renewed_at = excluded.renewed_at
WHERE $5 OR a.warehouse_id = excluded.warehouse_id AND (a.instance = excluded.instance OR a.lease_until < now())
RETURNING epoch, ${toUtcText('lease_until')} AS until`,
    [account, warehouseId, worker, instance, force],
  );
  return claimed && { epoch: Number(claimed.epoch), leaseUntil: claimed.until };
}

/** Who has an account that was not claimed: another worker, or this one, which loads it in another process. */
async function explain(
  session: Session,
  account: string,
  warehouseId: string,
  instance: string,
): Promise<Claim> {
  const other = await session.queryOne<
    Record<'epoch' | 'warehouse_id' | 'worker' | 'instance' | 'until', string>
  >(
    `SELECT epoch, warehouse_id, worker, instance, ${toUtcText('lease_until')} AS until FROM ${session.name('vodhouse_account')}
WHERE account = $1`,
    [account],
  );
  if (other === null) return { result: 'held', account, worker: 'another worker', until: '' }; // it was just removed
  if (other.warehouse_id === warehouseId && other.instance === instance)
    return { result: 'claimed', account, epoch: Number(other.epoch), leaseUntil: other.until };
  if (other.warehouse_id === warehouseId)
    return { result: 'held', account, worker: other.worker, until: other.until };
  const reason = `account ${account} belongs to another warehouse (${other.warehouse_id}), loaded by ${other.worker}`;
  return { result: 'refused', account, reason };
}

/** Ends the leases of an instance at once, so that another worker need not wait. */
export async function releaseAccounts(session: Session, { instance }: Holder): Promise<void> {
  await session.execute(
    `UPDATE ${session.name('vodhouse_account')} SET lease_until = now() WHERE instance = $1 AND lease_until > now()`,
    [instance],
  );
}
