import { openReadOnly, type Db } from '../database/connection.ts';
import { countBooked } from './statements/storage.ts';
import { readZone } from './statements/change-seq.ts';

/** The calendar of the booked days. */
export interface BookedZone {
  /** The time zone by which they were booked; null where none is recorded. */
  timezone: string | null;
  bookedDays: number;
}

/** Reads it from an open file. */
export function getBookedZone(db: Db): BookedZone {
  return { timezone: readZone(db), bookedDays: countBooked(db) };
}

/** Reads it from the live file at `path`. Throws WarehouseError where there is none of ours. */
export function readBookedZone(path: string): BookedZone {
  const db = openReadOnly(path);
  try {
    return getBookedZone(db);
  } finally {
    db.$client.close();
  }
}
