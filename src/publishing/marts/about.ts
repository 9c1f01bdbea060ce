/** Published: the data dictionary, and facts about the file itself. */
import type { Column, Mart, Table } from '../mart.ts';
import { columnsFromCode } from './mart-columns.ts';

/** In place of the name of a column: the row of the table itself. */
const WHOLE_TABLE = '*';

/** One row per published table, and one per column. */
export const dictionary: Table = {
  kind: 'table',
  name: 'dictionary',
  description: 'One row per table or view of this file, and one per column: what it is, and how to use it.',
  role: 'metadata',
  key: ['table_name', 'column_name'],
  foreignKeys: [],
  columns: columnsFromCode(`
table_name     | VARCHAR(255) | Table or view.
column_name    | VARCHAR(255) | Column; ${WHOLE_TABLE} for the table itself.
position       | BIGINT       | Position of the column in its table, from 1; 0 for the table itself.
description    | TEXT         | Meaning of the column; for a table, what one row is.
data_type      | VARCHAR(20)  | Declared type; for a table, table or view.
unit           | VARCHAR(255) | Unit of a number, or format of a text.
additivity     | VARCHAR(20)  | additive: may be summed over everything. semi-additive: a level, may be summed over everything except days. non-additive: never summed. NULL if the column is no number. | | additive, semi-additive, non-additive
allowed_values | VARCHAR(255) | The values that the column may have, if they are listed.
refers_to      | VARCHAR(255) | The column of another table that it refers to.
source_field   | VARCHAR(255) | The field under the service's own name, or the column of the live file; NULL for a computed column.
key_columns    | VARCHAR(255) | For a table or view, its key: the columns that identify a row.
role           | VARCHAR(20)  | For a table, its role in a star schema. | | dimension, fact, metadata`),
  from: null,
  count: '',
};

/** One row per fact about the file. */
export const about: Table = {
  kind: 'table',
  name: 'about',
  description:
    'One row per fact about this file: which version made it, when, from what, and how fresh it is.',
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
  return [name, WHOLE_TABLE, 0, description, kind, ...[null, null, null, null, null], key.join(', '), role];
}

function describeColumn(mart: Mart, each: Column, position: number): (string | number | null)[] {
  const { name, type, unit, description, source, additivity, values } = each;
  return [
    ...[mart.name, name, position, description, type, unit, additivity, values?.join(', ') ?? null],
    ...[findReference(mart, name), source, null, null],
  ];
}

/** By the name: a key column has the same name in every table, and a day that of what happened on it. */
export function findReference(mart: Pick<Mart, 'name'>, name: string): string | null {
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
