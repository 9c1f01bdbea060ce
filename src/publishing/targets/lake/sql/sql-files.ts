/** The SQL files of a lake: one an engine. */
import { toSqlKey } from '../layout.ts';
import { toBigQuery } from './bigquery.ts';
import { toClickHouse } from './clickhouse.ts';
import { toDuckDb } from './duckdb.ts';
import type { LakeSql } from './lake-tables.ts';
import { toSpark } from './spark.ts';
import { toTrino } from './trino.ts';

export const ENGINES = {
  duckdb: toDuckDb,
  clickhouse: toClickHouse,
  spark: toSpark,
  trino: toTrino,
  bigquery: toBigQuery,
} as const satisfies Record<string, (sql: LakeSql) => string>;

/** The text of each file by its key. */
export const writeSql = (sql: LakeSql): Map<string, string> =>
  new Map(Object.entries(ENGINES).map(([engine, write]) => [toSqlKey(engine), write(sql)]));
