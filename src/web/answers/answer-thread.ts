/** A worker thread that runs the SQL of a question on the published file. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../lib/errors.ts';
import {
  openPublishedFile,
  toText,
  type QueryResult,
  type SqlCell,
} from '../../publishing/query-published.ts';
import type { ThreadResult } from '../../queries/thread-queue.ts';

/** A message to the thread: one request at a time. */
export interface AnswerRequest {
  sql: string;
}

export interface Answer {
  columns: string[];
  /** Which columns have numbers only. */
  isNumeric: boolean[];
  /** At most 200; null is NULL. */
  rows: (string | null)[][];
  /** There are more. */
  hasMore: boolean;
}

/** `problem`: an error of the SQL or of the file. */
export type AnswerResult = { answer: Answer } | { problem: string };

const SHOWN_ROWS = 200;

function run({ sql }: AnswerRequest): AnswerResult {
  const published = openPublishedFile(workerData as string); // each time: another file replaces it
  try {
    return { answer: readAnswer(published.query(sql)) };
  } finally {
    published.close();
  }
}

function readAnswer({ columns, rows }: QueryResult): Answer {
  const shown: SqlCell[][] = [];
  let hasMore = false;
  for (const row of rows) {
    if ((hasMore = shown.length === SHOWN_ROWS)) break;
    shown.push(row);
  }
  return {
    columns,
    isNumeric: columns.map((_, index) => shown.every((row) => isNumberOrNull(row[index] ?? null))),
    rows: formatRows(shown),
    hasMore,
  };
}

/** The reals of a column with the same number of decimals. */
function formatRows(rows: readonly SqlCell[][]): Answer['rows'] {
  const decimals: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      decimals[index] = Math.max(decimals[index] ?? 0, countDecimals(cell));
    }
  }
  return rows.map((row) =>
    row.map((cell, index) => {
      if (cell === null) return null;
      const isPadded = typeof cell === 'number' && countDecimals(cell) < (decimals[index] ?? 0);
      return isPadded ? cell.toFixed(decimals[index]) : toText(cell);
    }),
  );
}

/** Of a real in plain notation; 0 for anything else. */
function countDecimals(cell: SqlCell): number {
  return typeof cell === 'number' ? (/^-?\d+\.(\d+)$/.exec(String(cell))?.[1]?.length ?? 0) : 0;
}

const isNumberOrNull = (cell: SqlCell) =>
  cell === null || typeof cell === 'number' || typeof cell === 'bigint';

function answer(request: AnswerRequest): ThreadResult<AnswerResult> {
  try {
    return { result: run(request) };
  } catch (error) {
    return { result: { problem: errorMessage(error) } };
  }
}

parentPort?.on('message', (request: AnswerRequest) => parentPort?.postMessage(answer(request)));
