/** Published rows as Parquet files, by hyparquet-writer: for `export` and for the lake. */
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Database } from '../../database/sqlite.ts';
import type { Column } from '../marts/mart.ts';

export type ParquetColumn = Pick<Column, 'name' | 'type' | 'unit'>;

export interface ParquetQuery {
  columns: readonly ParquetColumn[];
  /** What follows the values of a SELECT, over the alias `t`: from, where, order by. */
  from: string;
  parameters: Readonly<Record<string, unknown>>;
}

export interface ParquetChunk {
  bytes: Uint8Array;
  rows: number;
}

/**
 * A row group ends at the first of these two limits, so that memory does not grow with the length of texts.
 */
const GROUP_ROWS = 5_120;
const GROUP_CHARACTERS = 16e6;

/**
 * The bytes of a Parquet file (snappy) with the rows of a query, a row group at a time; the last chunk has
 * the footer and no rows. `facts` are key-value metadata of the file. Throws what SQLite throws.
 */
export async function* writeParquet(
  db: Database,
  query: ParquetQuery,
  facts: Readonly<Record<string, string>> = {},
): AsyncGenerator<ParquetChunk> {
  const { columns, from, parameters } = query;
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(toElement)],
    kvMetadata: Object.entries(facts).map(([key, value]) => ({ key, value })),
    createdBy: 'vodhouse',
  });
  const values = columns.map(toExpression).join(', ');
  const rows = db.prepare(`select ${values} ${from}`).raw().safeIntegers().iterate(parameters);
  for (const { count, data } of inGroups(rows as IterableIterator<unknown[]>, columns)) {
    const columnData = columns.map(({ name }, index) => ({
      name,
      data: data[index] ?? [],
      statistics: BOUNDED.includes(name),
    }));
    await file.write({ columnData, rowGroupSize: GROUP_ROWS, pageSize: 0 });
    yield { bytes: take(bytes), rows: count };
  }
  await file.finish();
  yield { bytes: take(bytes), rows: 0 };
}

/** Columns that readers filter by: row groups have their least and greatest values. */
const BOUNDED = ['package_id', 'video_id', 'change_seq', 'valid_from', 'created_day', 'day'];

/** A whole file, and the number of its rows. */
export async function writeParquetFile(
  db: Database,
  query: ParquetQuery,
): Promise<{ body: Uint8Array[]; rows: number }> {
  const file: { body: Uint8Array[]; rows: number } = { body: [], rows: 0 };
  for await (const { bytes, rows } of writeParquet(db, query)) {
    file.body.push(bytes);
    file.rows += rows;
  }
  return file;
}

/** The values of each group of rows, by column. */
function* inGroups(
  rows: Iterable<unknown[]>,
  columns: readonly ParquetColumn[],
): Generator<{ count: number; data: unknown[][] }> {
  const begin = () => ({ count: 0, characters: 0, data: columns.map((): unknown[] => []) });
  let group = begin();
  for (const row of rows) {
    for (const [index, { type }] of columns.entries()) {
      const value = row[index];
      if (typeof value === 'string') group.characters += value.length;
      group.data[index]?.push(value === null ? null : (CONVERSIONS[type]?.(value) ?? value));
    }
    if (++group.count < GROUP_ROWS && group.characters < GROUP_CHARACTERS) continue;
    yield group;
    group = begin();
  }
  if (group.count > 0) yield group;
}

/** The bytes that were written since the last call. */
function take(bytes: ByteWriter): Uint8Array {
  const taken = bytes.getBytes().slice();
  bytes.index = 0;
  return taken;
}

const toElement = (column: ParquetColumn): SchemaElement => ({
  name: column.name,
  repetition_type: 'OPTIONAL',
  ...toParquetType(column),
});

function toParquetType(column: ParquetColumn): Omit<SchemaElement, 'name'> {
  switch (column.type) {
    case 'BIGINT':
      return { type: 'INT64' };
    case 'REAL':
      return { type: 'DOUBLE' };
    case 'BOOLEAN':
      return { type: 'BOOLEAN' };
    case 'DATE':
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } };
    case 'TIMESTAMP': {
      // a unit other than UTC has no zone: times of the service's own clock, and days as timestamps
      const isAdjustedToUTC = column.unit === 'UTC';
      return { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'MICROS' } };
    }
    default:
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
  }
}

/** SQL for a value as the writer takes it: times in microseconds since 1970, days in days since then. */
function toExpression(column: ParquetColumn): string {
  const value = `t."${column.name}"`;
  if (column.type === 'DATE') return `unixepoch(${value}) / 86400`;
  return column.type === 'TIMESTAMP' ? `unixepoch(${value}) * 1000000` : value;
}

/** Integers come as bigint, which INT64 takes; other types want something else. */
const CONVERSIONS: Partial<Record<Column['type'], (value: unknown) => unknown>> = {
  BOOLEAN: (value) => value === 1n,
  DATE: Number,
};
