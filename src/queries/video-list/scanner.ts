/** A queue in front of the thread that scans. */
import type { PackageKey } from '../../lib/package-key.ts';
import { createThreadQueue } from '../thread-queue.ts';
import type { ListPage, ListQuery } from './list-query.ts';
import type { ScanRequest } from './scan-thread.ts';

/** Scans the live file at `path` in a thread. */
export function createScanner(path: string) {
  const thread = 'queries/video-list/scan-thread.js';
  const queue = createThreadQueue<ScanRequest, ListPage | null>({ path, thread });
  return {
    /** Reads one page in a snapshot of its own; null if no full walk of the package has completed. Rejects as `ask` does. */
    scan: (key: PackageKey, query: ListQuery, signal: AbortSignal) => queue.ask({ key, query }, signal),
    close: queue.close,
  };
}
