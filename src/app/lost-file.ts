/** Finds out that the live file is lost, because an empty one in its place would begin a second history. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { DEFAULT_FILES, type Config } from '../config/config.ts';
import { readLiveHolder } from '../database/lock.ts';
import {
  assertFolderExists,
  FOR_ALL,
  FOR_OWNER,
  makeFolder,
  resolveLink,
  restoreMarkerPath,
} from '../database/files.ts';
import { shellQuote, type FormatCommand } from '../lib/shell-command.ts';
import { ConfigError, NEXT_LINE } from '../lib/errors.ts';
import { publishedFact } from '../publishing/about-rows.ts';

/**
 * Throws ConfigError where the folder of the live file is missing, and where the file is, while a backup or a
 * published file of it is there. An interrupted restore is no loss.
 */
export function assertNotLost(config: Config, formatCommand: FormatCommand): void {
  const { warehouse, publish } = config;
  assertFolder(config);
  if (existsSync(warehouse) || existsSync(restoreMarkerPath(warehouse))) return;
  const backup = findNewestBackup(config);
  const isPublished = publish !== null && publishedFact(publish.file, 'warehouse_since') !== null;
  const left = [...(backup === null ? [] : [backup]), ...(isPublished ? [publish.file] : [])];
  if (left.length === 0) return;
  const restore = formatCommand(`restore ${backup === null ? 'BACKUP' : shellQuote(backup)}`);
  throw new ConfigError(`${warehouse} is missing, but there was one: ${left.join(', ')}; nothing was sent`, {
    hint: [
      ...workerLines(warehouse),
      `mount its disk, or put the file back; or ${restore}`,
      'or, to begin without its history, move its backups and its published file away',
    ].join(NEXT_LINE),
  });
}

/** Throws ConfigError where the folder of the live file is missing: its disk may not be mounted. */
export function assertFolder({ file, warehouse }: Config): void {
  const folder = dirname(resolveLink(warehouse));
  if (folder !== resolve(dirname(file), dirname(DEFAULT_FILES.warehouse)))
    assertFolderExists(folder, 'warehouse');
}

/** Makes the folders of the published file and of the backups, as far as `makeOwnFolder` does. */
export function makeOwnFolders(config: Config): void {
  const { publish, backup } = config;
  if (publish) makeOwnFolder(config, dirname(publish.file), FOR_ALL);
  if (backup) makeOwnFolder(config, backup.folder, FOR_OWNER);
}

/**
 * Makes the folder if it is `published/` next to the config, or in the folder of the live file. Any other one
 * must be there: its disk may not be mounted.
 */
export function makeOwnFolder({ file, warehouse }: Config, folder: string, mode: number): void {
  const isNextToConfig = folder === resolve(dirname(file), dirname(DEFAULT_FILES.publish));
  if (isNextToConfig || dirname(folder) === dirname(warehouse)) makeFolder(folder, mode);
}

/** The line of a hint for a worker that still has the lost file open; none if there is no such worker. */
function workerLines(warehouse: string): string[] {
  const worker = readLiveHolder(warehouse, 'worker');
  return worker === null || worker.pid === process.pid
    ? []
    : [`first stop the worker, pid ${worker.pid}: it had the file open`];
}

/** The newest backup of this warehouse in the folder of backups; null if there is none. */
function findNewestBackup({ file, warehouse, backup }: Config): string | null {
  const folder = backup?.folder ?? resolve(dirname(file), DEFAULT_FILES.backups);
  const ending = extname(warehouse);
  const prefix = `${basename(warehouse, ending)}-`;
  try {
    const isBackup = (name: string) => name.startsWith(prefix) && name.endsWith(`Z${ending}`);
    const newest = readdirSync(folder).filter(isBackup).sort().at(-1);
    return newest === undefined ? null : join(folder, newest);
  } catch {
    return null; // no folder, or one that cannot be read
  }
}
