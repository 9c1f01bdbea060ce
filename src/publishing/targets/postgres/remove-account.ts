/** Removes an account that the warehouse no longer has (renamed, moved or forgotten), because a person said so. */
import { listAccountSlices } from '../shipped-tables.ts';
import { LostLeaseError } from '../load-errors.ts';
import { describeRefusal, type Loaded } from '../target.ts';
import { lockAccountState } from './account-state.ts';
import { listFormer } from './left-behind.ts';
import { begin, type LoadOptions } from './load.ts';
import { setAsideBooked } from './load-slices.ts';
import type { Session } from './session.ts';

/**
 * Deletes the rows of the account in one transaction; its booked days are set aside. Null if this warehouse did not load it,
 * and it was not moved here. Throws LostLeaseError if another worker has it, and what pg throws; then nothing was changed.
 */
export async function removeAccount(
  session: Session,
  options: Omit<LoadOptions, 'epoch' | 'isRebuild'>,
): Promise<Loaded | null> {
  const { source, account, holder, targetColumns } = options;
  const { marts, warehouseId, publishedAt } = source;
  await begin(session, options);
  const state = await lockAccountState(session, account);
  if (state === null || (state.warehouseId !== warehouseId && !(await isFree(session, options)))) {
    await session.execute('ROLLBACK');
    return null;
  }
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
    [account, warehouseId, source.timelineOf(account), state.epoch, holder.worker, rows, publishedAt],
  );
  await session.execute('COMMIT');
  const message = `${days.length} booked days of account ${account} are in vodhouse_lost_storage`;
  const findings = days.length === 0 ? [] : [{ kind: 'history_set_aside', message } as const];
  return { kind: 'reload', rows, findings };
}

/**
 * Did the account come here by a move, under this name, and did it get another one since? Whoever loads it again, where it
 * came from, has its lease.
 */
async function isFree(
  session: Session,
  { source, account }: Pick<LoadOptions, 'source' | 'account'>,
): Promise<boolean> {
  const former = (await listFormer(session, source.formerStays)).find((each) => each.account === account);
  if (!former?.held) return former !== undefined;
  const { worker, until } = former.held;
  throw new LostLeaseError(describeRefusal({ result: 'held', account, worker, until }));
}
