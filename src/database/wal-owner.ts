/**
 * Which file a -wal belongs to. SQLite applies any valid -wal next to a file, and would mix the pages of two files. So each
 * process that writes records, next to the file, which two belong together.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { NEXT_LINE, WarehouseError } from '../lib/errors.ts';
import { readHeader } from './fsync.ts';
import { getFileIdentity } from './file-identity.ts';
import { isOpenHere } from './open-files.ts';
import { resolveLink } from './paths.ts';

/** A file and its -wal, by their identities. */
interface Pair {
  main: string | null;
  wal: string | null;
}

/** The size of a -wal without a page. */
const WAL_HEADER_BYTES = 32;

/** Throws WarehouseError if the -wal next to the file belongs to another one. Opens neither. */
export function assertOwnWal(path: string): void {
  if (!hasForeignWal(path)) return;
  const wal = `${resolveLink(path)}-wal`;
  throw new WarehouseError(
    `${wal} belongs to another file than ${path}: it holds the last changes of the one that was there before`,
    {
      hint: [
        `to use the previous file: move it back to ${path}; the two belong together`,
        `to use the present one: stop vodhouse, mv ${wal} ${wal}.old, rm -f ${resolveLink(path)}-shm`,
        'vodhouse restore FILE puts a backup in place without any of this, and keeps what was there',
      ].join(NEXT_LINE),
    },
  );
}

/**
 * Whether the -wal next to the file belongs to another one: it was last used with a file that is no longer there, or it has
 * pages although the file is written without a -wal, like a backup. A copy of both, made elsewhere, is not foreign.
 */
export function hasForeignWal(path: string): boolean {
  const target = resolveLink(path);
  const wal = statSync(`${target}-wal`, { throwIfNoEntry: false });
  if (!wal) {
    removePairRecord(path);
    return false;
  }
  const recorded = readPair(target);
  const current = getCurrentPair(target);
  if (recorded !== null && recorded.wal === current.wal && recorded.main !== current.main) return true;
  if (!isMainThread || isOpenHere(current.main)) return false; // it was checked before, and readHeader must not open it
  return wal.size > WAL_HEADER_BYTES && readHeader(target)?.isInWalMode === false; // true before its first page is written
}

/** Records that the file and the -wal next to it belong together. Called while the file is open. */
export function recordPair(path: string): void {
  const target = resolveLink(path);
  const pair = getCurrentPair(target);
  const recorded = readPair(target);
  if (pair.wal === null || (recorded?.wal === pair.wal && recorded.main === pair.main)) return;
  try {
    writeFileSync(pairRecordPath(target), `${JSON.stringify(pair)}\n`);
  } catch {
    // a full disk: without the record, a foreign -wal may not be noticed
  }
}

/** Removes the record if there is no -wal. */
export function removePairRecord(path: string): void {
  const target = resolveLink(path);
  if (getFileIdentity(`${target}-wal`) !== null) return;
  try {
    rmSync(pairRecordPath(target), { force: true });
  } catch {
    // it belongs to another user: without a -wal it has no meaning
  }
}

export function pairRecordPath(target: string): string {
  return `${target}.wal-owner`;
}

function getCurrentPair(target: string): Pair {
  return { main: getFileIdentity(target), wal: getFileIdentity(`${target}-wal`) };
}

function readPair(target: string): Pair | null {
  try {
    return JSON.parse(readFileSync(pairRecordPath(target), 'utf8')) as Pair;
  } catch {
    return null;
  }
}
