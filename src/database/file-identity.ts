/** Whether a file, or its -wal, was replaced: by device, inode and birth time, which a rename keeps. */
import { statSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { NEXT_LINE, WarehouseError } from '../lib/errors.ts';
import { readHeader, resolveLink } from './files.ts';

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

/** The size of a -wal without a page. */
const WAL_HEADER_BYTES = 32;

/** Files whose header this process has read, and may have opened since. */
const known = new Set<string | null>();

/**
 * Throws WarehouseError if the -wal next to the file cannot belong to it: the file is written without one, like a backup. SQLite
 * would mix the two. A file is looked at before this process first opens it: closing it would drop the locks of SQLite.
 */
export function assertOwnWal(path: string): void {
  const target = resolveLink(path);
  const wal = `${target}-wal`;
  const size = statSync(wal, { throwIfNoEntry: false })?.size ?? 0;
  const identity = getIdentity(target);
  if (!isMainThread || known.has(identity)) return;
  known.add(identity);
  if (size <= WAL_HEADER_BYTES || readHeader(target)?.isInWalMode !== false) return;
  known.delete(identity); // it is not opened
  throw new WarehouseError(`${wal} belongs to another file than ${path}: the one that was there before`, {
    hint: [
      `to use the previous file: move it back to ${path}`,
      `to use the present one: stop vodhouse, mv ${wal} ${wal}.old, rm -f ${target}-shm`,
    ].join(NEXT_LINE),
  });
}
