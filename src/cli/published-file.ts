/** The published file that a command reads. */
import { resolve } from 'node:path';
import { loadConfigWithoutFiles } from '../config/load.ts';
import { ConfigError } from '../lib/errors.ts';
import type { ConfigOptions } from './command-context.ts';

/** The file of `--file`, then no config is read; else that of the config. Throws ConfigError if the config publishes nothing. */
export function findPublishedFile(
  { file, config }: ConfigOptions & { file?: string },
  command: string,
): string {
  if (file !== undefined) return resolve(file);
  const { publish } = loadConfigWithoutFiles(config).config;
  if (publish) return publish.file;
  throw new ConfigError(`${config} publishes nothing, and ${command} reads the published file`, {
    hint: 'add publish: {} to the config, then vodhouse publish',
  });
}
