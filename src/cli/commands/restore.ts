import { resolve } from 'node:path';
import { assertFolder } from '../../app/lost-file.ts';
import { loadConfig } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { restore as restoreFile, type Restored } from '../../backup/restore.ts';
import { copyDocument } from './backup.ts';
import { EXIT } from '../exit.ts';
import type { JsonOptions } from '../command-context.ts';
import { commandsFor } from '../../health/commands.ts';
import { pluralize, formatBytes } from '../../lib/format.ts';
import { formatJson, displayPath } from '../output/output.ts';

export interface RestoreOptions extends JsonOptions {
  asNew?: true;
}

/** `vodhouse restore FILE`: puts a backup in place of the live file and keeps the previous one. Returns the exit code. */
export async function restore(options: RestoreOptions, file: string): Promise<number> {
  const config = loadConfig(options.config);
  assertFolder(config);
  const { warehouse } = config;
  const restored = restoreFile(warehouse, resolve(file), systemClock.now(), {
    asNew: options.asNew === true,
  });
  const { videos, sizeBytes, lastRunAt, kept, carried, newWarehouseId } = restored;
  if (options.json) {
    const document = { warehouse, file: resolve(file), ...copyDocument(restored), kept, carried };
    process.stdout.write(formatJson({ ...document, new_warehouse_id: newWarehouseId }));
    return EXIT.done;
  }
  const lastRun = lastRunAt === null ? 'no run yet' : `last run ended ${lastRunAt} UTC`;
  const content = `${pluralize(videos, 'video')}, ${formatBytes(sizeBytes)}, ${lastRun}`;
  const typed = commandsFor(options.config);
  const lines = [
    `restored ${displayPath(warehouse)} from ${file}: ${content}`,
    ...(kept === null ? [] : [`the previous file is kept: ${displayPath(kept)}`, ledgerLine(carried)]),
    ...(newWarehouseId === null
      ? []
      : [`it is another warehouse now, ${newWarehouseId}: no target has its rows`]),
    `to go on with it: ${typed('sync')}, or start the worker`,
    `to try it only: ${typed('status')}, then ${typed('publish')}; neither sends a request to the service`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.done;
}

/** Whether requests since the backup still count against the limits. */
function ledgerLine(imported: Restored['carried']): string {
  if (imported === null || 'error' in imported) {
    const reason = imported === null ? '' : `: ${imported.error}`;
    return `its ledger cannot be read: requests since the backup do not count against the limits${reason}`;
  }
  const { requests, pauses } = imported;
  return `imported from its ledger: ${pluralize(requests, 'request')} of the last day and ${pluralize(pauses, 'pause')}`;
}
