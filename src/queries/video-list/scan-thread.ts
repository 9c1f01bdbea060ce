/** The thread that scans: a list of a million rows takes a second, and pages by id do not wait for it. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../lib/errors.ts';
import { openReadOnly } from '../../database/connection.ts';
import { readSnapshot } from '../../database/transaction.ts';
import { createScan } from './scan.ts';
import type { ListPage } from './list-page.ts';
import type { ListQuery } from './list-query.ts';
import type { PackageKey } from '../../lib/package-key.ts';

/** What the thread is asked, one at a time, and what it answers. */
export interface ScanOrder {
  key: PackageKey;
  wish: ListQuery;
}
export type ScanAnswer = { page: ListPage | null } | { error: string };

/**
 * Read in place and not copied, a scan takes half to three quarters of the time (measured). What SQLite cannot read so is a
 * signal and no error: then the process ends, and is started anew.
 */
const MAPPED_BYTES = 2 ** 31 - 65_536;

const db = openReadOnly(workerData as string);
db.$client.pragma(`mmap_size = ${MAPPED_BYTES}`);
const scan = createScan(db);

function answerTo({ key, wish }: ScanOrder): ScanAnswer {
  try {
    return { page: readSnapshot(db, () => scan(key, wish)) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

parentPort?.on('message', (order: ScanOrder) => parentPort?.postMessage(answerTo(order)));
