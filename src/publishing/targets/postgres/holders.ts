/** Who has the accounts of a target: read only, also for a user who may not create anything there. */
import type { AccountHolder, AccountRows } from '../account-holder.ts';
import { toUtcText } from './claim.ts';
import type { Session } from './session.ts';

/** The rows of an account that a rebuild replaces or deletes. Throws what pg throws. */
export async function countAccountRows(session: Session, account: string): Promise<AccountRows> {
  const count = (table: string) =>
    `(SELECT count(*) FROM ${session.name(table)} WHERE account = $1)::int AS ${table}`;
  const row = await session.queryOne<Record<'videos' | 'video_history' | 'storage_daily', number>>(
    `SELECT ${['videos', 'video_history', 'storage_daily'].map(count).join(', ')}`,
    [account],
  );
  return {
    ...{ videos: row?.videos ?? 0, states: row?.video_history ?? 0, days: row?.storage_daily ?? 0 },
  };
}

/** Each account that was ever claimed; none where the schema has no tables of ours. Throws what pg throws. */
export async function readHolders(session: Session): Promise<AccountHolder[]> {
  const found = await session.queryOne(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = 'vodhouse_account'`,
    [session.schema],
  );
  if (found === null) return [];
  const { rows } = await session.query<{
    account: string;
    worker: string;
    instance: string;
    warehouse_id: string;
    timeline: string | null;
    is_held: boolean;
    lease_until: string;
    since: string | null;
    loaded_at: string | null;
  }>(
    `SELECT account, worker, instance, warehouse_id, timeline, lease_until > now() AS is_held, ${toUtcText('lease_until')} AS lease_until,
  (SELECT ${toUtcText('min(l.loaded_at)')} FROM ${session.name('vodhouse_load')} l
    WHERE l.account = a.account AND l.epoch = a.epoch AND l.warehouse_id = a.warehouse_id) AS since,
  ${toUtcText('loaded_at')} AS loaded_at
FROM ${session.name('vodhouse_account')} a ORDER BY account`,
  );
  return rows.map((row) => ({
    ...{ account: row.account, worker: row.worker, instance: row.instance, warehouseId: row.warehouse_id },
    timeline: row.timeline,
    ...{ isHeld: row.is_held, leaseUntil: row.lease_until, since: row.since, loadedAt: row.loaded_at },
  }));
}
