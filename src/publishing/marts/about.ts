/** Published: the data dictionary, and facts about the file itself. */
import type { Column, Mart, Table } from '../mart.ts';
import { columnsFromCode } from './mart-columns.ts';

/** In place of the name of a column: the row of the table itself. */
const WHOLE_TABLE = '*';

/** One row per published table, and one per column. */
export const dictionary: Table = {
  kind: 'table',
  name: 'dictionary',
  description: 'One row per table or view, and one per column: what it is, and how to use it.',
  role: 'metadata',
  key: ['table_name', 'column_name'],
  foreignKeys: [],
  columns: columnsFromCode(`
table_name     | VARCHAR(255) | Table or view.
column_name    | VARCHAR(255) | Column; ${WHOLE_TABLE}: the table itself.
position       | BIGINT       | Of the column in its table, from 1; 0: the table itself.
description    | TEXT         | Meaning of the column, or of a row.
data_type      | VARCHAR(20)  | Declared type; or table, view.
unit           | VARCHAR(255) | Unit of a number, or format of a text.
additivity     | VARCHAR(20)  | additive: may be summed. semi-additive: a level, not over days. non-additive: never. NULL for no number. | | additive, semi-additive, non-additive
allowed_values | VARCHAR(255) | Values that it may have, if they are listed.
refers_to      | VARCHAR(255) | The column of another table that it refers to.
source_field   | VARCHAR(255) | Field of the service, or column of the live file; NULL if computed.
key_columns    | VARCHAR(255) | Of a table: the columns that identify a row.
role           | VARCHAR(20)  | Of a table: its role in a star schema. | | dimension, fact, metadata`),
  from: null,
  count: '',
};

/** One row per fact about the file. */
export const about: Table = {
  kind: 'table',
  name: 'about',
  description: 'One row per fact about this file: what made it, when, and how fresh it is.',
  role: 'metadata',
  key: ['key'],
  foreignKeys: [],
  columns: columnsFromCode(`
key         | VARCHAR(255) | Name of the fact.
value       | TEXT         | The fact as text; NULL if it is unknown.
description | TEXT         | Meaning of the fact.`),
  from: null,
  count: '',
};

/** Facts that only vodhouse itself reads. */
export const internals: Table = {
  kind: 'table',
  name: 'internals',
  isStorage: true,
  description: 'One row per fact that only vodhouse itself reads.',
  role: 'metadata',
  key: ['key'],
  foreignKeys: [],
  columns: columnsFromCode(`
key   | VARCHAR(255) | Name of the fact.
value | TEXT         | The fact as text.`),
  from: null,
  count: '',
};

/** The rows of `dictionary`. */
export const createDictionaryRows = (marts: readonly Mart[]): (string | number | null)[][] =>
  marts.flatMap((mart) => [
    describeTable(mart),
    ...mart.columns.map((each, index) => describeColumn(mart, each, index + 1)),
  ]);

function describeTable({ kind, name, description, role, key }: Mart): (string | number | null)[] {
  return [name, WHOLE_TABLE, 0, description, kind, null, null, null, null, null, key.join(', '), role];
}

function describeColumn(mart: Mart, each: Column, position: number): (string | number | null)[] {
  const { name, type, unit, description, source, additivity, values } = each;
  return [
    ...[mart.name, name, position, description, type, unit, additivity, values?.join(', ') ?? null],
    ...[findReference(mart, name), source, null, null],
  ];
}

/** By the name: a key column has the same name in every table, and a day that of what happened on it. */
function findReference(mart: Mart, name: string): string | null {
  if (mart.name === 'dates') return null;
  if (name === 'day' || name.endsWith('_day')) return 'dates.day';
  const video = mart.name === 'video_tags' ? 'videos' : 'all_videos';
  const parent = {
    package_key: 'packages',
    video_key: video,
    version_key: 'video_versions',
    run_key: 'runs',
  }[name];
  return parent === undefined || parent === mart.name ? null : `${parent}.${name}`;
}
