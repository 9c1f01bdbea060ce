/** One Parquet file, written row group by row group. */
import { gzipSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Column } from '../mart.ts';
import { writeColumnChunk, type ChunkWriter } from './column-chunk.ts';
import { ROW_GROUP_ROWS, type Row } from './column-values.ts';
import { createColumnBuffer, toElement } from './parquet-types.ts';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';

/** A row group ends earlier when its values reach this: so memory does not grow with the length of texts. */
const ROW_GROUP_BYTES = 32e6;

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

const COMPRESSIONS = {
  snappy: { codec: 'SNAPPY', compress: snappyCompress },
  gzip: { codec: 'GZIP', compress: (page: Uint8Array) => gzipSync(page) },
} as const;

/** A file in memory, which gives its bytes piece by piece. Rows have the values of `toExpression`. */
export function createParquetFile({ columns, required, facts, compression }: ParquetOptions) {
  const elements = columns.map((column) => toElement(column, required.includes(column.name)));
  const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...elements];
  const kvMetadata = Object.entries(facts).map(([key, value]) => ({ key, value }));
  const bytes = new ByteWriter();
  const footer = new ParquetWriter({ writer: bytes, schema, kvMetadata, createdBy: 'vodhouse' });
  const writer: ChunkWriter = { bytes, page: new ByteWriter(), ...COMPRESSIONS[compression] };
  const group = columns.map((column, index) => ({
    element: elements[index] ?? { name: column.name },
    buffer: createColumnBuffer(column),
  }));
  let rows = 0;
  return {
    /** How many rows the row group takes. */
    getRoom: (): number => {
      const size = group.reduce((sum, { buffer }) => sum + buffer.getBytes(), 0);
      return size < ROW_GROUP_BYTES ? ROW_GROUP_ROWS - rows : 0;
    },
    /** Adds rows to the row group, not more than it takes. Throws TypeError for a value that is none of its type. */
    addRows: (added: readonly Row[]): void => {
      for (const [index, { buffer }] of group.entries()) buffer.add(added, index);
      rows += added.length;
    },
    /** Ends the row group. Returns the bytes that follow those of the last call. */
    writeGroup: (): Uint8Array => {
      const start = bytes.offset;
      const chunks = group.map(({ element, buffer }) => writeColumnChunk(writer, element, buffer.take()));
      const sizes = chunks.map(({ meta_data }) => meta_data?.total_uncompressed_size ?? 0n);
      footer.row_groups.push({
        columns: chunks,
        total_byte_size: sizes.reduce((sum, size) => sum + size, 0n),
        num_rows: BigInt(rows),
        total_compressed_size: BigInt(bytes.offset - start),
      });
      footer.num_rows += BigInt(rows);
      rows = 0;
      return takeBytes(bytes);
    },
    /** Returns the last bytes: the footer. */
    finish: (): Uint8Array => {
      void footer.finish();
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
