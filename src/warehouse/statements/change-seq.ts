/** The one row of the file: the counter that stamps every row change, and the time zone of the booked days. */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';

const STATE = query<{ change_seq: number; timezone: string | null }>(
  'select change_seq, timezone from warehouse_state',
);
const SET_CHANGE_SEQ = query<never, { seq: number }>('update warehouse_state set change_seq = :seq');
const SET_ZONE = query<never, { timezone: string }>('update warehouse_state set timezone = :timezone');

/** The last `change_seq` handed out. */
export const getChangeSeq = (tx: Tx): number => STATE.get(tx, {})?.change_seq ?? 0;

export const setChangeSeq = (tx: Tx, seq: number): number => SET_CHANGE_SEQ.run(tx, { seq });

/** The time zone by which days were booked; null before it is recorded. */
export const readZone = (tx: Tx): string | null => STATE.get(tx, {})?.timezone ?? null;

export const writeZone = (tx: Tx, timezone: string): number => SET_ZONE.run(tx, { timezone });
