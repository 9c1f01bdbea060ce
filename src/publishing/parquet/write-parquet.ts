/** The rows of a query as one Parquet file. */
import type { Database } from '../../database/sqlite.ts';
import { createParquetFile, type ParquetOptions } from './parquet-file.ts';
import { openRows, type ParquetQuery } from './parquet-query.ts';

/** The bytes of a Parquet file (snappy), a row group at a time, and the number of rows in them. Throws what SQLite throws. */
export function* writeParquet(
  db: Database,
  query: ParquetQuery,
  options: Pick<ParquetOptions, 'required' | 'facts'>,
): Iterable<{ bytes: Uint8Array; rows: number }> {
  const file = createParquetFile({ columns: query.columns, compression: 'snappy', ...options });
  const reader = openRows(db, query);
  try {
    while (!reader.isAtEnd()) {
      const { rows } = reader.fillGroup(file, Infinity);
      yield { bytes: file.writeGroup(), rows };
    }
  } finally {
    reader.close();
  }
  yield { bytes: file.finish(), rows: 0 };
}
