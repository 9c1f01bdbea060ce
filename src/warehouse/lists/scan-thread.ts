/** The thread that scans: a list of a million rows takes a second, and pages by id do not wait for it. */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../lib/errors.ts';
import { openFileToRead } from '../file.ts';
import type { PackageKey } from '../statements/video.ts';
import { packageOf } from '../statements/listed.ts';
import { look } from '../transact.ts';
import { createScan, type Scanned } from './scan.ts';
import type { Wish } from './wish.ts';

/** What the thread is asked, and what it answers, by number. */
export interface ScanOrder {
  number: number;
  key: PackageKey;
  wish: Wish;
}
export type ScanAnswer = { number: number } & ({ found: Scanned } | { error: string });

/** Read in place and not copied, a scan takes half to three quarters of the time (measured). */
const MAPPED_BYTES = 2 ** 31 - 65_536;

const db = openFileToRead(workerData as string);
db.$client.pragma(`mmap_size = ${MAPPED_BYTES}`);
const scan = createScan(db);

function answerTo({ number, key, wish }: ScanOrder): ScanAnswer {
  try {
    return { number, found: look(db, () => scan(key, packageOf(db, key)?.changedSeq ?? 0, wish)) };
  } catch (error) {
    return { number, error: messageOf(error) };
  }
}

parentPort?.on('message', (order: ScanOrder) => parentPort?.postMessage(answerTo(order)));
