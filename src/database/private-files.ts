/** Files that hold the keys that play a video: only their owner reads them. */
import { closeSync, mkdirSync, openSync } from 'node:fs';

/** Creates the folder and its missing parents, for their owner alone; an existing folder keeps its permissions. */
export function createPrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Creates an empty file for its owner alone. SQLite gives the same permissions to the files that it creates next to it. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}
