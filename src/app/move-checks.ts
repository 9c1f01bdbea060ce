/** What both files of a move must have in common. */
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { readUnits, type Units } from '../config/read-units.ts';
import { openReadOnly, type Tx } from '../database/connection.ts';
import { resolveLink } from '../database/paths.ts';
import { isSameZone } from '../lib/calendar.ts';
import { ConfigError } from '../lib/errors.ts';
import { getBookedZone, getFileUse } from '../warehouse/statements/warehouse-state.ts';

/** Throws ConfigError where the file at `path` has booked days of another calendar than this config. */
export function assertOneCalendar(path: string, { timezone }: Pick<Config, 'timezone'>, to: Tx): void {
  const theirs = getBookedZone(to);
  if (theirs.timezone === null || theirs.bookedDays === 0 || isSameZone(theirs.timezone, timezone)) return;
  throw new ConfigError(`${path} has days of ${theirs.timezone}, this warehouse those of ${timezone}`, {
    hint: 'name another file: all accounts of a file have one calendar',
  });
}

/** The config that used the file at `path` last, as it is now; null where it cannot be read here, or has another file by now. */
export function findUnits(path: string, to: Tx): (Units & { file: string }) | null {
  const { file } = getFileUse(to);
  const units = file === null ? null : readUnits(file);
  if (file === null || units === null || resolveLink(units.warehouse) !== resolveLink(path)) return null;
  return { ...units, file };
}

/**
 * Throws ConfigError where the config of the other file reads durations or days in another unit: a live file holds them as
 * they came, and they would mean something else there.
 */
export function assertSameUnits(path: string, config: Config, to: Tx): void {
  const theirs = findUnits(path, to);
  if (theirs === null) return;
  const hint = `set it to one value in both configs, where one of them is wrong; else name another file`;
  if (theirs.durationUnit !== config.durationUnit)
    throw new ConfigError(
      `duration_unit is ${config.durationUnit} in ${config.file}, and ${theirs.durationUnit} in ${theirs.file}, the config of ${path}`,
      { hint },
    );
  if (!isSameZoneText(theirs.timezone, config.timezone))
    throw new ConfigError(
      `timezone is ${config.timezone} in ${config.file}, and ${theirs.timezone} in ${theirs.file}, the config of ${path}`,
      { hint },
    );
}

/** Another config may name a time zone that is none. */
function isSameZoneText(one: string, other: string): boolean {
  try {
    return isSameZone(one, other);
  } catch {
    return false;
  }
}

/** What the person must see to, where the other config cannot be compared: there is none yet, or it cannot be read here. Else null. */
export function findUnitsNotice(path: string, config: Config): string | null {
  const needed = `must have ${formatUnits(config)}, as this one`;
  if (!existsSync(path)) return `the config of ${path} ${needed}`;
  const to = openReadOnly(path);
  try {
    return findUnits(path, to) === null ? `the config of ${path} cannot be compared: it ${needed}` : null;
  } finally {
    to.$client.close();
  }
}

/** As a config has them. */
export const formatUnits = ({ durationUnit, timezone }: Pick<Config, 'durationUnit' | 'timezone'>): string =>
  `\`duration_unit: ${durationUnit}\` and \`timezone: ${timezone}\``;
