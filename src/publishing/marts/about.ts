/** Published: the data dictionary, and facts about the file itself. */
import type { Mart, Table } from '../mart.ts';
import { column } from './mart-columns.ts';

/** One row per published column. */
export const dictionary: Table = {
  kind: 'table',
  name: 'dictionary',
  description: 'One row per column of this file: its type, unit, meaning and origin.',
  key: ['table_name', 'column_name'],
  foreignKeys: [],
  columns: [
    column('table_name', 'VARCHAR(255)', 'Table or view.', ''),
    column('column_name', 'VARCHAR(255)', 'Column.', ''),
    column('position', 'BIGINT', 'Position of the column in its table, from 1.', ''),
    column('data_type', 'VARCHAR(20)', 'Declared type.', ''),
    column('unit', 'VARCHAR(255)', 'Unit of a number, or format of a text.', ''),
    column('description', 'TEXT', 'Meaning of the column.', ''),
    column(
      'source_field',
      'VARCHAR(255)',
      "The field under the service's own name, or the column of the live file; NULL for a computed column.",
      '',
    ),
    column(
      'additivity',
      'VARCHAR(20)',
      'additive: may be summed over everything. semi-additive: a level, may be summed over everything except days. non-additive: never summed. NULL if the column is no number.',
      '',
    ),
  ],
  from: null,
  count: '',
};

/** One row per fact about the file. */
export const about: Table = {
  kind: 'table',
  name: 'about',
  description:
    'One row per fact about this file: which version made it, when, from what, and how fresh it is.',
  key: ['key'],
  foreignKeys: [],
  columns: [
    column('key', 'VARCHAR(255)', 'Name of the fact.', ''),
    column('value', 'TEXT', 'The fact as text; NULL if it is unknown.', ''),
    column('description', 'TEXT', 'Meaning of the fact.', ''),
  ],
  from: null,
  count: '',
};

/** The rows of `dictionary`. */
export function createDictionaryRows(marts: readonly Mart[]): (string | number | null)[][] {
  return marts.flatMap((mart) =>
    mart.columns.map(({ name, type, unit, description, source, additivity }, index) => [
      ...[mart.name, name, index + 1, type, unit, description, source, additivity],
    ]),
  );
}
