/** Rows as a Parquet file, a row group at a time. */
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Column } from '../mart.ts';
import { toElement, toParquetValue } from './parquet-types.ts';

/** Larger ones take more memory: 50,000 rows took 572 MB. */
const ROW_GROUP_ROWS = 10_000;

export interface ParquetOptions {
  columns: readonly Column[];
  /** Columns that are never NULL. */
  required: readonly string[];
  /** Facts for the footer of the file. */
  facts: Readonly<Record<string, string>>;
}

/**
 * The bytes of a Parquet file (snappy) in pieces. `rows` give the values of `toExpression`, one array for each row. Throws what
 * `rows` throw.
 */
export function* writeParquet(
  rows: Iterable<readonly unknown[]>,
  options: ParquetOptions,
): Iterable<Uint8Array> {
  const { columns, required, facts } = options;
  const bytes = new ByteWriter();
  const elements = columns.map((column) => toElement(column, required.includes(column.name)));
  const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...elements];
  const kvMetadata = Object.entries(facts).map(([key, value]) => ({ key, value }));
  const writer = new ParquetWriter({ writer: bytes, schema, kvMetadata, createdBy: 'vodhouse' });
  for (const group of inGroups(rows)) {
    const columnData = columns.map((column, index) => ({
      name: column.name,
      data: group.map((row) => toParquetValue(column, row[index])),
    }));
    void writer.write({ columnData, rowGroupSize: ROW_GROUP_ROWS }); // without flush() in the ByteWriter, it is synchronous
    yield take(bytes);
  }
  void writer.finish();
  yield take(bytes);
}

/** What was written so far; the buffer is used again. */
function take(bytes: ByteWriter): Uint8Array {
  const taken = bytes.getBytes().slice();
  bytes.index = 0;
  return taken;
}

function* inGroups(rows: Iterable<readonly unknown[]>): Iterable<(readonly unknown[])[]> {
  let group: (readonly unknown[])[] = [];
  for (const row of rows) {
    group.push(row);
    if (group.length < ROW_GROUP_ROWS) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
