/** `sql/spark.sql`: temporary views over the present files. */
import type { Column } from '../../../mart.ts';
import { backquote, selectView, toComment, type LakeSql, type LakeSqlTable } from './lake-tables.ts';

/** The type of a column. TIMESTAMP_NTZ, a timestamp without a zone, is of Spark 3.4. */
export function toSparkType({ type, unit }: Pick<Column, 'type' | 'unit'>): string {
  switch (type) {
    case 'BIGINT':
      return 'BIGINT';
    case 'REAL':
      return 'DOUBLE';
    case 'BOOLEAN':
      return 'BOOLEAN';
    case 'DATE':
      return 'DATE';
    case 'TIMESTAMP':
      return unit === 'UTC' ? 'TIMESTAMP' : 'TIMESTAMP_NTZ';
    default:
      return 'STRING';
  }
}

export function toSpark({ tables, views, root, files }: LakeSql): string {
  const address = root.replace(/^s3:/, 's3a:');
  return `${toComment(HEAD)}

SET TIME ZONE 'UTC';

${tables.map((table) => toTable(table, address, files.get(table.name) ?? [])).join('\n')}
${views.map((view) => `CREATE OR REPLACE TEMPORARY VIEW ${backquote(view.name)} AS\n${selectView(view, { quote: backquote })};\n`).join('\n')}`;
}

const HEAD = `
The tables and views of a lake of vodhouse, for Spark 3.4 or later. NOT RUN in the tests of vodhouse: no Spark is there.
vodhouse writes this file again after each load that changed something, with the files of that moment: take the present one for
each session (spark-sql -i spark.sql), and again to see later loads. Files of an earlier load are deleted after "keep".
Spark's own symlink tables are no way: its Hive reader (2.3) has no timestamps of 64 bits. On EMR, write s3: in place of s3a:.`;

/** One pattern of all files: `{a,b}` stands for each of them. No columns are taken from the names of folders. */
function toTable({ name, columns, emptyKey }: LakeSqlTable, root: string, keys: readonly string[]): string {
  const definitions = columns.map((column) => `${backquote(column.name)} ${toSparkType(column)}`);
  return `CREATE OR REPLACE TEMPORARY VIEW ${backquote(name)} (
  ${definitions.join(',\n  ')}
) USING parquet OPTIONS (path ${toSparkLiteral(`${root}{${[emptyKey, ...keys].join(',')}}`)});
`;
}

const toSparkLiteral = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
