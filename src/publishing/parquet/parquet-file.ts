/** One Parquet file, written row group by row group. */
import { gzipSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Column } from '../mart.ts';
import { toElement, toParquetValue } from './parquet-types.ts';

/** Larger ones take more memory: 50,000 rows took 572 MB. */
export const ROW_GROUP_ROWS = 10_000;

export type Compression = 'snappy' | 'gzip';

export interface ParquetOptions {
  columns: readonly Column[];
  /** Columns that are never NULL. */
  required: readonly string[];
  /** Key-value metadata in the footer of the file. */
  facts: Readonly<Record<string, string>>;
  compression: Compression;
}

export type ParquetFile = ReturnType<typeof createParquetFile>;

/** A file in memory, which gives its bytes piece by piece. Rows have the values of `toExpression`, integers as bigints. */
export function createParquetFile({ columns, required, facts, compression }: ParquetOptions) {
  const bytes = new ByteWriter();
  const elements = columns.map((column) => toElement(column, required.includes(column.name)));
  const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...elements];
  const writer = new ParquetWriter({
    writer: bytes,
    schema,
    codec: compression === 'gzip' ? 'GZIP' : 'SNAPPY',
    compressors: { GZIP: gzipSync },
    kvMetadata: Object.entries(facts).map(([key, value]) => ({ key, value })),
    createdBy: 'vodhouse',
  });
  return {
    /** Adds a row group. Returns the bytes that follow those of the last call. */
    writeGroup: (rows: readonly (readonly unknown[])[]): Uint8Array => {
      const columnData = columns.map((column, index) => ({
        name: column.name,
        data: rows.map((row) => toParquetValue(column, row[index])),
      }));
      void writer.write({ columnData, rowGroupSize: rows.length }); // without flush() in the ByteWriter, it is synchronous
      return takeBytes(bytes);
    },
    /** Returns the last bytes: the footer. */
    finish: (): Uint8Array => {
      void writer.finish();
      return takeBytes(bytes);
    },
  };
}

/** What was written so far; the buffer is used again. */
function takeBytes(bytes: ByteWriter): Uint8Array {
  const taken = bytes.getBytes().slice();
  bytes.index = 0;
  return taken;
}
