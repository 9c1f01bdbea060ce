/** What a published table or view is: its columns, their types and meaning, and the SQL that makes it. */
import type { Database } from '../../database/sqlite.ts';

/** Types that every BI driver reads correctly. */
export type DataType =
  | 'BIGINT'
  | 'REAL'
  | 'BOOLEAN'
  | 'DATE'
  | 'TIMESTAMP'
  | 'TEXT'
  | 'VARCHAR(20)'
  | 'VARCHAR(255)'
  | 'VARCHAR(2000)';

/**
 * How a number may be summed: over everything; over everything except days (a level: take the last one or the
 * average over days); or not at all. Null for a column that is no number.
 */
export type Additivity = 'additive' | 'semi-additive' | 'non-additive' | null;

export interface Column {
  name: string;
  type: DataType;
  /** Unit of a number or format of a text; null if the description is enough. */
  unit: string | null;
  description: string;
  /** The column of the live file that it comes from, under the service's own name; null if it is computed. */
  source: string | null;
  additivity: Additivity;
  /** The values that it may have; null if they are not listed. */
  values: readonly string[] | null;
}

/** A column with the SQL expression of its value, over the aliases of the table's `from`. */
export interface TableColumn extends Column {
  value: string;
}

/** The table whose key a column is, by the name of the column, which is the same in both tables. */
export const PARENTS = {
  package_key: 'packages',
  video_key: 'all_videos',
  run_key: 'runs',
  day: 'dates',
} as const;

/** What a table and a view have in common. */
interface Described {
  name: string;
  /** The meaning of one row. */
  description: string;
  /** Its role in a star schema; `metadata` describes the file itself. */
  role: 'dimension' | 'fact' | 'metadata';
  /** The columns that identify a row. */
  key: readonly string[];
  columns: readonly Column[];
}

/** A published table. */
export interface Table extends Described {
  kind: 'table';
  /** Only views and vodhouse itself read it, so it is not documented. */
  isInternal?: true;
  /**
   * The table is stored WITHOUT ROWID. That halves a table whose rows hold little more than their key.
   */
  isWithoutRowid?: boolean;
  /** Columns whose values must be in the tables that `PARENTS` names. */
  foreignKeys?: readonly (keyof typeof PARENTS)[];
  columns: readonly TableColumn[];
  /**
   * What follows the columns in the SELECT that fills it; `live.` is the live file. A table whose rows are
   * made by code has none.
   */
  from?: string;
  /** The SELECT may return a key twice, and the first row is kept: faster than a GROUP BY. */
  mayRepeat?: boolean;
  /** The query that counts the rows that it must have, by the live file. */
  count?: string;
  /**
   * Queries of few rows of the live file, with `:today` and `:followed` as in `fillTable`: unless one returns
   * other rows, or a video, a package or the day changed, the table would be filled with the same rows.
   */
  watched?: readonly string[];
  /** Rules that no row may match: the check of the file rejects it. */
  invalid?: readonly InvalidRows[];
}

/** Rows that cannot be right. */
export interface InvalidRows {
  /** In words, after "a row with". */
  what: string;
  /** The condition in SQL, over the columns of the table. */
  where: string;
}

/** A published view. It only passes columns through: a computed one would have no declared type. */
export interface View extends Described {
  kind: 'view';
  /**
   * The SELECTs whose rows it has together. `nameTable` writes the name of a table, such as with its schema.
   * The first and the last one give the types of the columns, so these two must not compute a column.
   */
  selects: (nameTable: (name: string) => string) => readonly string[];
}

export type Mart = Table | View;

/** A table that other tables are filled from, and that is not published. */
export interface WorkingTable {
  kind: 'working';
  name: string;
  /** Its columns and its key, as in `create table`. */
  definition: string;
  /** The SELECT that fills it, over `live.`, tables filled before it, and the parameters of `fillTable`. */
  select: string;
}

const quoteAll = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

/** The CREATE TABLE statement. A working table is a temporary one. */
export function createTable(table: Table | WorkingTable): string {
  if (table.kind === 'working') return `create temp table ${table.name} ${table.definition}`;
  const { name, columns, key, foreignKeys = [], isWithoutRowid = false } = table;
  const lines = [
    ...columns.map(
      (column) => `"${column.name}" ${column.type}${key.includes(column.name) ? ' NOT NULL' : ''}`,
    ),
    `PRIMARY KEY (${quoteAll(key)})`,
    ...foreignKeys.map((column) => `FOREIGN KEY ("${column}") REFERENCES "${PARENTS[column]}" ("${column}")`),
  ];
  return `CREATE TABLE "${name}" (\n  ${lines.join(',\n  ')}\n)${isWithoutRowid ? ' WITHOUT ROWID' : ''}`;
}

/** The CREATE VIEW statement, on one line: some tools, such as `drizzle-kit pull`, read no other. */
export const createView = ({ name, selects }: View): string =>
  `CREATE VIEW "${name}" AS ${selects((table) => table).join(' union all ')}`;

/**
 * The INSERT statement that fills a table by a SELECT. Its parameters: `today` is the day of the service's
 * calendar that is not over, `followed` a JSON array of the accounts that have storage in the config.
 */
export function fillTable(table: Table | WorkingTable): string {
  if (table.kind === 'working') return `insert into ${table.name}\n${table.select}`;
  const { name, columns, from, mayRepeat = false } = table;
  const values = columns.map((column) => column.value).join(',\n  ');
  const names = quoteAll(columns.map((column) => column.name));
  return `INSERT ${mayRepeat ? 'OR IGNORE ' : ''}INTO "${name}" (${names})\nSELECT ${values}\n${from}`;
}

/** Inserts rows into a table that is filled from code: values by column, NULL in any other column. */
export function insertRows(db: Database, { name, columns }: Table, rows: Iterable<object>): void {
  const nothing = Object.fromEntries(columns.map((column) => [column.name, null]));
  const values = columns.map((column) => `:${column.name}`).join(', ');
  const insert = db.prepare(`insert into "${name}" values (${values})`);
  for (const row of rows) insert.run({ ...nothing, ...row });
}
