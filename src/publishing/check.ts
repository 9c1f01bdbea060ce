/** Is a built file what it should be? Asked before anybody sees it. */
import Database from 'better-sqlite3';
import { WarehouseError } from '../lib/errors.ts';
import type { Column, Table } from './mart.ts';

/** How many rows each table must have by the live file, as it was at the one look that the file was built from. */
export type Expected = Record<string, number>;

/** A table that was checked, and how many rows it has. */
export interface Checked {
  name: string;
  rows: number;
}

/**
 * Checks a table of the file at `path`: its pages, its foreign keys, that it has as many rows as the live file says, that
 * every value is of the storage class that its column declares, and that no row is one that cannot be. Throws WarehouseError for what is not so.
 */
export function checkTable(path: string, table: Table, expected: Expected): Checked {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    checkPages(db, table);
    if (table.contradictions === undefined) checkForeignKeys(db, table);
    else checkContradictions(db, table, table.contradictions);
    return { name: table.name, rows: checkRows(db, table, expected) };
  } finally {
    db.close();
  }
}

function fail(table: Table, what: string): never {
  throw new WarehouseError(`the new file is not published: its table ${table.name} ${what}`, {
    hint: 'the published file stands as it was; vodhouse publish tries again. If that does not help, vodhouse backup FILE tells whether the live file is whole',
  });
}

function checkPages(db: Database.Database, table: Table): void {
  const found = db.pragma(`integrity_check('${table.name}')`, { simple: true });
  if (found !== 'ok') fail(table, `is damaged: ${String(found)}`);
}

function checkForeignKeys(db: Database.Database, table: Table): void {
  const [found] = db.pragma(`foreign_key_check('${table.name}')`) as { parent: string }[];
  if (found) fail(table, `has rows that are not in ${found.parent}`);
}

function checkContradictions(db: Database.Database, table: Table, query: string): void {
  const found = db.prepare(query).pluck().get() as string | undefined;
  if (found !== undefined) fail(table, `has ${found}`);
}

/** One pass over the table for the count, for all of its columns, and for what no row may be. */
function checkRows(db: Database.Database, table: Table, expected: Expected): number {
  const wrong = table.columns.map((column) => `(${isOfAnotherClass(column)})`).join(' or ');
  const never = (table.never ?? []).map(({ where }) => `(${where})`).join(' or ') || '0';
  const query = `select count(*) as rows, count(*) filter (where ${wrong}) as wrong, count(*) filter (where ${never}) as never
    from "${table.name}"`;
  const found = db.prepare(query).get() as { rows: number; wrong: number; never: number };
  if (found.wrong > 0) fail(table, `has a value of another type: ${whichColumns(db, table).join(', ')}`);
  const count = expected[table.name] ?? found.rows;
  if (found.rows !== count) fail(table, `has ${found.rows} rows; by the live file it has ${count}`);
  if (found.never > 0) fail(table, `has ${whatCannotBe(db, table)}`);
  return found.rows;
}

/** Values of all classes have one order: numbers, text, blobs. To compare them costs a third of typeof(). */
function isOfAnotherClass({ name, type }: Column): string {
  switch (type) {
    case 'BIGINT':
      return `"${name}" | 0 is not "${name}"`;
    case 'BOOLEAN':
      return `"${name}" not in (0, 1)`;
    case 'REAL':
      return `"${name}" >= ''`;
    case 'DATE':
      return `"${name}" is not date("${name}", '+0 days')`;
    case 'TIMESTAMP':
      return `"${name}" < '' or "${name}" >= x''`;
    default:
      return `"${name}" >= x''`; // a number in such a column is text, or else found by the check of pages
  }
}

/** What is wrong with the first such row, with its key. */
function whatCannotBe(db: Database.Database, { name, key, never = [] }: Table): string {
  const keys = key.map((column) => `"${column}"`).join(` || ', ' || `);
  for (const { what, where } of never) {
    const found = db.prepare(`select ${keys} from "${name}" where ${where} limit 1`).pluck().get() as
      string | undefined;
    if (found !== undefined) return `a row with ${what}: ${found}`;
  }
  return 'a row that cannot be';
}

function whichColumns(db: Database.Database, { name, columns }: Table): string[] {
  const isWrong = (column: Column) =>
    db
      .prepare(`select exists (select 1 from "${name}" where ${isOfAnotherClass(column)})`)
      .pluck()
      .get() === 1;
  return columns.filter(isWrong).map((column) => `${column.name} is not ${column.type}`);
}
