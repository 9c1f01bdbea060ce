/** Files on the disk, read and synced without SQLite. */
import { closeSync, fsyncSync, openSync, readSync } from 'node:fs';
import { WarehouseError } from '../lib/errors.ts';

/** The header of a SQLite file; null if it is no SQLite file. Never of a file that this process has open: see file-identity.ts. */
export function readHeader(
  file: string,
): { isInWalMode: boolean; userVersion: number; applicationId: number } | null {
  const header = Buffer.alloc(100);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header);
  } finally {
    closeSync(descriptor);
  }
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3') return null;
  return {
    isInWalMode: header[18] === 2,
    userVersion: header.readUInt32BE(60),
    applicationId: header.readUInt32BE(68),
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
