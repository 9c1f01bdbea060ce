import { resolve } from 'node:path';
import { assertFolder } from '../../app/lost-file.ts';
import { loadConfig } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { restore as restoreFile } from '../../backup/restore.ts';
import type { JsonOptions } from '../command-context.ts';
import { commandsFor } from '../../lib/shell-command.ts';
import { pluralize, formatBytes } from '../../lib/format.ts';
import { formatJson, displayPath } from '../output/output.ts';

export interface RestoreOptions extends JsonOptions {
  asNew?: true;
}

/** `vodhouse restore FILE`: puts a backup in place of the live file, which is kept. */
export async function restore(file: string, options: RestoreOptions): Promise<void> {
  const config = loadConfig(options.config);
  assertFolder(config);
  const { warehouse } = config;
  const asNew = options.asNew ?? false;
  const restored = restoreFile(warehouse, resolve(file), systemClock.now(), { asNew });
  const { videos, sizeBytes, lastRunAt, kept, pausedUntil, newWarehouseId } = restored;
  const document = { warehouse, file: resolve(file), ...restored };
  const lastRun = lastRunAt === null ? 'no run yet' : `last run ended ${lastRunAt} UTC`;
  const content = `${pluralize(videos, 'video')}, ${formatBytes(sizeBytes)}, ${lastRun}`;
  const typed = commandsFor(options.config);
  const lines = [
    `restored ${displayPath(warehouse)} from ${file}: ${content}`,
    ...(kept === null ? [] : [`the previous file is kept: ${displayPath(kept)}`]),
    'the requests since the backup are not known: ' +
      `the service is asked again from ${pausedUntil} UTC; sooner: ${typed('resume ACCOUNT')}`,
    ...(newWarehouseId === null
      ? []
      : [`it is another warehouse now, ${newWarehouseId}: no target has its rows`]),
    `to go on with it: ${typed('sync')}, or start the worker`,
    `to try it only: ${typed('status')}, then ${typed('publish')}; neither sends a request to the service`,
  ];
  process.stdout.write(options.json ? formatJson(document) : `${lines.join('\n')}\n`);
}
