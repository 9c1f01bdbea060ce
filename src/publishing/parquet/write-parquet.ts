/** Rows as one Parquet file. */
import { createParquetFile, ROW_GROUP_ROWS, type ParquetOptions } from './parquet-file.ts';

/**
 * The bytes of a Parquet file (snappy) in pieces. `rows` give the values of `toExpression`, one array for each row. Throws what
 * `rows` throw.
 */
export function* writeParquet(
  rows: Iterable<readonly unknown[]>,
  options: Omit<ParquetOptions, 'compression'>,
): Iterable<Uint8Array> {
  const file = createParquetFile({ ...options, compression: 'snappy' });
  for (const group of inGroups(rows)) yield file.writeGroup(group);
  yield file.finish();
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
