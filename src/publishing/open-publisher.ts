import type { Config } from '../config/config.ts';
import { version } from '../lib/version.ts';
import { createPublisher, type Publisher } from './publisher.ts';

/** The publisher of a config; null where nothing is published. Throws ConfigError where it cannot be done. */
export function openPublisher(
  { warehouse: live, publish, timezone, durationUnit, accounts }: Config,
  command: string,
): Publisher | null {
  if (!publish) return null;
  const storageAccounts = accounts.filter(({ storage }) => storage !== null).map(({ name }) => name);
  return createPublisher({
    live,
    ...publish,
    storageAccounts,
    timezone,
    durationUnit,
    version: version(),
    command,
  });
}
