/** A column of a row group in the file: its pages, and what the footer says of it. */
import { ByteWriter, type ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import type { ColumnValues, DictionaryContent } from './column-values.ts';

export type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number];
type Codec = ParquetWriter['codec'];

export interface ChunkWriter {
  /** The file. */
  bytes: ByteWriter;
  /** The page under way; its buffer is used again. */
  page: ByteWriter;
  codec: Codec;
  compress: (page: Uint8Array) => Uint8Array;
}

/** Pages of the first version of the format: every engine reads them. */
export function writeColumnChunk(
  writer: ChunkWriter,
  element: SchemaElement,
  values: ColumnValues,
): ColumnChunk {
  const { bytes, codec } = writer;
  const { type, name, repetition_type } = element;
  if (type === undefined) throw new TypeError(`the column ${name} has no type`);
  const start = bytes.offset;
  const { content, levels, nullCount, bounds } = values;
  let size = 0;
  if (content.kind === 'dictionary') size += writeDictionary(writer, content);
  const data_page_offset = BigInt(bytes.offset);
  size += writeDataPages(writer, values, repetition_type !== 'REQUIRED');
  const isDictionary = content.kind === 'dictionary';
  return {
    file_offset: BigInt(start),
    meta_data: {
      type,
      encodings: isDictionary ? ['PLAIN', 'RLE', 'RLE_DICTIONARY'] : ['PLAIN', 'RLE'],
      path_in_schema: [name],
      codec,
      num_values: BigInt(levels.length),
      total_uncompressed_size: BigInt(size),
      total_compressed_size: BigInt(bytes.offset - start),
      data_page_offset,
      ...(isDictionary ? { dictionary_page_offset: BigInt(start) } : {}),
      statistics: { ...bounds, null_count: BigInt(nullCount) },
    },
  };
}

/** Returns the size without compression. */
function writeDictionary(writer: ChunkWriter, { dictionary, size }: DictionaryContent): number {
  return writePage(writer, dictionary, {
    type: 'DICTIONARY_PAGE',
    dictionary_page_header: { num_values: size, encoding: 'PLAIN' },
  });
}

/** Returns the size without compression. */
function writeDataPages(writer: ChunkWriter, { content, levels }: ColumnValues, isOptional: boolean): number {
  const { page } = writer;
  const isDictionary = content.kind === 'dictionary';
  const pages = isDictionary ? [{ values: content.indexes.length, bytes: 0 }] : content.pages;
  let size = 0;
  let row = 0;
  let values = 0;
  let byte = 0;
  for (const end of pages) {
    const isLast = end === pages.at(-1);
    const endRow = isLast ? levels.length : findRow(levels, row, end.values - values);
    page.index = 0;
    page.offset = 0;
    if (isOptional) writeLevels(page, levels.subarray(row, endRow));
    if (isDictionary) writeIndexes(page, content);
    else page.appendBytes(content.bytes.subarray(byte, end.bytes));
    size += writePage(writer, page.getBytes(), {
      type: 'DATA_PAGE',
      data_page_header: {
        num_values: endRow - row,
        encoding: isDictionary ? 'RLE_DICTIONARY' : 'PLAIN',
        definition_level_encoding: 'RLE',
        repetition_level_encoding: 'RLE',
      },
    });
    row = endRow;
    values = end.values;
    byte = end.bytes;
  }
  return size;
}

/** The row after the next `count` values that are not NULL. */
function findRow(levels: Uint8Array, start: number, count: number): number {
  let row = start;
  for (let left = count; left > 0; row++) left -= levels[row] ?? 1;
  return row;
}

function writeLevels(page: ByteWriter, levels: Uint8Array): void {
  const at = page.index;
  page.appendUint32(0);
  const length = writeRleBitPackedHybrid(page, levels, 1);
  page.view.setUint32(at, length, true);
}

function writeIndexes(page: ByteWriter, { indexes, size }: DictionaryContent): void {
  const bitWidth = 32 - Math.clz32(size - 1);
  page.appendUint8(bitWidth);
  writeRleBitPackedHybrid(page, indexes, bitWidth);
}

type PageHeader = Parameters<typeof writePageHeader>[1];

/** Returns the size without compression. */
function writePage(
  { bytes, compress }: ChunkWriter,
  page: Uint8Array,
  header: Omit<PageHeader, 'compressed_page_size' | 'uncompressed_page_size'>,
): number {
  const compressed = compress(page);
  const start = bytes.offset;
  const sizes = { uncompressed_page_size: page.length, compressed_page_size: compressed.length };
  writePageHeader(bytes, { ...header, ...sizes });
  const headerSize = bytes.offset - start;
  bytes.appendBytes(compressed);
  return headerSize + page.length;
}
