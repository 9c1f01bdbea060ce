/** Published: what every column means, and what the file is. */
import type { DataType, Mart, MadeColumn, Table } from '../mart.ts';

function column(name: string, type: DataType, description: string): MadeColumn {
  const additivity = type === 'BIGINT' ? 'non-additive' : null;
  return { name, type, unit: null, description, source: null, additivity, value: '' };
}

/** One row a published column. */
export const dictionary: Table = {
  kind: 'table',
  name: 'dictionary',
  description: 'One row a column of this file: its type, unit, meaning and origin.',
  key: ['table_name', 'column_name'],
  foreignKeys: [],
  columns: [
    column('table_name', 'VARCHAR(255)', 'Table or view.'),
    column('column_name', 'VARCHAR(255)', 'Column.'),
    column('position', 'BIGINT', 'Place of the column in its table, from 1.'),
    column('data_type', 'VARCHAR(20)', 'Declared type.'),
    column('unit', 'VARCHAR(255)', 'What a number counts in, or how a text is written.'),
    column('description', 'TEXT', 'What it means.'),
    column(
      'source_field',
      'VARCHAR(255)',
      "The field under the service's own name, or the column of the live file; NULL for what is computed.",
    ),
    column(
      'additivity',
      'VARCHAR(20)',
      'additive: may be summed over everything. semi-additive: a level, summed over everything but days. non-additive: never summed. NULL for what is no number.',
    ),
  ],
  from: null,
  count: '',
};

/** What the file is, and how fresh. */
export const about: Table = {
  kind: 'table',
  name: 'about',
  description: 'One row a fact about this file: who made it, when, from what, and how fresh it is.',
  key: ['key'],
  foreignKeys: [],
  columns: [
    column('key', 'VARCHAR(255)', 'Name of the fact.'),
    column('value', 'TEXT', 'The fact as text; NULL where it is not known.'),
    column('description', 'TEXT', 'What it means.'),
  ],
  from: null,
  count: '',
};

/** The rows of `dictionary`. */
export function dictionaryRows(marts: readonly Mart[]): (string | number | null)[][] {
  return marts.flatMap(({ name, columns }) =>
    columns.map((each, index) => [
      name,
      each.name,
      index + 1,
      each.type,
      each.unit,
      each.description,
      each.source,
      each.additivity,
    ]),
  );
}
