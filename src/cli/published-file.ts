/** The published file that a command reads. */
import { resolve } from 'node:path';
import { loadConfigWithoutFiles } from '../config/load.ts';
import { ConfigError } from '../lib/errors.ts';
import type { ConfigOptions } from './command-context.ts';

/** The published file, and the live file where a config names it. */
export interface PublishedFile {
  file: string;
  /** Null where `--file` names the published file: then no config is read. */
  warehouse: string | null;
}

/** The file of `--file`, else that of the config. Throws ConfigError if the config publishes nothing. */
export function findPublishedFile(
  { file, config }: ConfigOptions & { file?: string },
  command: string,
): PublishedFile {
  if (file !== undefined) return { file: resolve(file), warehouse: null };
  const { warehouse, publish } = loadConfigWithoutFiles(config).config;
  if (publish) return { file: publish.file, warehouse };
  throw new ConfigError(`${config} publishes nothing, and ${command} reads the published file`, {
    hint: 'add publish: {} to the config, then vodhouse publish',
  });
}
