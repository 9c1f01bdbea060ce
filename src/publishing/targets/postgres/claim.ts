/** The lease of an account: which worker ships it, by the clock of the database. */
import type { Claim, Holder } from '../target.ts';
import type { Session } from './session.ts';

/** How long an account stays with a worker that does not renew. */
export const LEASE_MINUTES = 10;

/** Every moment that the database gives, as vodhouse writes it. */
export const toUtcText = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;

/** Who claims. */
export interface Claimant {
  holder: Holder;
  warehouseId: string;
  /** A person takes the accounts from another warehouse or worker. */
  force: boolean;
}

/**
 * Claims accounts, or renews their leases, in a few statements however many they are. A load under way locks its account: that
 * account is as the load found it, and nobody waits. Gives a claim for each account.
 */
export async function claim(
  session: Session,
  accounts: readonly string[],
  claimant: Claimant,
): Promise<Claim[]> {
  await session.execute('BEGIN');
  await session.execute(`SET LOCAL lock_timeout = '2s'`); // two workers may claim a new account at the same moment
  const free = await listUnlocked(session, accounts);
  const claimed = new Map(
    (await writeClaims(session, free, claimant)).map((claim) => [claim.account, claim]),
  );
  await session.execute('COMMIT');
  const others = accounts.filter((account) => !claimed.has(account));
  const explained = others.length === 0 ? [] : await explain(session, others, claimant);
  const claims = new Map([...claimed, ...explained.map((claim) => [claim.account, claim] as const)]);
  return accounts.flatMap((account) => claims.get(account) ?? []);
}

/** The accounts that nobody has locked, sorted: all workers lock them in this order. */
async function listUnlocked(session: Session, accounts: readonly string[]): Promise<string[]> {
  const table = session.name('vodhouse_account');
  const { rows } = await session.query<{ account: string }>(
    `WITH unlocked AS (SELECT account FROM ${table} WHERE account = ANY ($1) ORDER BY account FOR UPDATE SKIP LOCKED)
SELECT asked.account FROM unnest($1::text[]) AS asked (account)
WHERE EXISTS (SELECT FROM unlocked u WHERE u.account = asked.account)
  OR NOT EXISTS (SELECT FROM ${table} a WHERE a.account = asked.account)
ORDER BY asked.account`,
    [accounts],
  );
  return rows.map(({ account }) => account);
}

/**
 * Only a person who says `--rebuild` takes the account for whatever this file has, and only for this file: a copy of it that
 * comes later loads everything again, if it is no older state.
 */
const NEW_STATUS = `CASE
    WHEN $5 AND (a.warehouse_id <> excluded.warehouse_id OR a.status = 'rebuild') THEN 'rebuild'
    WHEN a.status = 'rebuild' AND a.instance <> excluded.instance THEN 'unverified'
    ELSE a.status END`;

/** The epoch counts the changes of the worker, so one that lost the account finds another number. */
async function writeClaims(
  session: Session,
  accounts: readonly string[],
  { holder: { worker, instance }, warehouseId, force }: Claimant,
): Promise<Extract<Claim, { result: 'claimed' }>[]> {
  const { rows } = await session.query<{ account: string; epoch: string; until: string }>(
    `INSERT INTO ${session.name('vodhouse_account')} AS a (account, warehouse_id, epoch, worker, instance, lease_until, renewed_at)
SELECT account, $2, 1, $3, $4, now() + interval '${LEASE_MINUTES} minutes', now() FROM unnest($1::text[]) AS asked (account)
ORDER BY account
ON CONFLICT (account) DO UPDATE SET
  epoch = a.epoch + (a.instance <> excluded.instance OR a.warehouse_id <> excluded.warehouse_id)::int,
  status = ${NEW_STATUS},
  warehouse_id = excluded.warehouse_id, worker = excluded.worker, instance = excluded.instance,
  lease_until = excluded.lease_until, renewed_at = excluded.renewed_at
WHERE $5 OR a.warehouse_id = excluded.warehouse_id AND (a.instance = excluded.instance OR a.lease_until < now())
RETURNING account, epoch, ${toUtcText('lease_until')} AS until`,
    [accounts, warehouseId, worker, instance, force],
  );
  return rows.map(({ account, epoch, until }) => ({
    ...{ result: 'claimed', account, epoch: Number(epoch), leaseUntil: until },
  }));
}

interface HolderRow {
  account: string;
  epoch: string | null;
  warehouse_id: string;
  worker: string;
  instance: string;
  until: string;
}

/** Who has accounts that were not claimed: other workers, or this one, which loads them in another process. */
async function explain(
  session: Session,
  accounts: readonly string[],
  { holder, warehouseId }: Claimant,
): Promise<Claim[]> {
  const { rows } = await session.query<HolderRow>(
    `SELECT asked.account, epoch, warehouse_id, coalesce(worker, 'another worker') AS worker, instance,
  ${toUtcText('coalesce(lease_until, now())')} AS until
FROM unnest($1::text[]) AS asked (account) LEFT JOIN ${session.name('vodhouse_account')} a USING (account)`,
    [accounts],
  );
  return rows.map(({ account, epoch, warehouse_id: other, worker, instance, until }) => {
    if (epoch === null || (other === warehouseId && instance !== holder.instance))
      return { result: 'held', account, worker, until }; // without a row: it was removed a moment ago
    if (other === warehouseId) return { result: 'claimed', account, epoch: Number(epoch), leaseUntil: until };
    const reason = `account ${account} belongs to another warehouse (${other}), loaded by ${worker}`;
    return { result: 'refused', account, reason };
  });
}

/** Ends the leases of a worker at once, so that another one need not wait. An account that is being loaded keeps its lease. */
export async function releaseAccounts(
  session: Session,
  { holder, warehouseId }: Pick<Claimant, 'holder' | 'warehouseId'>,
): Promise<void> {
  const table = session.name('vodhouse_account');
  await session.execute(
    `UPDATE ${table} SET lease_until = now() WHERE account IN (
  SELECT account FROM ${table} WHERE instance = $1 AND warehouse_id = $2 AND lease_until > now() FOR UPDATE SKIP LOCKED)`,
    [holder.instance, warehouseId],
  );
}
