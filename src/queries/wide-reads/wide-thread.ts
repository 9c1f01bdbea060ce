/** A worker thread for what reads many videos: totals and growth of packages, and lists of videos and changes. */
import { parentPort, workerData } from 'node:worker_threads';
import { openReadOnly } from '../../database/connection.ts';
import { readSnapshot } from '../../database/transaction.ts';
import { errorMessage } from '../../lib/errors.ts';
import { findChanges, type ChangesRequest, type FoundChanges } from '../changes/find-changes.ts';
import { PACKAGE_GROWTH, PACKAGE_TOTALS, type Growth, type PackageTotals } from '../named/packages.ts';
import type { ThreadResult } from '../thread-queue.ts';

interface PackageColumns {
  account: string;
  package_id: number;
}

/** A message to the thread: one request at a time. */
export type WideRequest =
  | { totalsOf: readonly (PackageColumns & { since: string })[] }
  | { growthOf: PackageColumns }
  | { changes: ChangesRequest };

/** Of a request for totals: those of the first packages; as many as were read in time, at least one. */
export type WideResult = PackageTotals[] | Growth[] | FoundChanges;

/** A search waits at most for this long, and for one package. */
const TOTALS_MS = 50;

const db = openReadOnly(workerData as string);
// As in the thread of lists: scans take half the time.
db.$client.pragma(`mmap_size = ${2 ** 31 - 65_536}`);

function readTotals(packages: readonly (PackageColumns & { since: string })[]): PackageTotals[] {
  const until = performance.now() + TOTALS_MS;
  const totals: PackageTotals[] = [];
  for (const { account, package_id, since } of packages) {
    totals.push(PACKAGE_TOTALS.one(db, { account, package_id, since }));
    if (performance.now() > until) break;
  }
  return totals;
}

function run(request: WideRequest): ThreadResult<WideResult> {
  try {
    if ('totalsOf' in request) return { result: readTotals(request.totalsOf) };
    if ('growthOf' in request) return { result: PACKAGE_GROWTH.all(db, request.growthOf) };
    return { result: readSnapshot(db, () => findChanges(db, request.changes)) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

parentPort?.on('message', (request: WideRequest) => parentPort?.postMessage(run(request)));
