/** Checks before a command begins: of names, of the warehouse, of the published file. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { loadConfigWithoutFiles } from '../config/load.ts';
import { findNearest } from '../lib/did-you-mean.ts';
import { ConfigError } from '../lib/errors.ts';
import type { ConfigOptions } from './command-context.ts';

/** Throws ConfigError for an unknown name: `message` and the name, and as a hint the nearest known one. */
export function assertKnown(message: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const nearest = findNearest(name, known);
  const hint = nearest === undefined ? `known: ${known.join(', ') || 'none'}` : `did you mean ${nearest}?`;
  throw new ConfigError(`${message} ${name}; nothing was changed`, { hint });
}

/** Throws ConfigError for an account that the config does not have. */
export function assertAccount({ accounts }: Pick<Config, 'accounts'>, account: string): void {
  const names = accounts.map(({ name }) => name);
  assertKnown('the config has no account', account, names);
}

/** Throws ConfigError where the config has no live file yet. */
export function assertWarehouse({ warehouse }: Pick<Config, 'warehouse'>): void {
  if (!existsSync(warehouse)) throw new ConfigError(`there is no warehouse at ${warehouse}`);
}

/** The published file: that of `--file`, else that of the config. Throws ConfigError if there is neither. */
export function findPublishedFile({ file, config }: ConfigOptions & { file?: string }): string {
  if (file !== undefined) return resolve(file);
  const { publish } = loadConfigWithoutFiles(config).config;
  if (publish) return publish.file;
  throw new ConfigError(`${config} publishes nothing, so there is no published file to read`, {
    hint: ['add publish: {} to the config, then ', { command: 'publish' }],
  });
}
