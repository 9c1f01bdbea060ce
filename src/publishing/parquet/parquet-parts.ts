/** The rows of a query as Parquet files of a bounded size, one after the other. */
import { createHash, type Hash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Column } from '../mart.ts';
import { createParquetFile, ROW_GROUP_ROWS, type Compression, type ParquetFile } from './parquet-file.ts';
import { toExpression } from './parquet-types.ts';

/** A finished Parquet file, in memory. */
export interface ParquetPart {
  body: Uint8Array[];
  /** Length of the body. */
  bytes: number;
  /** Of the body, in hexadecimal digits. */
  sha256: string;
  rows: number;
  /** The least and the greatest `change_seq` of its rows; null where the query has no such column. */
  minChangeSeq: number | null;
  maxChangeSeq: number | null;
}

export interface ParquetColumn extends Column {
  /** SQL for its value over the alias `t`, in the form that SQLite has it; by default the column of that name. */
  expression?: string;
}

export interface ParquetQuery {
  columns: readonly ParquetColumn[];
  /** What follows the values of a SELECT, over the alias `t`: from, where, order by. */
  from: string;
  parameters: Readonly<Record<string, unknown>>;
}

export interface PartOptions {
  /** Columns that are never NULL. */
  required: readonly string[];
  /** Key-value metadata in the footer of each file. */
  facts: Readonly<Record<string, string>>;
  compression: Compression;
  /** Of a part. */
  maxRows: number;
  /** A part ends with the row group that takes it past this many bytes. */
  maxBytes: number;
}

/**
 * The parts of a query; none if it has no rows. The statement is open while parts are taken: the connection can read
 * other tables meanwhile, and write none. Throws what SQLite throws.
 */
export function* writeParts(
  db: Database.Database,
  query: ParquetQuery,
  options: PartOptions,
): Generator<ParquetPart> {
  for (const part of writePartsInSteps(db, query, options)) if (part) yield part;
}

/** The same in steps of one row group, about 0.1 s: null after each that does not end a part. So the caller can see to signals. */
export function* writePartsInSteps(
  db: Database.Database,
  query: ParquetQuery,
  options: PartOptions,
): Generator<ParquetPart | null> {
  const { columns, from, parameters } = query;
  const seqIndex = columns.findIndex(({ name }) => name === 'change_seq');
  const values = columns.map(toExpression).join(', ');
  const statement = db.prepare(`select ${values} ${from}`).raw().safeIntegers();
  const rows = statement.iterate(parameters) as IterableIterator<unknown[]>;
  let part: OpenPart | null = null;
  try {
    for (;;) {
      const group = takeRows(rows, Math.min(ROW_GROUP_ROWS, options.maxRows - (part?.rows ?? 0)));
      if (group.length === 0) break;
      part ??= openPart(columns, options);
      addGroup(part, group, seqIndex);
      const isFull = part.rows >= options.maxRows || part.bytes >= options.maxBytes;
      yield isFull ? finishPart(part) : null;
      if (isFull) part = null;
    }
    if (part) yield finishPart(part);
  } finally {
    rows.return?.();
  }
}

function takeRows(rows: Iterator<unknown[]>, count: number): unknown[][] {
  const group: unknown[][] = [];
  while (group.length < count) {
    const next = rows.next();
    if (next.done === true) break;
    group.push(next.value);
  }
  return group;
}

interface OpenPart extends Omit<ParquetPart, 'sha256'> {
  file: ParquetFile;
  hash: Hash;
}

function openPart(columns: readonly Column[], options: PartOptions): OpenPart {
  const file = createParquetFile({ columns, ...options });
  const empty = { rows: 0, bytes: 0, minChangeSeq: null, maxChangeSeq: null };
  return { file, hash: createHash('sha256'), body: [], ...empty };
}

function addGroup(part: OpenPart, group: readonly unknown[][], seqIndex: number): void {
  append(part, part.file.writeGroup(group));
  part.rows += group.length;
  if (seqIndex === -1) return;
  for (const row of group) {
    if (row[seqIndex] === null) continue;
    const seq = Number(row[seqIndex]);
    part.minChangeSeq = Math.min(seq, part.minChangeSeq ?? seq);
    part.maxChangeSeq = Math.max(seq, part.maxChangeSeq ?? seq);
  }
}

function finishPart(part: OpenPart): ParquetPart {
  append(part, part.file.finish());
  const { body, bytes, rows, hash, minChangeSeq, maxChangeSeq } = part;
  return { body, bytes, sha256: hash.digest('hex'), rows, minChangeSeq, maxChangeSeq };
}

function append(part: OpenPart, bytes: Uint8Array): void {
  part.body.push(bytes);
  part.bytes += bytes.length;
  part.hash.update(bytes);
}
