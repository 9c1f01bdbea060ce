/**
 * Who a live file is, for those who load from it: `warehouse_id` is the same in all its copies and backups, `timeline` is
 * new after each restore, since numbers (`change_seq`) from before it may be used again for other changes.
 */
import { randomUUID } from 'node:crypto';
import type { Database } from './sqlite.ts';
import { errorCode } from '../lib/errors.ts';

/** Gives a file that has none its identity. */
export function createIdentity(client: Database): void {
  client
    .prepare(
      `update warehouse_state set warehouse_id = coalesce(warehouse_id, ?), timeline = coalesce(timeline, ?)
        where warehouse_id is null or timeline is null`,
    )
    .run(randomUUID(), randomUUID());
}

/** Begins a new timeline. `warehouseId` for a backup from before files had one: that of the file it replaces. */
export function beginTimeline(client: Database, warehouseId: string | null): void {
  client
    .prepare('update warehouse_state set timeline = ?, warehouse_id = coalesce(?, warehouse_id)')
    .run(randomUUID(), warehouseId);
}

/** The warehouse id of a file of any format; null for one from before files had one. */
export function readWarehouseId(client: Database): string | null {
  try {
    return client.prepare('select warehouse_id from warehouse_state').pluck().get() as string | null;
  } catch (error) {
    if (errorCode(error) === 'SQLITE_ERROR') return null; // no such column
    throw error;
  }
}
