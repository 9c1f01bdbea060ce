/** A worker thread that runs the SQL of a question on the published file. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../lib/errors.ts';
import { queryCsv, toText } from '../../publishing/query-csv.ts';
import { openPublishedFile, type QueryResult, type SqlCell } from '../../publishing/query-published.ts';
import type { ThreadResult } from '../../queries/thread-queue.ts';

/** A message to the thread: one request at a time. */
export interface AnswerRequest {
  sql: string;
  /** All rows as CSV; else the first ones as cells. */
  asCsv: boolean;
}

export interface Answer {
  columns: string[];
  /** Which columns have numbers only. */
  isNumeric: boolean[];
  /** At most 200; null is NULL. */
  rows: (string | null)[][];
  /** Rows beyond those. */
  more: number;
  /** There are more rows or texts than a CSV of this server has. */
  isTooLarge: boolean;
}

/** `csv` is null for an answer that is too large. */
export type AnswerResult = { answer: Answer } | { csv: string | null } | { problem: string };

const SHOWN_ROWS = 200;
const MOST_ROWS = 100_000;
const MOST_CHARACTERS = 2 ** 25;

function run({ sql, asCsv }: AnswerRequest): AnswerResult {
  const published = openPublishedFile(workerData as string); // each time: another file replaces it
  try {
    const result = published.query(sql);
    return asCsv ? { csv: writeCsv(result) } : { answer: readAnswer(result) };
  } finally {
    published.close();
  }
}

function writeCsv(result: QueryResult): string | null {
  const lines: string[] = [];
  let characters = 0;
  for (const line of queryCsv(result)) {
    lines.push(line);
    characters += line.length;
    if (lines.length > MOST_ROWS + 1 || characters > MOST_CHARACTERS) return null;
  }
  return lines.join('');
}

function readAnswer({ columns, rows }: QueryResult): Answer {
  const shown: SqlCell[][] = [];
  let [count, characters] = [0, 0];
  let isTooLarge = false;
  for (const row of rows) {
    count++;
    characters += row.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 10), 0);
    if ((isTooLarge = count > MOST_ROWS || characters > MOST_CHARACTERS)) break;
    if (count <= SHOWN_ROWS) shown.push(row);
  }
  return {
    columns,
    isNumeric: columns.map((_, index) => shown.every((row) => isNumberOrNull(row[index] ?? null))),
    rows: formatRows(shown),
    more: count - shown.length,
    isTooLarge,
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

/** An error of the SQL or of the file is an answer too: the page says it. */
function answer(request: AnswerRequest): ThreadResult<AnswerResult> {
  try {
    return { result: run(request) };
  } catch (error) {
    return { result: { problem: errorMessage(error) } };
  }
}

parentPort?.on('message', (request: AnswerRequest) => parentPort?.postMessage(answer(request)));
