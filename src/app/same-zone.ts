import type { Config } from '../config/config.ts';
import { isSameZone } from '../lib/calendar.ts';
import { ConfigError } from '../lib/errors.ts';
import { pluralize } from '../lib/format.ts';
import type { BookedZone } from '../warehouse/statements/warehouse-state.ts';

/** Booked days never change: in another time zone the same dates would mean other days. Throws ConfigError. */
export function assertSameZone(
  { timezone }: Pick<Config, 'timezone'>,
  { timezone: bookedZone, bookedDays }: BookedZone,
): void {
  if (bookedZone === null || bookedDays === 0 || isSameZone(bookedZone, timezone)) return;
  const days = bookedDays === 1 ? '1 day was' : `${pluralize(bookedDays, 'day')} were`;
  throw new ConfigError(`timezone is ${timezone}, but ${days} booked by the calendar of ${bookedZone}`, {
    hint: `set \`timezone: ${bookedZone}\` again; if that was wrong from the start, set \`warehouse\` to a new file: storage.since books the days again`,
  });
}
