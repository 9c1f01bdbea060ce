/** Whether this config, or the demo, may use a live file. */
import type { Config } from '../config/config.ts';
import { isSameZone } from '../lib/calendar.ts';
import { ConfigError } from '../lib/errors.ts';
import { pluralize } from '../lib/format.ts';
import type { BookedZone, FileUse } from '../warehouse/statements/warehouse-state.ts';

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

/** The data of the demo never mix with real ones. Throws ConfigError. */
export function assertDemoOrReal(path: string, use: FileUse, isDemo: boolean): void {
  if (use.isDemo === 1 && !isDemo)
    throw new ConfigError(`${path} is the file of vodhouse demo: its videos are simulated`, {
      hint: 'set `warehouse` to another file',
    });
  if (use.isDemo === 0 && isDemo && use.packages > 0)
    throw new ConfigError(
      `${path} is not a file of vodhouse demo: it has ${pluralize(use.packages, 'package')}`,
      {
        hint: 'name another file: vodhouse demo --file data/new-demo.db. A demo file of version 0.1.0 can be deleted',
      },
    );
}

/** A warning if another config used the file last; null if this one did. */
export function otherConfigText(
  { file, accounts }: Pick<Config, 'file' | 'accounts'>,
  { file: lastFile, accounts: lastAccounts }: FileUse,
): string | null {
  if (lastFile === null || lastFile === file) return null;
  return `the last run on this warehouse used another config, ${lastFile} (accounts ${lastAccounts ?? ''}); this one is ${file} (accounts ${joinAccounts(accounts)})`;
}

export const joinAccounts = (accounts: Config['accounts']): string =>
  accounts.map(({ name }) => name).join(', ');
