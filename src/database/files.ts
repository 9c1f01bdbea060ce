/** Files and folders without SQLite: real paths, permissions, headers, space on the disk. */
import {
  closeSync,
  mkdirSync,
  openSync,
  statSync,
  fsyncSync,
  readSync,
  existsSync,
  readlinkSync,
  realpathSync,
  statfsSync,
} from 'node:fs';
import { dirname, basename, join, resolve } from 'node:path';
import { ConfigError, errorCode, errorMessage, WarehouseError } from '../lib/errors.ts';
import { shellQuote } from '../lib/shell-command.ts';

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

/** Permissions of a folder that all users may read, and of one for its owner alone. */
export const FOR_ALL = 0o755;
export const FOR_OWNER = 0o700;

/**
 * Makes a folder and those above it that are missing; errors name `file`. The option `recursive` of Node is
 * not used, because it never returns where the system can have no such folder (`/proc/x`): this throws
 * WarehouseError there, and other errors of the file system as they are.
 */
export function makeFolder(path: string, mode: number, file = path): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode, file);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return; // another process made it just now
    if (!/^(ENOENT|ENOTDIR|EEXIST)$/.test(code)) throw error;
    const message = `${file}: the folder ${path} cannot be made (${errorMessage(error)})`;
    throw new WarehouseError(message, { hint: 'name a file in another folder', cause: error });
  }
}

/**
 * Throws ConfigError where the folder does not exist: its disk may not be mounted. `purpose`: what it is for,
 * which an error names.
 */
export function assertFolderExists(folder: string, purpose: string): void {
  if (existsSync(folder)) return;
  throw new ConfigError(`${purpose}: the folder ${folder} does not exist; nothing was written`, {
    hint: `mount its disk; or, if it is new: mkdir -p ${shellQuote(folder)}`,
  });
}

/**
 * Creates an empty file for its owner alone. SQLite gives the same permissions to the files that it creates
 * next to it.
 */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3';
/** The positions of values in the header, in bytes. */
const OFFSETS = { writeVersion: 18, userVersion: 60, applicationId: 68 };
/** The write version of a file in WAL mode. */
const WAL = 2;

/**
 * The header of a SQLite file (sqlite.org/fileformat.html); null if it is no SQLite file. Must not be called
 * for a file that this process has open, because closing it here drops the locks that SQLite has on it.
 */
export function readHeader(
  file: string,
): { isInWalMode: boolean; userVersion: number; applicationId: number } | null {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header);
  } finally {
    closeSync(descriptor);
  }
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return null;
  return {
    isInWalMode: header[OFFSETS.writeVersion] === WAL,
    userVersion: header.readUInt32BE(OFFSETS.userVersion),
    applicationId: header.readUInt32BE(OFFSETS.applicationId),
  };
}

/** Waits until the file, or the names in the folder, are on the disk. Throws WarehouseError. */
export function fsyncPath(path: string): void {
  try {
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new WarehouseError(`${path} could not be written to the disk`, { cause: error });
  }
}

/** The sizes of the live file, of its -wal file and of their disk, in bytes. */
export interface DiskSpace {
  file: number;
  wal: number;
  /** What is free on the disk, without what is reserved for root. */
  free: number;
  disk: number;
}

/** Measures the live file at `path`; 0 for a missing file. */
export function measureDiskSpace(path: string): DiskSpace {
  const target = resolveLink(path); // the -wal is next to the target of a link
  const { bavail, blocks, bsize } = statfsSync(dirname(target));
  return {
    file: getFileSize(target),
    wal: getFileSize(`${target}-wal`),
    free: bavail * bsize,
    disk: blocks * bsize,
  };
}

function getFileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
