/** The real path of a file, and the files next to it. */
import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The marker that an interrupted restore leaves next to the live file, until another one completes it. */
export function restoreMarkerPath(path: string): string {
  return `${resolveLink(path)}.restoring`;
}

/** The file that the path leads to by links, even if it does not exist. */
export function resolveLink(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const linked = readLinkTarget(path);
  if (linked !== null) return linked;
  return existsSync(dirname(path)) ? join(realpathSync(dirname(path)), basename(path)) : path;
}

function readLinkTarget(path: string): string | null {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return null; // no link
  }
}
