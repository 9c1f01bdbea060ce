/** Published: the data dictionary, and facts about the file itself. */
import { PARENTS, type Column, type Mart, type Table } from './mart.ts';
import { columnsFromCode, type CodeColumns, type RowOf } from './mart-columns.ts';

/** In place of the name of a column: the row of the table itself. */
const WHOLE_TABLE = '*';

const DICTIONARY = {
  table_name: { type: 'VARCHAR(255)', description: 'Table or view.' },
  column_name: { type: 'VARCHAR(255)', description: `Column; ${WHOLE_TABLE}: the table itself.` },
  position: { type: 'BIGINT', description: 'Of the column in its table, from 1; 0: the table itself.' },
  description: { type: 'TEXT', description: 'Meaning of the column, or of a row.' },
  data_type: { type: 'VARCHAR(20)', description: 'Declared type; or table, view.' },
  unit: { type: 'VARCHAR(255)', description: 'Unit of a number, or format of a text.' },
  additivity: {
    type: 'VARCHAR(20)',
    description:
      'additive: may be summed. semi-additive: a level, not over days. non-additive: never. NULL for no number.',
    values: ['additive', 'semi-additive', 'non-additive'],
  },
  allowed_values: { type: 'VARCHAR(255)', description: 'Values that it may have, if they are listed.' },
  refers_to: { type: 'VARCHAR(255)', description: 'The column of another table that it refers to.' },
  source_field: {
    type: 'VARCHAR(255)',
    description: 'Field of the service, or column of the live file; NULL if computed.',
  },
  key_columns: { type: 'VARCHAR(255)', description: 'Of a table: the columns that identify a row.' },
  role: {
    type: 'VARCHAR(20)',
    description: 'Of a table: its role in a star schema.',
    values: ['dimension', 'fact', 'metadata'],
  },
} as const satisfies CodeColumns;

/** One row per published table, and one per column. */
export const dictionary: Table = {
  kind: 'table',
  name: 'dictionary',
  description: 'One row per table or view, and one per column: what it is, and how to use it.',
  role: 'metadata',
  key: ['table_name', 'column_name'],
  columns: columnsFromCode(DICTIONARY),
};

const ABOUT = {
  key: { type: 'VARCHAR(255)', description: 'Name of the fact.' },
  value: { type: 'TEXT', description: 'The fact as text; NULL if it is unknown.' },
  description: { type: 'TEXT', description: 'Meaning of the fact.' },
} as const satisfies CodeColumns;

export type AboutRow = RowOf<typeof ABOUT>;

/** One row per fact about the file. */
export const about: Table = {
  kind: 'table',
  name: 'about',
  description: 'One row per fact about this file: what made it, when, and how fresh it is.',
  role: 'metadata',
  key: ['key'],
  columns: columnsFromCode(ABOUT),
};

const INTERNALS = {
  key: { type: 'VARCHAR(255)', description: 'Name of the fact.' },
  value: { type: 'TEXT', description: 'The fact as text.' },
} as const satisfies CodeColumns;

export type InternalsRow = RowOf<typeof INTERNALS>;

/** Facts that only vodhouse itself reads. */
export const internals: Table = {
  kind: 'table',
  name: 'internals',
  isInternal: true,
  description: 'One row per fact that only vodhouse itself reads.',
  role: 'metadata',
  key: ['key'],
  columns: columnsFromCode(INTERNALS),
};

type DictionaryRow = Partial<RowOf<typeof DICTIONARY>>;

/** The rows of `dictionary`. */
export const createDictionaryRows = (marts: readonly Mart[]): DictionaryRow[] =>
  marts.flatMap((mart) => [
    describeTable(mart),
    ...mart.columns.map((each, index) => describeColumn(mart, each, index + 1)),
  ]);

const describeTable = ({ kind, name, description, role, key }: Mart): DictionaryRow => ({
  table_name: name,
  column_name: WHOLE_TABLE,
  position: 0,
  description,
  data_type: kind,
  key_columns: key.join(', '),
  role,
});

const describeColumn = (mart: Mart, each: Column, position: number): DictionaryRow => ({
  table_name: mart.name,
  column_name: each.name,
  position,
  description: each.description,
  data_type: each.type,
  unit: each.unit,
  additivity: each.additivity,
  allowed_values: each.values?.join(', ') ?? null,
  refers_to: findReference(mart, each.name),
  source_field: each.source,
});

/**
 * The column of another table that a column refers to. Its name is enough to find that: a key column has the
 * same name in every table, and the name of a column with a day ends in `_day`.
 */
function findReference(mart: Mart, name: string): string | null {
  if (name.endsWith('_day')) return 'dates.day';
  const parents: Readonly<Record<string, string>> = {
    ...PARENTS,
    version_key: 'video_versions',
    ...(mart.name === 'video_tags' && { video_key: 'videos' }),
  };
  const parent = parents[name];
  return parent === undefined || parent === mart.name ? null : `${parent}.${name}`;
}
