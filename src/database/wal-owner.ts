/**
 * Which file a -wal belongs to. SQLite does not ask: it takes any sound -wal next to a file for its newest changes, and
 * would mix the pages of two files. So each process that writes notes, next to the file, which two belong together.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { WarehouseError } from '../lib/errors.ts';
import { readHeader } from './fsync.ts';
import { getFileIdentity } from './file-identity.ts';
import { resolveLink } from './paths.ts';

/** A file and its -wal, each by its place on the disk. */
interface Pair {
  main: string | null;
  wal: string | null;
}

/** A -wal without a page in it: nothing but its header. */
const WAL_HEADER_BYTES = 32;

/** Throws WarehouseError where the -wal next to the file is of another one. Opens neither. */
export function assertOwnWal(path: string): void {
  if (!hasForeignWal(path)) return;
  const wal = `${resolveLink(path)}-wal`;
  throw new WarehouseError(
    `${wal} belongs to another file than ${path}: it holds the last changes of the one that stood there before`,
    { hint: recoverySteps(path, wal) },
  );
}

/**
 * Is the -wal next to the file of another one? It is where it was last used with a file that no longer stands there, and
 * where a file that is written without one has pages in it, as a backup is. A copy of both, made elsewhere, is no such case.
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
  return wal.size > WAL_HEADER_BYTES && isWrittenWithoutWal(target);
}

/** Notes that the file and the -wal next to it belong together; to be called while the file is open. */
export function recordPair(path: string): void {
  const target = resolveLink(path);
  const pair = getCurrentPair(target);
  const recorded = readPair(target);
  if (pair.wal === null || (recorded?.wal === pair.wal && recorded.main === pair.main)) return;
  try {
    writeFileSync(pairRecordPath(target), `${JSON.stringify(pair)}\n`);
  } catch {
    // a full disk: without the note a foreign -wal may not be noticed, and that is all
  }
}

/** Removes the note where there is no -wal any more. */
export function removePairRecord(path: string): void {
  const target = resolveLink(path);
  if (getFileIdentity(`${target}-wal`) !== null) return;
  try {
    rmSync(pairRecordPath(target), { force: true });
  } catch {
    // it belongs to another user: without a -wal it says nothing
  }
}

/** Where the note stands. */
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

/** Byte 18 of a SQLite file says how it is written: 1 without a -wal. It is 2 before the first page goes into one. */
function isWrittenWithoutWal(file: string): boolean {
  const header = readHeader(file);
  return header.toString('latin1', 0, 15) === 'SQLite format 3' && header[18] === 1;
}

/** One a line: see `restoreSteps` in damage.ts. */
function recoverySteps(path: string, wal: string): string {
  return [
    `to go on with the file that was there: move it back to ${path}; the two belong together`,
    `to go on with the one that is there now: stop vodhouse, mv ${wal} ${wal}.old, rm -f ${resolveLink(path)}-shm`,
    'vodhouse restore FILE puts a backup in place without any of this, and keeps what was there',
  ].join('\n     ');
}
