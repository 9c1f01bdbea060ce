/** A missing live file whose published file is still there: an empty one in its place would hide the loss. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { DEFAULT_FILES, type Config } from '../config/config.ts';
import { readLiveHolder } from '../database/lock.ts';
import { restoreMarkerPath } from '../database/paths.ts';
import { shellQuote, type FormatCommand } from '../health/commands.ts';
import { ConfigError, NEXT_LINE } from '../lib/errors.ts';
import { publishedFact } from '../publishing/about-rows.ts';

/** Throws ConfigError where there is no live file, but a file that was published from one. An interrupted restore is no loss. */
export function assertNotLost(config: Config, formatCommand: FormatCommand): void {
  const { warehouse, publish } = config;
  if (publish === null || existsSync(warehouse) || existsSync(restoreMarkerPath(warehouse))) return;
  const since = publishedFact(publish.file, 'warehouse_since');
  if (since === null) return;
  const newest = findNewestBackup(config);
  const restore = formatCommand(`restore ${newest === null ? 'BACKUP' : shellQuote(newest)}`);
  throw new ConfigError(
    `${warehouse} is missing, but ${publish.file} was made from a warehouse begun ${since} UTC; nothing was sent`,
    {
      hint: [
        ...workerLines(warehouse),
        `put the file back; or ${restore}`,
        `or, to begin anew without its history, move ${publish.file} away`,
      ].join(NEXT_LINE),
    },
  );
}

/** A worker notices within a minute that its file is gone. */
function workerLines(warehouse: string): string[] {
  const worker = readLiveHolder(warehouse, 'worker');
  return worker === null || worker.pid === process.pid
    ? []
    : [`first stop the worker, pid ${worker.pid}: it had the file open`];
}

/** The newest file named as a backup of this warehouse, in the folder of backups; null if there is none. */
function findNewestBackup({ file, warehouse, backup }: Config): string | null {
  const folder = backup?.folder ?? resolve(dirname(file), DEFAULT_FILES.backups);
  const ending = extname(warehouse);
  const prefix = `${basename(warehouse, ending)}-`;
  try {
    const files = readdirSync(folder)
      .filter((name) => name.startsWith(prefix) && name.endsWith(ending))
      .map((name) => join(folder, name));
    const times = new Map(files.map((path) => [path, statSync(path).mtimeMs]));
    return files.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0))[0] ?? null;
  } catch {
    return null; // no folder, or one that cannot be read
  }
}
