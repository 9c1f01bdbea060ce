/** The one row of the file: the counter that stamps every row change, and the time zone of the booked days. */
import { openReadOnly, type Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';

const CHANGE_SEQ = query<{ change_seq: number }>('select change_seq from warehouse_state');
const BOOKED_ZONE = query<BookedZone>(
  `select timezone, (select count(*) from storage_day where state = 'booked') as bookedDays from warehouse_state`,
);
const SET_CHANGE_SEQ = query<never, { seq: number }>('update warehouse_state set change_seq = :seq');
const SET_ZONE = query<never, { timezone: string }>(
  'update warehouse_state set timezone = :timezone where timezone is not :timezone',
);

/** The calendar of the booked days. */
export interface BookedZone {
  /** The time zone by which they were booked; null before it is recorded. */
  timezone: string | null;
  bookedDays: number;
}

/** The last `change_seq` handed out. */
export const getChangeSeq = (tx: Tx): number => CHANGE_SEQ.get(tx, {})?.change_seq ?? 0;

export const setChangeSeq = (tx: Tx, seq: number): number => SET_CHANGE_SEQ.run(tx, { seq });

export const getBookedZone = (tx: Tx): BookedZone =>
  BOOKED_ZONE.get(tx, {}) ?? { timezone: null, bookedDays: 0 };

/** Reads it from the live file at `path`. Throws WarehouseError if there is none. */
export function readBookedZone(path: string): BookedZone {
  const db = openReadOnly(path);
  try {
    return getBookedZone(db);
  } finally {
    db.$client.close();
  }
}

/** Records the time zone by which days are booked from now on. */
export const recordZone = (tx: Tx, timezone: string): number => SET_ZONE.run(tx, { timezone });
