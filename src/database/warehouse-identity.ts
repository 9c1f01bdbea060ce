/** Which warehouse a live file is, for those who load from it: all its copies and backups have the same `warehouse_id`. */
import { randomUUID } from 'node:crypto';
import type { Database } from './sqlite.ts';
import { errorCode } from '../lib/errors.ts';

/** Gives a file that has none its id. */
export function createIdentity(client: Database): void {
  client.prepare('update warehouse_state set warehouse_id = ? where warehouse_id is null').run(randomUUID());
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
