import { resolve } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { restore as restoreFile, type Restored } from '../../backup/restore.ts';
import { copiedJson } from './backup.ts';
import { EXIT } from '../exit.ts';
import { readConfig, type ConfigOptions } from '../command-context.ts';
import { commandsFor } from '../../health/commands.ts';
import { pluralize, formatBytes } from '../../lib/format.ts';
import { formatJson, displayPath } from '../output/output.ts';

export interface RestoreOptions extends ConfigOptions {
  json?: true;
}

/** `vodhouse restore FILE`: puts a backup in the place of the live file, and keeps that beside it. Gives the exit code. */
export async function restore(options: RestoreOptions, file: string): Promise<number> {
  const { warehouse } = readConfig(options);
  const restored = restoreFile(warehouse, resolve(file), systemClock.now());
  if (options.json) {
    const { kept, carried } = restored;
    process.stdout.write(
      formatJson({ warehouse, file: resolve(file), ...copiedJson(restored), kept, carried }),
    );
    return EXIT.done;
  }
  const from = `restored ${displayPath(warehouse)} from ${file}: ${heldWords(restored)}`;
  const next = `next: ${commandsFor(options.config)('sync')}`;
  process.stdout.write(`${[from, ...keptLines(restored), next].join('\n')}\n`);
  return EXIT.done;
}

function heldWords({ videos, sizeBytes, lastRunAt }: Restored): string {
  const state = lastRunAt === null ? 'no run yet' : `its last run ended ${lastRunAt} UTC`;
  return `${pluralize(videos, 'video')}, ${formatBytes(sizeBytes)}, ${state}`;
}

function keptLines({ kept, carried }: Restored): string[] {
  if (kept === null) return [];
  return [`what was there is kept: ${displayPath(kept)}`, carriedLine(carried)];
}

/** Whether what was sent since the backup still counts. */
function carriedLine(carried: Restored['carried']): string {
  if (carried === null || 'error' in carried) {
    const why = carried === null ? '' : `: ${carried.error}`;
    return `the ledger of it cannot be read, the request budget counts from the backup on${why}`;
  }
  const { requests, pauses } = carried;
  return `of its ledger ${pluralize(requests, 'request')} of the last day and ${pluralize(pauses, 'pause')} were taken over`;
}
