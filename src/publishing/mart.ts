/** What a published table or view is: its columns with their types and meaning, and the SQL that makes it. */
import type Database from 'better-sqlite3';

/** Types that every BI driver reads right (docs/architecture.md). */
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
 * How a figure may be summed: over everything; over all but days (a level: take its last or its average over days);
 * or not at all (a number that is no amount). Null for what is no number.
 */
export type Additivity = 'additive' | 'semi-additive' | 'non-additive' | null;

export interface Column {
  name: string;
  type: DataType;
  /** What a number counts in, or what a text is written as; null where the description says it all. */
  unit: string | null;
  description: string;
  /** The column of the live file that it comes from, under the service's own name; null for what is made here. */
  source: string | null;
  additivity: Additivity;
}

/** A column with the SQL expression that gives its value, over the aliases of the mart's `from`. */
export interface MadeColumn extends Column {
  value: string;
}

export interface ForeignKey {
  columns: readonly string[];
  table: string;
  /** Columns of the other table; its key. */
  references: readonly string[];
}

/** A published table: one INSERT … SELECT makes it. */
export interface Table {
  kind: 'table';
  name: string;
  /** What one row is. */
  description: string;
  key: readonly string[];
  foreignKeys: readonly ForeignKey[];
  columns: readonly MadeColumn[];
  /** What follows the columns in the SELECT that fills it; `live.` is the live file. Null: filled from values. */
  from: string | null;
  /** The query that says how many rows it must have, by the live file. */
  count: string;
  /** What no row may be: the check of the file refuses it. */
  never?: readonly Refusal[];
  /** Rows that contradict another table, each as a text in one column. It finds those without a parent too. */
  contradictions?: string;
}

/** A row that cannot be, however it came about. */
export interface Refusal {
  /** In words, after "a row with". */
  what: string;
  /** The condition in SQL, over the columns of the table. */
  where: string;
}

/** A published view: it passes columns of tables through, for a computed one would have no type. */
export interface View {
  kind: 'view';
  name: string;
  description: string;
  columns: readonly Column[];
  /** The whole SELECT. */
  select: string;
}

export type Mart = Table | View;

/** A table that publishing makes for itself, and no reader sees. */
export interface WorkingTable {
  name: string;
  /** Its columns and its key, as `create table` has them. */
  definition: string;
  /** The SELECT that fills it, over `live.`, tables made before it, and the parameters of `StatementParameters`. */
  select: string;
}

/** What the statements that fill tables are given by name. */
export interface StatementParameters {
  /** The day of the service's calendar that is not over. */
  today: string;
  /** Accounts that have storage in the config, as a JSON array. */
  followed: string;
}

const identifiers = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

/** The statement that makes a table. With rowids: without, older readers (DuckDB before 0.8) cannot open it. */
export function createTable({ name, columns, key, foreignKeys }: Table): string {
  const lines = [
    ...columns.map(
      (column) => `"${column.name}" ${column.type}${key.includes(column.name) ? ' NOT NULL' : ''}`,
    ),
    `PRIMARY KEY (${identifiers(key)})`,
    ...foreignKeys.map(
      ({ columns: ours, table, references }) =>
        `FOREIGN KEY (${identifiers(ours)}) REFERENCES "${table}" (${identifiers(references)})`,
    ),
  ];
  return `CREATE TABLE "${name}" (\n  ${lines.join(',\n  ')}\n)`;
}

/** The statement that makes a view. */
export function createView({ name, select }: View): string {
  return `CREATE VIEW "${name}" AS\n${select}`;
}

/** The statement that fills a table; null for one that is filled from values. */
export function fillTable({ name, columns, from }: Table): string | null {
  if (from === null) return null;
  const values = columns.map((column) => column.value).join(',\n  ');
  return `INSERT INTO "${name}" (${identifiers(columns.map((column) => column.name))})\nSELECT ${values}\n${from}`;
}

/** The statement that makes a working table in that schema. */
export function createWorking({ name, definition }: WorkingTable, schema: 'main' | 'temp' = 'temp'): string {
  return `create table ${schema}.${name} ${definition}`;
}

/** The statement that fills a working table. */
export function fillWorking({ name, select }: WorkingTable): string {
  return `insert into ${name}\n${select}`;
}

/** Puts rows of values into a table that is filled from values. */
export function insertAll(
  db: Database.Database,
  { name, columns }: Table,
  rows: Iterable<readonly unknown[]>,
): void {
  const insert = db.prepare(`insert into "${name}" values (${columns.map(() => '?').join(', ')})`);
  for (const row of rows) insert.run(...row);
}
