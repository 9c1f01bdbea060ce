/** What both files of a move must have in common. */
import type { Config } from '../config/config.ts';
import type { Tx } from '../database/connection.ts';
import { isSameZone } from '../lib/calendar.ts';
import { ConfigError } from '../lib/errors.ts';
import { getBookedZone } from '../warehouse/statements/warehouse-state.ts';

/** Throws ConfigError where the file at `path` has booked days of another calendar than this config. */
export function assertOneCalendar(path: string, { timezone }: Pick<Config, 'timezone'>, to: Tx): void {
  const theirs = getBookedZone(to);
  if (theirs.timezone === null || theirs.bookedDays === 0 || isSameZone(theirs.timezone, timezone)) return;
  throw new ConfigError(`${path} has days of ${theirs.timezone}, this warehouse those of ${timezone}`, {
    hint: 'name another file: all accounts of a file have one calendar',
  });
}
