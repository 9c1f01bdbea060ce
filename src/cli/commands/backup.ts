import { resolve } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import type { Copied } from '../../backup/backup.ts';
import { backUpApart } from '../../backup/backup-process.ts';
import { EXIT } from '../exit.ts';
import { readConfig, type ConfigOptions } from '../command-context.ts';
import { createStop } from '../signals.ts';
import { quoted, typedWith } from '../../health/commands.ts';
import { counted, duration, size } from '../../lib/format.ts';
import { asJson, shown } from '../output/output.ts';

export interface BackupOptions extends ConfigOptions {
  json?: true;
}

/** `vodhouse backup FILE`: a consistent copy of the live file, also during a run. Gives the exit code. */
export async function backup(options: BackupOptions, file: string): Promise<number> {
  const { warehouse } = readConfig(options);
  const begun = systemClock.now();
  const { signal } = createStop('stopping; no backup is made');
  const copied = await backUpApart(warehouse, resolve(file), signal);
  const durationMs = systemClock.now() - begun;
  if (options.json) {
    process.stdout.write(
      asJson({ warehouse, file: resolve(file), ...copiedJson(copied), duration_ms: durationMs }),
    );
    return EXIT.done;
  }
  const held = `${counted(copied.videos, 'video')}, ${size(copied.sizeBytes)}, ${duration(durationMs)}`;
  const back = typedWith(options.config)(`restore ${quoted(file)}`);
  process.stdout.write(`backed up ${shown(warehouse)} to ${file}: ${held}\n${back} puts it back\n`);
  return EXIT.done;
}

/** What a copy holds, with keys in snake_case. */
export function copiedJson({ videos, sizeBytes, lastRunAt }: Copied) {
  return { videos, size_bytes: sizeBytes, last_run_at: lastRunAt };
}
