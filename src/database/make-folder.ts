import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, errorMessage, WarehouseError } from '../lib/errors.ts';

interface FolderOptions {
  file: string;
  mode?: number | undefined;
  /** Gets each folder that was made, the topmost first. */
  onMade?: ((path: string) => void) | undefined;
}

/**
 * Makes a folder and those above it, for the `file` that an error names. Not by `recursive` of Node, which never ends where
 * the system has no such folder (`/proc/x`). Throws WarehouseError there; other errors of the file system as they are.
 */
export function makeFolder(path: string, options: FolderOptions): void {
  const { file, mode, onMade } = options;
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path), options);
  try {
    mkdirSync(path, mode);
    onMade?.(path);
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
