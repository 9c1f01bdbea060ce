/** A worker thread for what reads many videos: a scan of a million rows takes a second, and no page must wait for it. */
import { parentPort, workerData } from 'node:worker_threads';
import { openReadOnly } from '../../database/connection.ts';
import { readSnapshot } from '../../database/transaction.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import { findChanges, type ChangesRequest, type FoundChanges } from '../changes/find-changes.ts';
import { PACKAGE_GROWTH, PACKAGE_TOTALS, type Growth, type PackageTotals } from '../named/packages.ts';
import type { ThreadResult } from '../thread-queue.ts';
import type { ListPage, ListQuery } from '../video-list/list-query.ts';
import { createScan } from '../video-list/scan.ts';

interface PackageColumns {
  account: string;
  package_id: number;
}

/** A message to the thread: one request at a time. */
export type WideRequest =
  | { totalsOf: readonly (PackageColumns & { since: string })[] }
  | { growthOf: PackageColumns }
  | { changes: ChangesRequest }
  | { scan: { key: PackageKey; query: ListQuery } };

/** Of a request for totals: those of the first packages; as many as were read in time, at least one. */
export type WideResult = PackageTotals[] | Growth[] | FoundChanges | ListPage | null;

/** A search waits at most for this long, and for one package. */
const TOTALS_MS = 50;

/**
 * Memory-mapped, a scan takes half to three quarters of the time (measured). An I/O error is then a signal: it ends the
 * process, which is started again.
 */
const MAPPED_BYTES = 2 ** 31 - 65_536;

const db = openReadOnly(workerData as string);
db.$client.pragma(`mmap_size = ${MAPPED_BYTES}`);
const scan = createScan(db);

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
    if ('scan' in request)
      return { result: readSnapshot(db, () => scan(request.scan.key, request.scan.query)) };
    if ('growthOf' in request) return { result: PACKAGE_GROWTH.all(db, request.growthOf) };
    return { result: readSnapshot(db, () => findChanges(db, request.changes)) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

parentPort?.on('message', (request: WideRequest) => parentPort?.postMessage(run(request)));
