/**
 * The one row of the file: the counter that stamps every row change, and the time zone of the booked days.
 */
import { readLiveFile, type Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { errorCode } from '../../lib/errors.ts';

const findChangeSeq = query<{ seq: number }>('select change_seq as seq from warehouse_state').one;

/** The last `change_seq` handed out. */
export const getChangeSeq = (tx: Tx): number => findChangeSeq(tx).seq;

export const setChangeSeq = query<never, { seq: number }>('update warehouse_state set change_seq = :seq').run;

const findWarehouseId = query<{ id: string }>('select warehouse_id as id from warehouse_state').one;

/** The id of the warehouse, which all copies and backups of the file share. */
export const getWarehouseId = (tx: Tx): string => findWarehouseId(tx).id;

/** Whether the live file, of any version, is that of `vodhouse demo`. */
export function isDemoFile(db: Tx): boolean {
  try {
    return db.$client.prepare('select is_demo from warehouse_state').pluck().get() === 1;
  } catch (error) {
    if (errorCode(error) === 'SQLITE_ERROR') return false; // no such column: the file is of an older version
    throw error;
  }
}

export const markAsDemo = query<never>('update warehouse_state set is_demo = 1 where is_demo = 0').run;

/** The calendar of the booked days. */
export interface BookedZone {
  /** The time zone by which they were booked; null before it is recorded. */
  timezone: string | null;
  bookedDays: number;
}

export const getBookedZone = query<BookedZone>(
  `select timezone, (select count(*) from storage_day where state = 'booked') as bookedDays
    from warehouse_state`,
).one;

/** Reads it from the live file at `path`. Throws WarehouseError if there is none. */
export function readBookedZone(path: string): BookedZone {
  return readLiveFile(path, getBookedZone);
}

/** Records the time zone by which days are booked from now on. */
export const recordZone = query<never, { timezone: string }>(
  'update warehouse_state set timezone = :timezone where timezone is not :timezone',
).run;
