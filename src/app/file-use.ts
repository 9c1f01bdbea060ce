/** Whether this config, or the demo, may use a live file. */
import { join, parse } from 'node:path';
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

/** The config that the demo writes: `data/demo.yaml` for `data/demo.db`. */
export function getDemoConfig(warehouse: string): string {
  const { dir, name } = parse(warehouse);
  return join(dir, `${name}.yaml`);
}

/** The data of the demo never mix with real ones: only its own config opens them. Throws ConfigError. */
export function assertNotOfDemo({ file, warehouse }: Config, isDemo: boolean): void {
  const own = getDemoConfig(warehouse);
  if (!isDemo || file === own) return;
  throw new ConfigError(`${warehouse} is the file of vodhouse demo: its videos are simulated`, {
    hint: `set \`warehouse\` to another file; the demo's own config is ${own}`,
  });
}
