/** A worker thread that scans: a scan of a million rows takes a second, and pages by id must not wait for it. */
import { parentPort, workerData } from 'node:worker_threads';
import { openReadOnly } from '../../database/connection.ts';
import { readSnapshot } from '../../database/transaction.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import type { ThreadResult } from '../thread-queue.ts';
import type { ListPage, ListQuery } from './list-query.ts';
import { createScan } from './scan.ts';

/** A message to the thread: one request at a time. */
export interface ScanRequest {
  key: PackageKey;
  query: ListQuery;
}

/**
 * Memory-mapped, a scan takes half to three quarters of the time (measured). An I/O error is then a signal: it ends the
 * process, which is started again.
 */
const MAPPED_BYTES = 2 ** 31 - 65_536;

const db = openReadOnly(workerData as string);
db.$client.pragma(`mmap_size = ${MAPPED_BYTES}`);
const scan = createScan(db);

function run({ key, query }: ScanRequest): ThreadResult<ListPage | null> {
  try {
    return { result: readSnapshot(db, () => scan(key, query)) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

parentPort?.on('message', (request: ScanRequest) => parentPort?.postMessage(run(request)));
