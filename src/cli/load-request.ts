/** What the options of `publish` ask of the targets of a config. */
import type { Config } from '../config/config.ts';
import { commandsFor, shellQuote } from '../health/commands.ts';
import { findNearest } from '../lib/did-you-mean.ts';
import { ConfigError } from '../lib/errors.ts';
import { createLogger, type Logger } from '../lib/logger.ts';
import { openLoaders, type TargetLoader } from '../publishing/targets/loader.ts';
import type { LoadRequest } from '../publishing/targets/target-request.ts';
import type { JsonOptions, LogOptions } from './command-context.ts';

export interface PublishOptions extends JsonOptions {
  target?: string;
  verify?: true;
  /** An account. */
  rebuild?: string;
  takeOver?: string;
  yes?: true;
  printSql?: true;
}

/** Does the command ask for targets, and not for the file? */
export const isAboutTargets = ({ target, verify, rebuild, takeOver, printSql }: PublishOptions): boolean =>
  [target, verify, rebuild, takeOver, printSql].some((option) => option !== undefined);

/** The account to load by force; null: none. Throws ConfigError for two, and for one that this warehouse does not have. */
export function getForce(
  { rebuild, takeOver }: PublishOptions,
  known: readonly string[],
): LoadRequest['force'] {
  const account = rebuild ?? takeOver;
  if (account === undefined) return null;
  if (rebuild !== undefined && takeOver !== undefined)
    throw new ConfigError('--rebuild and --take-over are two commands; nothing was changed');
  if (!known.includes(account))
    throw new ConfigError(`this warehouse has no rows of account ${account}; nothing was changed`, {
      hint: `${nearestHint(account, known, 'accounts')}; vodhouse sync fetches an account of the config`,
    });
  return { account, kind: rebuild === undefined ? 'take-over' : 'rebuild' };
}

/** The targets that are asked for. Throws ConfigError for a name or a combination that cannot be. */
export function selectLoaders(config: Config, options: PublishOptions): TargetLoader[] {
  const { target: name, rebuild, takeOver } = options;
  const loaders = openLoaders(config);
  const names = loaders.map(({ target }) => target.name);
  if (isAboutTargets(options) && names.length === 0)
    throw new ConfigError('the config has no publish.targets: there is nothing to load', {
      hint: 'a target is a name and a place: `publish: { targets: [{ name: warehouse, postgres: "${VODHOUSE_PG_URL}" }, { name: lake, folder: /srv/lake }] }`',
    });
  if (name !== undefined && !names.includes(name))
    throw new ConfigError(`the config has no target ${name}`, { hint: nearestHint(name, names, 'targets') });
  const selected = name === undefined ? loaders : loaders.filter(({ target }) => target.name === name);
  const account = rebuild ?? takeOver;
  if (account !== undefined && selected.length > 1) {
    const option = `--${rebuild === undefined ? 'take-over' : 'rebuild'}`;
    const words = `publish --target ${shellQuote(names[0] ?? '')} ${option} ${shellQuote(account)}`;
    throw new ConfigError(`${option} is for one target, and the config has ${names.join(', ')}`, {
      hint: commandsFor(options.config)(words),
    });
  }
  return selected;
}

function nearestHint(name: string, names: readonly string[], what: string): string {
  const nearest = findNearest(name, names);
  return nearest === undefined ? `known ${what}: ${names.join(', ')}` : `did you mean ${nearest}?`;
}

/** A text log would repeat what the command prints. */
export function createLoadLogger(
  { logLevel, logFormat: format }: LogOptions,
  secrets: readonly string[],
): Logger {
  return createLogger({ level: format === 'json' ? logLevel : 'silent', format, secrets });
}
