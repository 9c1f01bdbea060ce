/** Which file is at a path: by device, inode and birth time. A rename keeps them. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { WarehouseError } from '../lib/errors.ts';
import { restoreMarkerPath, resolveLink } from './paths.ts';

/** Distinguishes files at the same path; null if there is none. */
export function getFileIdentity(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.dev} ${stat.ino} ${stat.birthtimeNs}` : null; // the inode of a deleted file is used again
}

/**
 * Throws WarehouseError if the open file of this identity is no longer at the path: it was deleted or replaced, or a backup
 * was restored. Anything written into it would be lost.
 */
export function assertSameFile(path: string, opened: string | null): void {
  const current = getFileIdentity(path);
  if (current === opened) return;
  if (isRenamedByRestore(resolveLink(path), opened)) {
    throw new WarehouseError(
      `${path} is another file than it was: a backup was restored while it was in use`,
      { hint: 'run it again; nothing was sent' },
    );
  }
  if (current === null && !existsSync(restoreMarkerPath(path))) {
    throw new WarehouseError(`${path} was deleted or moved away while it was in use`, {
      hint: `if it was moved, move it back: ${path}-wal, where that is left, belongs to it; else vodhouse restore BACKUP`,
    });
  }
  throw new WarehouseError(`${path} is another file than it was: it was replaced while it was in use`, {
    hint: 'move it away; then move the old file back, or take the new one by vodhouse restore FILE, which keeps both',
  });
}

/** Throws WarehouseError if the -wal of this identity is no longer next to the file: what is written into it would be lost. */
export function assertSameWal(path: string, opened: string | null): void {
  const wal = `${resolveLink(path)}-wal`;
  if (opened === null || getFileIdentity(wal) === opened) return;
  throw new WarehouseError(
    `${wal} was deleted or replaced while it was in use: changes since then may be lost`,
    { hint: 'leave it to vodhouse; run it again, it continues with what the file has' },
  );
}

/** A restore renames the file that it replaces: it is still there, under another name. */
function isRenamedByRestore(live: string, opened: string | null): boolean {
  if (!existsSync(dirname(live))) return false;
  const beginning = `${basename(live)}.before-restore-`;
  return readdirSync(dirname(live)).some(
    (name) => name.startsWith(beginning) && getFileIdentity(join(dirname(live), name)) === opened,
  );
}
