/** Files that hold the keys that play a video: only their owner reads them. */
import { closeSync, openSync } from 'node:fs';
import { makeFolder } from './make-folder.ts';

/** Creates the folder and its missing parents, for their owner alone; an existing folder keeps its permissions. Throws as `makeFolder`. */
export function createPrivateFolder(folder: string, file = folder): void {
  makeFolder(folder, { file, mode: 0o700 });
}

/** Creates an empty file for its owner alone. SQLite gives the same permissions to the files that it creates next to it. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}
