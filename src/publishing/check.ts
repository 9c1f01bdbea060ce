/** Checks a new file before it is published. */
import { Database } from '../database/sqlite.ts';
import { WarehouseError } from '../lib/errors.ts';
import type { Column, DataType, Table } from './mart.ts';

/** How many rows each table must have, by the snapshot of the live file that it was built from. */
export type ExpectedRows = Record<string, number>;

/**
 * Checks a table of the file at `path`: pages, foreign keys, number of rows, storage class of every value, and rows that
 * are invalid by the mart's own rules. Returns the number of rows. Throws WarehouseError.
 */
export function checkTable(path: string, table: Table, expected: ExpectedRows): number {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    checkPages(db, table);
    if (table.contradictions === undefined) checkForeignKeys(db, table);
    else checkContradictions(db, table, table.contradictions);
    return checkRows(db, table, expected);
  } finally {
    db.close();
  }
}

function fail(table: Table, problem: string): never {
  throw new WarehouseError(`the new file is not published: its table ${table.name} ${problem}`, {
    hint: 'the published file was not changed; vodhouse publish retries. If that fails too, vodhouse backup FILE checks the live file',
  });
}

function checkPages(db: Database, table: Table): void {
  const result = db.pragma(`integrity_check('${table.name}')`, { simple: true });
  if (result !== 'ok') fail(table, `is damaged: ${String(result)}`);
}

function checkForeignKeys(db: Database, table: Table): void {
  const [orphan] = db.pragma(`foreign_key_check('${table.name}')`) as { parent: string }[];
  if (orphan) fail(table, `has rows that are not in ${orphan.parent}`);
}

function checkContradictions(db: Database, table: Table, query: string): void {
  const row = db.prepare(query).pluck().get() as string | undefined;
  if (row !== undefined) fail(table, `has ${row}`);
}

/** One pass over the table for the count, the types of all columns and invalid rows. */
function checkRows(db: Database, table: Table, expected: ExpectedRows): number {
  const wrongType = table.columns.map((column) => `(${hasWrongType(column)})`).join(' or ');
  const invalid = (table.invalid ?? []).map(({ where }) => `(${where})`).join(' or ') || '0';
  const query = `select count(*) as rows, count(*) filter (where ${wrongType}) as wrongType,
      count(*) filter (where ${invalid}) as invalid
    from "${table.name}"`;
  const counts = db.prepare(query).get() as { rows: number; wrongType: number; invalid: number };
  if (counts.wrongType > 0) fail(table, `has a value of another type: ${listWrongColumns(db, table)}`);
  const rows = expected[table.name] ?? counts.rows;
  if (counts.rows !== rows) fail(table, `has ${counts.rows} rows; by the live file it has ${rows}`);
  if (counts.invalid > 0) fail(table, `has a row with ${describeInvalidRow(db, table)}`);
  return counts.rows;
}

/**
 * Conditions in SQL by type. The order of storage classes is number, text, blob: comparing costs a third of typeof(). In
 * the other types, a number is stored as text, or found by the check of pages.
 */
const WRONG_TYPES: Partial<Record<DataType, (column: string) => string>> = {
  BIGINT: (column) => `${column} | 0 is not ${column}`,
  BOOLEAN: (column) => `${column} not in (0, 1)`,
  REAL: (column) => `${column} >= ''`,
  DATE: (column) => `${column} is not date(${column}, '+0 days')`,
  TIMESTAMP: (column) => `${column} < '' or ${column} >= x''`,
};

function hasWrongType({ name, type }: Column): string {
  return WRONG_TYPES[type]?.(`"${name}"`) ?? `"${name}" >= x''`;
}

/** The rule that the first invalid row breaks, with the key of the row. */
function describeInvalidRow(db: Database, { name, key, invalid = [] }: Table): string {
  const keys = key.map((column) => `"${column}"`).join(` || ', ' || `);
  for (const { what, where } of invalid) {
    const row = db.prepare(`select ${keys} from "${name}" where ${where} limit 1`).pluck().get() as
      string | undefined;
    if (row !== undefined) return `${what}: ${row}`;
  }
  return 'invalid values';
}

function listWrongColumns(db: Database, { name, columns }: Table): string {
  const isWrong = (column: Column) =>
    db.prepare(`select 1 from "${name}" where ${hasWrongType(column)} limit 1`).get() !== undefined;
  return columns
    .filter(isWrong)
    .map((column) => `${column.name} is not ${column.type}`)
    .join(', ');
}
