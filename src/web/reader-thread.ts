/**
 * A worker thread for what reads many rows: a scan of a million takes a second, and no page must wait for it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openReadOnly } from '../database/connection.ts';
import { readSnapshot } from '../database/transaction.ts';
import { errorMessage } from '../lib/errors.ts';
import { openPublishedFile, toText, type SqlCell } from '../publishing/query-published.ts';
import { findChanges } from '../queries/changes/find-changes.ts';
import { PACKAGE_GROWTH, PACKAGE_TOTALS, type PackageTotals } from '../queries/named/packages.ts';
import { createScan } from '../queries/video-list/scan.ts';
import type { Answer, ThreadRequest, ThreadResult, WideRequests } from '../queries/wide-reads.ts';

/** A search waits at most for this long, and for one package. */
const TOTALS_MS = 50;

/**
 * Memory-mapped, a scan takes half to three quarters of the time (measured). An I/O error is then a signal:
 * it ends the process, which is started again.
 */
const MAPPED_BYTES = 2 ** 31 - 65_536;

const db = openReadOnly(workerData as string);
db.$client.pragma(`mmap_size = ${MAPPED_BYTES}`);
const scan = createScan(db);

function readTotals(packages: WideRequests['totals']['ask']): PackageTotals[] {
  const until = performance.now() + TOTALS_MS;
  const totals: PackageTotals[] = [];
  for (const { account, package_id, since } of packages) {
    totals.push(PACKAGE_TOTALS.one(db, { account, package_id, since }));
    if (performance.now() > until) break;
  }
  return totals;
}

const SHOWN_ROWS = 200;

function answerQuestion({ file, sql }: WideRequests['question']['ask']): Answer {
  // opened for each question, because another file may have replaced it
  const published = openPublishedFile(file);
  try {
    const { columns, rows } = published.query(sql);
    const shown: SqlCell[][] = [];
    for (const row of rows) if (shown.push(row) > SHOWN_ROWS) break;
    const hasMore = shown.length > SHOWN_ROWS;
    shown.length = Math.min(shown.length, SHOWN_ROWS);
    const isNumeric = columns.map((_, at) => shown.every((row) => isNumberOrNull(row[at] ?? null)));
    return { columns, isNumeric, rows: formatRows(columns, shown), hasMore };
  } finally {
    published.close();
  }
}

const isNumberOrNull = (cell: SqlCell) =>
  cell === null || typeof cell === 'number' || typeof cell === 'bigint';

/** Formats the reals of a column with the same number of decimals, three at most. */
function formatRows(columns: readonly string[], rows: readonly SqlCell[][]): Answer['rows'] {
  const count = (cell: SqlCell = null) =>
    typeof cell === 'number' ? Math.min(3, (String(cell).split('.')[1] ?? '').length) : 0;
  const decimals = columns.map((_, at) => Math.max(0, ...rows.map((row) => count(row[at]))));
  const format = (cell: SqlCell, at: number) =>
    typeof cell === 'number' ? cell.toFixed(decimals[at]) : cell === null ? null : toText(cell);
  return rows.map((row) => row.map(format));
}

function read(request: ThreadRequest): WideRequests[keyof WideRequests]['answer'] {
  switch (request.name) {
    case 'totals':
      return readTotals(request.ask);
    case 'growth':
      return PACKAGE_GROWTH.all(db, request.ask);
    case 'changes':
      return readSnapshot(db, () => findChanges(db, request.ask));
    case 'scan':
      return readSnapshot(db, () => scan(request.ask.key, request.ask.query));
    case 'question':
      return answerQuestion(request.ask);
  }
}

function answer(request: ThreadRequest): ThreadResult {
  try {
    return { answer: read(request) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

parentPort?.on('message', (request: ThreadRequest) => parentPort?.postMessage(answer(request)));
