/** Replaces a published file, so that a reader finds the old file or the complete new one. */
import { closeSync, fsync, openSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, parse } from 'node:path';
import { errorCode, ConfigError } from '../lib/errors.ts';
import { escapeRegExp, removeMatching } from '../database/draft-files.ts';
import { fsyncPath, readHeader } from '../database/fsync.ts';

/** `vodp` in ASCII: the application id of a SQLite file that vodhouse published. */
export const PUBLISHED_ID = 0x766f6470;

/** Throws ConfigError if another kind of file has the name of the published file: it would be lost. */
export function assertOurFile(file: string): void {
  const id = readApplicationId(file);
  if (id === null || id === PUBLISHED_ID) return;
  throw new ConfigError(
    `publish.file: ${file} exists, and vodhouse did not publish it; nothing was changed`,
    { hint: 'name another file, or move this one away' },
  );
}

/** The application id in the header of a SQLite file; 0 for any other file, null for none or an empty one. */
function readApplicationId(file: string): number | null {
  try {
    const stats = statSync(file);
    if (stats.isFile() && stats.size === 0) return null;
    return readHeader(file)?.applicationId ?? 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (errorCode(error) === 'EISDIR') return 0;
    throw error;
  }
}

/** Removes what killed publications left. Only the holder of the publish lock may call it. */
export function sweepLeftOvers(file: string): void {
  const { name, ext } = parse(file);
  const leftOver = new RegExp(`^${escapeRegExp(name)}${escapeRegExp(ext)}\\.new-\\d+(?:-[a-z]+)*$`);
  removeMatching(dirname(file), leftOver, () => true);
}

/** Starts an fsync of all that is written so far; it continues while SQLite blocks this process. Rejects as `fsync` fails. */
export function startFsync(draft: string): Promise<void> {
  const handle = openSync(draft, 'r');
  const done = new Promise<void>((resolve, reject) => {
    fsync(handle, (error) => {
      closeSync(handle);
      if (error) reject(error);
      else resolve();
    });
  });
  done.catch(() => undefined); // the caller awaits it later, or fails before
  return done;
}

/** Renames the draft, which is on the disk, over the file. */
export async function replaceFile(draft: string, file: string): Promise<void> {
  const old = await open(file, 'r').catch(() => null);
  renameSync(draft, file);
  fsyncPath(dirname(file));
  void old?.close(); // not awaited: the blocks of a large file take time to free
}
