/** `sql/clickhouse.sql`: views that read the pointers at each query. */
import type { Column } from '../../../mart.ts';
import {
  backquote,
  selectView,
  toComment,
  toLiteral,
  type LakeSql,
  type LakeSqlTable,
} from './lake-tables.ts';

/** The type of a column. A TIMESTAMP that is not UTC has no zone: it is shown as it is stored, which UTC does. */
export function toClickHouseType({ type }: Pick<Column, 'type'>): string {
  switch (type) {
    case 'BIGINT':
      return 'Int64';
    case 'REAL':
      return 'Float64';
    case 'BOOLEAN':
      return 'Bool';
    case 'DATE':
      return 'Date32';
    case 'TIMESTAMP':
      return `DateTime64(6, 'UTC')`;
    default:
      return 'String';
  }
}

export function toClickHouse(sql: LakeSql): string {
  const source = toSource(sql.root);
  return `${toComment(HEAD)}
${source.kind === 's3' ? `\n${toCollection(source.path)}\n` : `\n${toComment(FOLDER)}\n`}
${sql.tables.map((table) => toTable(table, source)).join('\n')}
${sql.views.map((view) => `CREATE OR REPLACE VIEW ${backquote(view.name)} AS\n${selectView(view, { quote: backquote })};\n`).join('\n')}`;
}

const HEAD = `
The tables and views of a lake of vodhouse, for ClickHouse 24.8 or later. NOT RUN in the tests of vodhouse: no ClickHouse is there.
Run it once, and again after an update of vodhouse. Every query reads the pointers (latest/*.json) by itself, for each table that
it names: two tables of one query may be of two loads if an account was loaded in that moment. For a month's report, copy what
you need into tables of ClickHouse: INSERT INTO … SELECT … FROM videos.`;

const FOLDER = `
The folder must be below user_files_path of the server: mount it there, and replace its address in this file.`;

type ClickHouseSource = { kind: 's3' | 'folder'; path: string };

const toSource = (root: string): ClickHouseSource =>
  root.startsWith('s3://')
    ? { kind: 's3', path: root.slice('s3://'.length) }
    : { kind: 'folder', path: root };

/** The keys of readers: they need to read and to list, nothing else. */
const toCollection = (path: string): string => `-- url: that of the store, with the bucket and the prefix
-- CREATE NAMED COLLECTION vodhouse_lake AS url = 'https://s3.REGION.amazonaws.com/${path}', access_key_id = '…', secret_access_key = '…';`;

function toTable(
  { name, columns, required, owner, isMonthly }: LakeSqlTable,
  source: ClickHouseSource,
): string {
  const structure = columns
    .map((column) => {
      const type = toClickHouseType(column);
      return `${backquote(column.name)} ${required.includes(column.name) ? type : `Nullable(${type})`}`;
    })
    .join(', ');
  const folders = `${owner === 'all' ? '' : '*/'}${isMonthly ? '*/' : ''}`;
  const keys = `arrayJoin(JSONExtract(document, 'files', ${toLiteral(name)}, 'Array(String)'))`;
  return `CREATE OR REPLACE VIEW ${backquote(name)} AS
SELECT ${columns.map((column) => backquote(column.name)).join(', ')}
FROM ${read(source, `data/${name}/${folders}*.parquet`, 'Parquet', structure)}
WHERE _path IN (
  SELECT concat(${toLiteral(source.path)}, ${keys})
  FROM ${read(source, 'latest/*.json', 'RawBLOB', 'document String')}
);
`;
}

/** `_path` has the bucket in front; of a folder it is absolute. */
const read = ({ kind, path }: ClickHouseSource, key: string, format: string, structure: string): string =>
  kind === 's3'
    ? `s3(vodhouse_lake, filename = ${toLiteral(key)}, format = '${format}', structure = ${toLiteral(structure)})`
    : `file(${toLiteral(`${path}${key}`)}, '${format}', ${toLiteral(structure)})`;
