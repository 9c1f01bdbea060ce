import { dirname, resolve } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { makeOwnFolder } from '../../app/lost-file.ts';
import { FOR_OWNER } from '../../database/files.ts';
import { systemClock } from '../../lib/clock.ts';
import { backUpInChild } from '../../backup/backup.ts';
import type { JsonOptions } from '../command-context.ts';
import { abortOnSignal } from '../signals.ts';
import { shellQuote, commandsFor } from '../../lib/shell-command.ts';
import { pluralize, formatDuration, formatBytes } from '../../lib/format.ts';
import { formatJson, displayPath } from '../output/output.ts';

/** `vodhouse backup FILE`: copies the warehouse and checks the copy. */
export async function backup(file: string, options: JsonOptions): Promise<void> {
  const config = loadConfig(options.config);
  const { warehouse } = config;
  makeOwnFolder(config, dirname(resolve(file)), FOR_OWNER);
  const startedAt = systemClock.now();
  const { signal } = abortOnSignal('stopping; no backup is made');
  const copy = await backUpInChild(warehouse, resolve(file), signal);
  const durationMs = systemClock.now() - startedAt;
  const document = { warehouse, file: resolve(file), ...copy, durationMs };
  const size = `${formatBytes(copy.sizeBytes)}, ${formatDuration(durationMs)}`;
  const content = `${pluralize(copy.videos, 'video')}, ${size}`;
  const restore = commandsFor(options.config)(`restore ${shellQuote(file)}`);
  const text = `backed up ${displayPath(warehouse)} to ${file}: ${content}\nto restore it: ${restore}\n`;
  process.stdout.write(options.json ? formatJson(document) : text);
}
