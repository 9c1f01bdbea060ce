/** Which file stands at a path: by its place on the disk and when it was made there. A rename keeps both. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { WarehouseError } from '../lib/errors.ts';
import { restoreMarkerPath, resolveLink } from './paths.ts';

/** Tells a file from another one at the same path; null where there is none. */
export function getFileIdentity(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.dev} ${stat.ino} ${stat.birthtimeNs}` : null; // the number of a deleted file is given again
}

/**
 * Throws WarehouseError where the file of this identity, which is open, no longer stands at the path: it was deleted,
 * replaced, or a backup was restored. What is written into it would be lost.
 */
export function assertSameFile(path: string, opened: string | null): void {
  const current = getFileIdentity(path);
  if (current === opened) return;
  if (isRenamedByRestore(resolveLink(path), opened)) throw createRestoredError(path);
  throw current === null && !existsSync(restoreMarkerPath(path))
    ? createDeletedError(path)
    : createReplacedError(path);
}

/** A restore renames the file that it replaces: it is still there, under another name. */
function isRenamedByRestore(live: string, opened: string | null): boolean {
  if (!existsSync(dirname(live))) return false;
  const beginning = `${basename(live)}.before-restore-`;
  return readdirSync(dirname(live)).some(
    (name) => name.startsWith(beginning) && getFileIdentity(join(dirname(live), name)) === opened,
  );
}

function createRestoredError(path: string): WarehouseError {
  return new WarehouseError(
    `${path} is another file than it was: a backup was restored while it was in use`,
    {
      hint: 'run it again; nothing was sent',
    },
  );
}

function createDeletedError(path: string): WarehouseError {
  return new WarehouseError(`${path} was deleted or moved away while it was in use`, {
    hint: `if it was moved, move it back: ${path}-wal, where that is left, belongs to it; else vodhouse restore BACKUP`,
  });
}

function createReplacedError(path: string): WarehouseError {
  return new WarehouseError(`${path} is another file than it was: it was replaced while it was in use`, {
    hint: 'move it away; then move the old file back, or take the new one by vodhouse restore FILE, which keeps both',
  });
}
