/** Whether a file, or its -wal, was replaced: by device, inode and birth time, which a rename keeps. */
import { statSync } from 'node:fs';
import { NEXT_LINE, WarehouseError } from '../lib/errors.ts';
import { resolveLink } from './files.ts';

/** Distinguishes files at the same path; null if there is none. */
function getIdentity(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.dev} ${stat.ino} ${stat.birthtimeNs}` : null; // the inode of a deleted file is used again
}

/**
 * For a live file that is open now. The returned function throws WarehouseError if another file, or none, is at its path, or at
 * that of its -wal: what is written into the open one would be lost.
 */
export function watchIdentity(path: string): () => void {
  const files = [path, `${resolveLink(path)}-wal`].map((file) => ({ file, opened: getIdentity(file) }));
  return () => {
    const lost = files.find(({ file, opened }) => getIdentity(file) !== opened);
    if (!lost) return;
    throw new WarehouseError(`${lost.file} was replaced, moved or deleted while it was in use`, {
      hint: [
        'after vodhouse restore: run it again',
        `else move ${path} back, with its -wal, or take another file by vodhouse restore FILE`,
      ].join(NEXT_LINE),
    });
  };
}
