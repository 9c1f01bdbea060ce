/** The rows of a query as Parquet files of a bounded size, one after the other. */
import { createHash } from 'node:crypto';
import type { Database } from '../../database/sqlite.ts';
import { createParquetFile, type Compression } from './parquet-file.ts';
import { openRows, type FilledGroup, type ParquetQuery, type RowReader } from './parquet-query.ts';

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

export type { ParquetColumn, ParquetQuery } from './parquet-query.ts';

export interface PartOptions {
  /** Columns that are never NULL. */
  required: readonly string[];
  /** Key-value metadata in the footer of each file. */
  facts: Readonly<Record<string, string>>;
  compression: Compression;
  /** Of a part. */
  maxRows: number;
  /** A part ends with the row group that takes it past this many bytes. Three times as many are in memory at the peak. */
  maxBytes: number;
}

/**
 * The parts of a query; none if it has no rows. The statement is open while parts are taken: the connection can read
 * other tables meanwhile, and write none. Throws what SQLite throws.
 */
export function* writeParts(db: Database, query: ParquetQuery, options: PartOptions): Generator<ParquetPart> {
  for (const part of writePartsInSteps(db, query, options)) if (part) yield part;
}

/** The same in steps of one row group, about 0.1 s: null after each that does not end a part. So the caller can see to signals. */
export function* writePartsInSteps(
  db: Database,
  query: ParquetQuery,
  options: PartOptions,
): Generator<ParquetPart | null> {
  const rows = openRows(db, query);
  try {
    while (!rows.isAtEnd()) yield* writePart(rows, query, options);
  } finally {
    rows.close();
  }
}

function* writePart(
  rows: RowReader,
  { columns }: ParquetQuery,
  options: PartOptions,
): Generator<ParquetPart | null> {
  const { maxRows, maxBytes } = options;
  const file = createParquetFile({ columns, ...options });
  const hash = createHash('sha256');
  const part: Omit<ParquetPart, 'sha256'> = {
    body: [],
    bytes: 0,
    rows: 0,
    minChangeSeq: null,
    maxChangeSeq: null,
  };
  const append = (bytes: Uint8Array): void => {
    part.body.push(bytes);
    part.bytes += bytes.length;
    hash.update(bytes);
  };
  for (;;) {
    const group = rows.fillGroup(file, maxRows - part.rows);
    append(file.writeGroup());
    addFacts(part, group);
    if (rows.isAtEnd() || part.rows >= maxRows || part.bytes >= maxBytes) break;
    yield null;
  }
  append(file.finish());
  yield { ...part, sha256: hash.digest('hex') };
}

function addFacts(
  part: Omit<ParquetPart, 'sha256'>,
  { rows, minChangeSeq, maxChangeSeq }: FilledGroup,
): void {
  part.rows += rows;
  if (minChangeSeq > maxChangeSeq) return;
  part.minChangeSeq = Math.min(minChangeSeq, part.minChangeSeq ?? minChangeSeq);
  part.maxChangeSeq = Math.max(maxChangeSeq, part.maxChangeSeq ?? maxChangeSeq);
}
