import { expect, it } from 'vitest';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { openExportsInDuckDb } from '../support/fixtures/duckdb.ts';
import { KEYS, published, smallLiveFile } from '../support/fixtures/published-file.ts';

const TYPES: Readonly<Record<string, string>> = {
  BIGINT: 'BIGINT',
  REAL: 'DOUBLE',
  BOOLEAN: 'BOOLEAN',
  DATE: 'DATE',
};

it('every column of an export to Parquet has its type in DuckDB; a time that is not UTC has no zone', async () => {
  const { file, select } = await published(smallLiveFile());
  const db = await openExportsInDuckDb(file);
  for (const { name, columns } of createMarts({ durationUnit: 'ms', exclude: KEYS }).documented) {
    const rows = (
      await db.runAndReadAll(`select column_name, column_type from (describe "${name}")`)
    ).getRows();
    expect(rows.map(String), name).toEqual(
      columns.map((column) => {
        const time = column.unit === 'UTC' ? 'TIMESTAMP WITH TIME ZONE' : 'TIMESTAMP';
        return `${column.name},${TYPES[column.type] ?? (column.type === 'TIMESTAMP' ? time : 'VARCHAR')}`;
      }),
    );
  }
  const query = `select day_at from dates where day = '2026-03-09'`;
  const days = (await db.runAndReadAll(`select cast(day_at as varchar) from (${query})`)).getRows();
  expect(days.map(String)).toEqual(select(query).map(({ day_at: day }) => day));
});
