/** The published file that a command reads. */
import { resolve } from 'node:path';
import { loadConfigWithoutFiles } from '../config/load.ts';
import { ConfigError } from '../lib/errors.ts';
import type { ConfigOptions } from './command-context.ts';

/** The file of `--file`, else that of the config. Throws ConfigError if the config publishes nothing. */
export function findPublishedFile(
  { file, config }: ConfigOptions & { file?: string },
  command: string,
): string {
  if (file !== undefined) return resolve(file);
  const { publish } = loadConfigWithoutFiles(config).config;
  if (publish) return publish.file;
  throw new ConfigError(`${config} publishes nothing, and ${command} reads the published file`, {
    hint: 'add publish: { file: data/vodhouse.bi.db } to the config, then vodhouse publish',
  });
}

/** The files of `--file`, or else those that the config names. Throws ConfigError if the config cannot be read. */
export function listNamedFiles({ file, config }: ConfigOptions & { file?: string }): string[] {
  if (file !== undefined) return [resolve(file)];
  const { warehouse, publish } = loadConfigWithoutFiles(config).config;
  return publish ? [warehouse, publish.file] : [warehouse];
}
