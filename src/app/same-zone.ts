import type { Config } from '../config/config.ts';
import { isSameZone } from '../lib/calendar.ts';
import { ConfigError } from '../lib/errors.ts';
import { pluralize } from '../lib/format.ts';
import type { SqliteWarehouse } from '../warehouse/warehouse.ts';

/** Booked days stand for ever: another calendar would mean other days by the same names. Throws ConfigError. */
export function assertSameZone(
  { timezone }: Pick<Config, 'timezone'>,
  warehouse: Pick<SqliteWarehouse, 'bookedZone'>,
): void {
  const booked = warehouse.bookedZone();
  if (booked.timezone === null || booked.bookedDays === 0) return;
  if (isSameZone(booked.timezone, timezone)) return;
  const days = booked.bookedDays === 1 ? '1 day was' : `${pluralize(booked.bookedDays, 'day')} were`;
  throw new ConfigError(`timezone is ${timezone}, but ${days} booked by the calendar of ${booked.timezone}`, {
    hint: `put \`timezone: ${booked.timezone}\` back; where that was wrong from the start, name a new file under \`warehouse\`: storage.since books the days again`,
  });
}
