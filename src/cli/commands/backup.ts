import { resolve } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import type { CopyResult } from '../../backup/backup.ts';
import { backUpInChild } from '../../backup/backup-process.ts';
import { EXIT } from '../exit.ts';
import { readConfig, type ConfigOptions } from '../command-context.ts';
import { abortOnSignal } from '../signals.ts';
import { shellQuote, commandsFor } from '../../health/commands.ts';
import { pluralize, formatDuration, formatBytes } from '../../lib/format.ts';
import { formatJson, displayPath } from '../output/output.ts';

export interface BackupOptions extends ConfigOptions {
  json?: true;
}

/** `vodhouse backup FILE`: a consistent copy of the live file, also during a run. Gives the exit code. */
export async function backup(options: BackupOptions, file: string): Promise<number> {
  const { warehouse } = readConfig(options);
  const begun = systemClock.now();
  const { signal } = abortOnSignal('stopping; no backup is made');
  const copied = await backUpInChild(warehouse, resolve(file), signal);
  const durationMs = systemClock.now() - begun;
  if (options.json) {
    process.stdout.write(
      formatJson({ warehouse, file: resolve(file), ...copiedJson(copied), duration_ms: durationMs }),
    );
    return EXIT.done;
  }
  const held = `${pluralize(copied.videos, 'video')}, ${formatBytes(copied.sizeBytes)}, ${formatDuration(durationMs)}`;
  const back = commandsFor(options.config)(`restore ${shellQuote(file)}`);
  process.stdout.write(`backed up ${displayPath(warehouse)} to ${file}: ${held}\n${back} puts it back\n`);
  return EXIT.done;
}

/** What a copy holds, with keys in snake_case. */
export function copiedJson({ videos, sizeBytes, lastRunAt }: CopyResult) {
  return { videos, size_bytes: sizeBytes, last_run_at: lastRunAt };
}
