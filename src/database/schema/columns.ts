/** The column types of the live file, declared so that BI drivers read them correctly. */
import { customType, integer } from 'drizzle-orm/sqlite-core';

/** Ids, counts and bytes: integers up to 2^53 - 1. */
export const bigint = customType<{ data: number; driverData: number }>({ dataType: () => 'BIGINT' });

/** A time: text `YYYY-MM-DD HH:MM:SS` in UTC. */
export const timestamp = customType<{ data: string; driverData: string }>({ dataType: () => 'TIMESTAMP' });

/** A day of the service's calendar: text `YYYY-MM-DD`. */
export const date = customType<{ data: string; driverData: string }>({ dataType: () => 'DATE' });

/** A flag: 0 or 1. */
export const boolean = customType<{ data: boolean; driverData: number }>({
  dataType: () => 'BOOLEAN',
  toDriver: (value) => (value ? 1 : 0),
  fromDriver: (value) => value === 1,
});

/** A key that SQLite increments: only `INTEGER PRIMARY KEY` works. */
export const rowKey = () => integer().primaryKey({ autoIncrement: true });
