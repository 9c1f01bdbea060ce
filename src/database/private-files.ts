/** Files that hold the keys that play a video: only their owner reads them. */
import { closeSync, constants, fchownSync, fstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Creates the folder and its missing parents, for their owner alone; an existing folder keeps its permissions. Throws as `makeFolder`. */
export function createPrivateFolder(folder: string, file = folder): void {
  makeFolder(folder, { file, mode: 0o700, onMade: (made) => giveToOwnerOf(dirname(made), made) });
}

/**
 * Creates an empty file for its owner alone. SQLite gives the same permissions, and owner, to the files that it creates next
 * to it. Made by root, it belongs to the owner of `like`, by default that of its folder.
 */
export function createPrivateFile(path: string, like = dirname(path)): void {
  const handle = openSync(path, 'wx', 0o600);
  try {
    giveHandle(handle, like);
  } finally {
    closeSync(handle);
  }
}

/**
 * Gives what root just made to the owner of `like`: a worker of that user could not write it, and root can. Does nothing for
 * other users. To be called before SQLite opens the file: closing the handle would drop its locks.
 */
export function giveToOwnerOf(like: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW); // the owner of the folder may have put a link there
  try {
    giveHandle(handle, like);
  } finally {
    closeSync(handle);
  }
}

function giveHandle(handle: number, like: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(like);
  const made = fstatSync(handle);
  if (made.uid !== 0 || (made.isFile() && made.nlink !== 1) || (uid === 0 && gid === made.gid)) return;
  try {
    fchownSync(handle, uid, gid);
  } catch {
    // root without this right, as in a container: the file is as usable as before
  }
}
