/** `sql/trino.sql`: external tables over the lists in `symlink/`, for Athena and for Trino with a Hive metastore. */
import type { Column } from '../../../mart.ts';
import {
  backquote,
  doubleQuote,
  selectView,
  toComment,
  type LakeSql,
  type LakeSqlTable,
} from './lake-tables.ts';

/** The type of a column, as Hive names it. It has no time zones: UTC moments are shown without one. */
export function toHiveType({ type }: Pick<Column, 'type'>): string {
  switch (type) {
    case 'BIGINT':
      return 'bigint';
    case 'REAL':
      return 'double';
    case 'BOOLEAN':
      return 'boolean';
    case 'DATE':
      return 'date';
    case 'TIMESTAMP':
      return 'timestamp';
    default:
      return 'string';
  }
}

export function toTrino({ tables, views, root }: LakeSql): string {
  return `${toComment(HEAD)}

${tables.map((table) => toTable(table, root)).join('\n')}
${toComment('New accounts and workers: again, after each of them was loaded first.')}
${tables.flatMap(({ name, owner }) => (owner === 'all' ? [] : `MSCK REPAIR TABLE ${backquote(name)};\n`)).join('')}
${views.map((view) => `CREATE OR REPLACE VIEW ${doubleQuote(view.name)} AS\n${selectView(view, { quote: doubleQuote })};\n`).join('\n')}`;
}

const HEAD = `
The tables and views of a lake of vodhouse, for Athena (engine version 3), and for Trino with a Hive metastore or Glue. NOT RUN in
the tests of vodhouse: neither is there. Run it once, statement by statement, in a database of its own; after an update of vodhouse
drop the tables first (that deletes no file: they are external).

Athena runs all of it. Trino runs the views only: let Athena, or Hive 4, make the tables in the metastore that Trino uses. In place of
MSCK REPAIR TABLE, Trino has CALL system.sync_partition_metadata('SCHEMA', 'TABLE', 'FULL').
The files of an account and a table change at one moment. The lists of two tables are written one after the other: during a load, for
some seconds, a query that joins tables of one account may see two loads.`;

/** The column that the files are divided by comes from the folder, and stands at the end: Hive refuses it a second time. */
function toTable({ name, columns, owner }: LakeSqlTable, root: string): string {
  const own = columns.filter((column) => column.name !== owner);
  const definitions = own.map((column) => `${backquote(column.name)} ${toHiveType(column)}`);
  const partition = owner === 'all' ? '' : `PARTITIONED BY (${backquote(owner)} string)\n`;
  return `CREATE EXTERNAL TABLE IF NOT EXISTS ${backquote(name)} (
  ${definitions.join(',\n  ')}
)
${partition}ROW FORMAT SERDE 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe'
STORED AS INPUTFORMAT 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat'
OUTPUTFORMAT 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat'
LOCATION '${`${root}symlink/${name}/${owner === 'all' ? 'all/' : ''}`.replaceAll(`'`, `\\'`)}';
`;
}
