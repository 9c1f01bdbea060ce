/** A worker thread for what reads many videos: the totals of packages, the search over all packages, and the list of changes. */
import { parentPort, workerData } from 'node:worker_threads';
import { openReadOnly } from '../../database/connection.ts';
import { readSnapshot } from '../../database/transaction.ts';
import { errorMessage } from '../../lib/errors.ts';
import { findChanges, type ChangesRequest, type FoundChanges } from '../changes/find-changes.ts';
import { PACKAGE_TOTALS, type PackageTotals } from '../named/packages.ts';
import type { ThreadResult } from '../thread-queue.ts';
import { searchVideos, type Search, type SearchResult } from './search.ts';

/** A message to the thread: one request at a time. */
export type WideRequest =
  { totalsOf: readonly { account: string; package_id: number }[] } | { changes: ChangesRequest } | Search;

/** Of a request for totals: those of the first packages; as many as were read in time, at least one. */
export type WideResult = PackageTotals[] | FoundChanges | SearchResult;

/** A search waits at most for this long, and for one package. */
const TOTALS_MS = 50;

const db = openReadOnly(workerData as string);
// As in the thread of lists: scans take half the time.
db.$client.pragma(`mmap_size = ${2 ** 31 - 65_536}`);

function readTotals(packages: readonly { account: string; package_id: number }[]): PackageTotals[] {
  const until = performance.now() + TOTALS_MS;
  const totals: PackageTotals[] = [];
  for (const { account, package_id } of packages) {
    totals.push(PACKAGE_TOTALS.one(db, { account, package_id }));
    if (performance.now() > until) break;
  }
  return totals;
}

function run(request: WideRequest): ThreadResult<WideResult> {
  try {
    if ('totalsOf' in request) return { result: readTotals(request.totalsOf) };
    if ('changes' in request) return { result: readSnapshot(db, () => findChanges(db, request.changes)) };
    return { result: readSnapshot(db, () => searchVideos(db, request)) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

parentPort?.on('message', (request: WideRequest) => parentPort?.postMessage(run(request)));
