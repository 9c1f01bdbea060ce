/** `sql/bigquery.sql`: external tables over the lists in `files/`. */
import type { Column } from '../../../mart.ts';
import { backquote, selectView, toComment, type LakeSql, type LakeSqlTable } from './lake-tables.ts';
import { toFileListKey } from '../layout.ts';

export function toBigQueryType({ type, unit }: Pick<Column, 'type' | 'unit'>): string {
  switch (type) {
    case 'BIGINT':
      return 'INT64';
    case 'REAL':
      return 'FLOAT64';
    case 'BOOLEAN':
      return 'BOOL';
    case 'DATE':
      return 'DATE';
    case 'TIMESTAMP':
      return unit === 'UTC' ? 'TIMESTAMP' : 'DATETIME';
    default:
      return 'STRING';
  }
}

const DATASET = 'vodhouse';
const qualify = (name: string): string => `\`${DATASET}.${name}\``;

export function toBigQuery({ tables, views, root }: LakeSql): string {
  return `${toComment(HEAD)}

${tables.map((table) => toTable(table, root)).join('\n')}
${views.map((view) => `CREATE OR REPLACE VIEW ${qualify(view.name)} AS\n${selectView(view, { quote: backquote, qualify })};\n`).join('\n')}`;
}

const HEAD = `
The tables and views of a lake of vodhouse, for BigQuery. NOT RUN in the tests of vodhouse: no BigQuery is there.
Run it once, in a project with a dataset "vodhouse", and again after an update of vodhouse. Each query reads the list of a table by itself.
The lists are written after the pointers, table by table: during a load a query may see two loads.

A bucket of AWS is read through BigQuery Omni: replace CONNECTION by that of the dataset (such as aws-us-east-1.lake). A copy of the lake
in Google Cloud Storage has no connection: leave out that line, and replace s3:// by gs:// here and in files/*.txt of the copy.`;

function toTable({ name, columns }: LakeSqlTable, root: string): string {
  const definitions = columns.map((column) => `${backquote(column.name)} ${toBigQueryType(column)}`);
  const uri = `${root}${toFileListKey(name)}`.replace(/[\\']/g, '\\$&');
  return `CREATE OR REPLACE EXTERNAL TABLE ${qualify(name)} (
  ${definitions.join(',\n  ')}
)
WITH CONNECTION \`CONNECTION\`
OPTIONS (format = 'PARQUET', file_set_spec_type = 'NEW_LINE_DELIMITED_MANIFEST', uris = ['${uri}']);
`;
}
