/**
 * Moves an account from one live file into another. Two files have no transaction in common (SQLite commits files in WAL mode
 * one by one), so a move has three, and a marker that each of them reads:
 *
 * 1. the first file: the account is `leaving`; nothing syncs it from now on.
 * 2. the second file: all its rows, and `here` with the id of the move, in one transaction.
 * 3. the first file: the rows go, and `left` stays.
 *
 * A process may end between any two. The same command again goes on from there; before 2, the move may also be taken back. So
 * the account is complete in one file at any moment, and never synced in both.
 */
import { randomUUID } from 'node:crypto';
import { withoutTriggers, runOnTable } from '../../database/account-tables.ts';
import type { Db, Tx } from '../../database/connection.ts';
import { transact } from '../../database/transaction.ts';
import { toAccountTimeline, type MovedAccount } from '../../lib/account-origins.ts';
import { isSameZone } from '../../lib/calendar.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { WarehouseError } from '../../lib/errors.ts';
import { deleteMove, findMove, listMoves, writeMove } from '../statements/account-move.ts';
import { getBookedZone, getIdentity, recordZone } from '../statements/warehouse-state.ts';
import { copyAccount, LEFT_FILE, subtractRequests } from './copy-account.ts';
import { DROPPED_TABLES, MOVED_TABLES } from './moved-tables.ts';

/** A move under way. */
export interface MoveRequest {
  account: string;
  /** The file that the account leaves, and the one that it goes to: absolute paths, open. */
  from: { path: string; db: Db };
  to: { path: string; db: Db };
  /** The worker on the first file, as targets know it. */
  instance: string;
  now: number;
}

/** Step 1. Begins the move, or finds the one that was begun. Returns its id. */
export function beginMove({ account, from, to, now }: MoveRequest): string {
  return transact(from.db, (tx) => {
    const known = findMove(tx, account);
    if (known?.state === 'leaving' && known.moveId !== null) return known.moveId;
    const moveId = randomUUID();
    writeMove(tx, {
      ...{ account, state: 'leaving', moveId, at: toTimestamp(now) },
      ...{ arrivalId: known?.arrivalId ?? null, origins: known?.origins ?? [] },
      ...{ otherFile: to.path, otherWarehouseId: getIdentity(to.db).warehouseId },
    });
    return moveId;
  });
}

/**
 * What a move brought into this file, under the name that it has here now, also where it has gone on since. Null where the second
 * step was not done in it.
 */
export const findArrival = (tx: Tx, moveId: string): MovedAccount | null =>
  listMoves(tx).find(({ origins }) => origins.some((origin) => origin.moveId === moveId)) ?? null;

/** Step 2. Does nothing where it was done. Throws WarehouseError where the file cannot take the rows; then it is as before. */
export function arrive(request: MoveRequest, moveId: string): void {
  const { account, from, to, instance, now } = request;
  const leaving = findMove(from.db, account);
  if (leaving === null || findArrival(to.db, moveId) !== null) return;
  const { warehouseId, timeline } = getIdentity(from.db);
  to.db.$client.prepare(`attach ? as ${LEFT_FILE}`).run(from.path);
  try {
    transact(to.db, (tx) => {
      takeZone(tx);
      const seqOffset = copyAccount(tx, account);
      for (const { account: old } of listEarlierMarks(tx, leaving)) deleteMove(tx, { account: old });
      const origin = { moveId, account, warehouseId, instance, seqOffset };
      writeMove(tx, {
        ...{ account, state: 'here', arrivalId: moveId, moveId: null, at: toTimestamp(now) },
        origins: [
          ...leaving.origins,
          { ...origin, timeline: toAccountTimeline(timeline, leaving.arrivalId) },
        ],
        ...{ otherFile: from.path, otherWarehouseId: warehouseId },
      });
    });
  } finally {
    to.db.$client.exec(`detach ${LEFT_FILE}`);
  }
}

/** Marks of moves that took the account out of this file, under whatever name: it comes back. */
const listEarlierMarks = (tx: Tx, { origins }: MovedAccount): MovedAccount[] =>
  listMoves(tx).filter(
    ({ state, moveId }) => state === 'left' && origins.some((each) => each.moveId === moveId),
  );

/** The calendar of the booked days, and whether they are simulated. Before the rows: booked days keep the calendar that they have. */
function takeZone(tx: Tx): void {
  const left = tx.$client
    .prepare(
      `select timezone, is_demo,
  (select count(*) from ${LEFT_FILE}.storage_day where state = 'booked') as booked_days from ${LEFT_FILE}.warehouse_state`,
    )
    .get() as { timezone: string | null; is_demo: 0 | 1; booked_days: number };
  const { timezone, bookedDays } = getBookedZone(tx);
  const hasDays = bookedDays > 0 && timezone !== null;
  if (!hasDays && left.timezone !== null) recordZone(tx, { timezone: left.timezone });
  else if (hasDays && left.booked_days > 0 && left.timezone !== null && !isSameZone(timezone, left.timezone))
    throw new WarehouseError(`it has days of ${timezone}, and the account days of ${left.timezone}`);
  tx.$client.prepare('update main.warehouse_state set is_demo = ?').run(left.is_demo);
}

/** Step 3. */
export function finishMove({ account, from, now }: MoveRequest): void {
  transact(from.db, (tx) => {
    const leaving = findMove(tx, account);
    if (leaving === null) return;
    subtractRequests(tx, account);
    withoutTriggers(tx, () => {
      for (const table of [...Object.keys(MOVED_TABLES), ...DROPPED_TABLES])
        runOnTable(tx, `delete from "${table}" where account = :account`, { account });
    });
    writeMove(tx, { ...leaving, state: 'left', at: toTimestamp(now) });
  });
}

/** Undoes step 1, or all where the other file has lost the rows. The caller knows that the other file does not have them. */
export function takeBackMove(db: Db, { account, arrivalId, ...move }: MovedAccount, now: number): void {
  transact(db, (tx) => {
    if (arrivalId === null) deleteMove(tx, { account });
    else writeMove(tx, { ...move, account, arrivalId, state: 'here', moveId: null, at: toTimestamp(now) });
  });
}
