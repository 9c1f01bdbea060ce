/** Folders, and files that hold the keys that play a video: only their owner reads them. */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, errorMessage, WarehouseError } from '../lib/errors.ts';

/**
 * Makes a folder and those above it, for the `file` that an error names. Not by `recursive` of Node, which never ends where
 * the system has no such folder (`/proc/x`). Throws WarehouseError there; other errors of the file system as they are.
 */
export function makeFolder(path: string, { file, mode }: { file: string; mode?: number }): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path), { file, ...(mode !== undefined && { mode }) });
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return; // another process made it just now
    if (!/^(ENOENT|ENOTDIR|EEXIST)$/.test(code)) throw error;
    throw new WarehouseError(`${file}: the folder ${path} cannot be made (${errorMessage(error)})`, {
      hint: 'name a file in another folder',
      cause: error,
    });
  }
}

/** Creates the folder and its missing parents, for their owner alone; an existing folder keeps its permissions. Throws as `makeFolder`. */
export function createPrivateFolder(folder: string, file = folder): void {
  makeFolder(folder, { file, mode: 0o700 });
}

/** Creates an empty file for its owner alone. SQLite gives the same permissions to the files that it creates next to it. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}
