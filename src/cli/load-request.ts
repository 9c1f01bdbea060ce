/** What the options of `publish` ask of the targets of a config. */
import type { Config } from '../config/config.ts';
import { commandsFor, shellQuote } from '../health/commands.ts';
import { findNearest } from '../lib/did-you-mean.ts';
import { ConfigError } from '../lib/errors.ts';
import { openLoaders, type TargetLoader } from '../publishing/targets/loader.ts';
import { createLogger, type Logger } from '../lib/logger.ts';
import type { JsonOptions, LogOptions } from './command-context.ts';

export interface PublishOptions extends JsonOptions {
  target?: string;
  verify?: true;
  /** True: the account is asked for. */
  rebuild?: string | true;
  yes?: true;
  printSql?: true;
}

/** Does the command ask for targets, and not for the file? */
export const isAboutTargets = ({ target, verify, rebuild, printSql }: PublishOptions): boolean =>
  [target, verify, rebuild, printSql].some((option) => option !== undefined);

/** The targets that are asked for. Throws ConfigError for a name or a combination that cannot be. */
export function selectLoaders(config: Config, options: PublishOptions): TargetLoader[] {
  const { target: name, rebuild } = options;
  const loaders = openLoaders(config);
  const names = loaders.map(({ target }) => target.name);
  if (isAboutTargets(options) && names.length === 0)
    throw new ConfigError('the config has no publish.targets: there is nothing to load', {
      hint: 'a target is a name and a place: `publish: { targets: [{ name: warehouse, postgres: "${VODHOUSE_PG_URL}" }, { name: lake, folder: /srv/lake }] }`',
    });
  if (name !== undefined && !names.includes(name))
    throw new ConfigError(`the config has no target ${name}`, { hint: nearestHint(name, names, 'targets') });
  const asked = name === undefined ? loaders : loaders.filter(({ target }) => target.name === name);
  if (rebuild !== undefined && asked.length > 1) {
    const account = rebuild === true ? '' : ` ${shellQuote(rebuild)}`;
    const command = commandsFor(options.config)(
      `publish --target ${shellQuote(names[0] ?? '')} --rebuild${account}`,
    );
    throw new ConfigError(`--rebuild is for one target, and the config has ${names.join(', ')}`, {
      hint: command,
    });
  }
  return asked;
}

/** Throws ConfigError for an account that is not among the known ones. */
export function assertKnownAccount(account: string, known: readonly string[]): void {
  if (known.includes(account)) return;
  throw new ConfigError(`there is no account ${account}; nothing was changed`, {
    hint: nearestHint(account, known, 'accounts'),
  });
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
