/** Removes an account that the warehouse no longer has (renamed or forgotten), because a person said so. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { hasAnchor } from '../delta.ts';
import { listAccountSlices } from '../shipped-tables.ts';
import { listSourceAccounts, type Source } from '../source.ts';
import type { Holder, Loaded } from '../target.ts';
import { listPackageAnchors, lockAccountState, type AccountState } from './account-state.ts';
import type { TargetColumns } from './ensure-schema.ts';
import { setAsideBooked } from './load-slices.ts';
import { begin, type Session } from './session.ts';

/** Whose rows go, and who says so. */
interface Removal {
  source: Source;
  account: string;
  holder: Holder;
  targetColumns: TargetColumns;
}

/**
 * Deletes the rows of the account in one transaction; its booked days are set aside. Null if this warehouse did not load it.
 * Throws what pg throws; then nothing was changed.
 */
export async function removeAccount(
  session: Session,
  options: Removal & Pick<PostgresTargetConfig, 'lockTimeoutMs' | 'loadTimeoutMs'>,
): Promise<Loaded | null> {
  const { source, account } = options;
  const { warehouseId } = source;
  await begin(session, options);
  const state = await lockAccountState(session, account);
  if (state?.warehouseId !== warehouseId) {
    await session.execute('ROLLBACK');
    return null;
  }
  const { rows, days } = await deleteAccount(session, options, state);
  await session.execute('COMMIT');
  const message = `${days} booked days of account ${account} are in vodhouse_lost_storage`;
  const findings = days === 0 ? [] : [{ kind: 'history_set_aside', message } as const];
  return { kind: 'reload', rows, findings };
}

/** Deletes the rows of an account in the transaction under way; its booked days are set aside. Returns the numbers of both. */
async function deleteAccount(
  session: Session,
  { source, account, holder, targetColumns }: Removal,
  { epoch }: Pick<AccountState, 'epoch'>,
): Promise<{ rows: number; days: number }> {
  const { marts } = source;
  const booked = await session.query<{ day: string }>(
    `SELECT day::text AS day FROM ${session.name('storage_daily')} WHERE account = $1 AND state = 'booked'`,
    [account],
  );
  const context = { session, db: source.db, targetColumns, onNul: () => undefined };
  const days = booked.rows.map(({ day }) => day);
  await setAsideBooked(context, marts.storageDaily, account, days);
  const tables = ['videos', 'video_history', ...(targetColumns.has('video_tags') ? ['video_tags'] : [])];
  const small = listAccountSlices(marts).map(({ table }) => table.name);
  let rows = 0;
  for (const table of [...tables, ...small])
    rows += await session.execute(`DELETE FROM ${session.name(table)} WHERE account = $1`, [account]);
  await session.execute(`DELETE FROM ${session.name('vodhouse_slice')} WHERE owner = $1`, [account]);
  await session.execute(`DELETE FROM ${session.name('vodhouse_account')} WHERE account = $1`, [account]);
  await session.execute(
    `INSERT INTO ${session.name('vodhouse_load')} (account, warehouse_id, timeline, epoch, worker, kind, rows, loaded_at, published_at)
VALUES ($1, $2, $3, $4, $5, 'removed', $6, clock_timestamp(), ($7 || ' UTC')::timestamptz)`,
    [account, source.warehouseId, source.timeline, epoch, holder.worker, rows, source.publishedAt],
  );
  return { rows, days: days.length };
}

/**
 * Deletes, in the load of an account, what the target has of it under an earlier name (`was:`): accounts that this worker loaded
 * from this file, that the file no longer has, and of which it has a state under the name of now.
 */
export async function removeFormerNames(session: Session, options: Removal): Promise<void> {
  const { source, account, holder } = options;
  const { rows } = await session.query<{ account: string }>(
    `SELECT account FROM ${session.name('vodhouse_account')}
WHERE warehouse_id = $1 AND instance = $2 AND timeline = $3 AND NOT account = ANY ($4) ORDER BY account`,
    [source.warehouseId, holder.instance, source.timeline, listSourceAccounts(source)],
  );
  for (const { account: former } of rows) {
    const anchors = await listPackageAnchors(session, former);
    if (!anchors.some((anchor) => hasAnchor(source, account, anchor))) continue;
    const state = await lockAccountState(session, former);
    if (state !== null) await deleteAccount(session, { ...options, account: former }, state);
  }
}
