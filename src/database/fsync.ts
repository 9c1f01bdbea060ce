/** Files as the disk has them: past SQLite, before or after it. */
import { closeSync, fsyncSync, openSync, readSync } from 'node:fs';
import { WarehouseError } from '../lib/errors.ts';

const HEADER_BYTES = 100;

/** The header of a SQLite file, or as many bytes of any other; zeros behind the end of a shorter one. */
export function readHeader(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  return header;
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
