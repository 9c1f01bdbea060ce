/** The disk space of a live file. Reads the file system only, and opens nothing. */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { resolveLink } from './paths.ts';

/** All in bytes. */
export interface DiskSpace {
  file: number;
  /** Bytes of the -wal file; 0 if there is none. */
  wal: number;
  /** Free on the disk of the file, without what is reserved for root. */
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
