/** Checks a new file before it is published. */
import { Database } from '../database/sqlite.ts';
import { WarehouseError } from '../lib/errors.ts';
import { PARENTS, type Column, type DataType, type InvalidRows, type Table } from './marts/mart.ts';

/**
 * SQLite's page cache. With more, a scan takes a fifth longer: pages leave the cache of the processor before
 * they are used again.
 */
export const CACHE_KIB = 1000;

/** How many rows each table must have, by the snapshot of the live file that it was built from. */
export type ExpectedRows = Record<string, number>;

/**
 * Checks the file at `path`: foreign keys, number of rows and storage class of every value in the tables,
 * rows that are invalid by the mart's own rules, and then what SQLite itself checks of pages and indexes.
 * Returns the number of rows by table. Throws WarehouseError.
 */
export function checkFile(
  path: string,
  tables: readonly Table[],
  expected: ExpectedRows,
): Record<string, number> {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    db.pragma(`cache_size = -${CACHE_KIB}`);
    const rows = Object.fromEntries(tables.map((table) => [table.name, checkTable(db, table, expected)]));
    const result = String(db.pragma('integrity_check', { simple: true }));
    if (result !== 'ok') fail(`it is damaged: ${result}`);
    return rows;
  } finally {
    db.close();
  }
}

function fail(problem: string): never {
  throw new WarehouseError(`the new file is not published: ${problem}`, {
    hint: [
      'the published file was not changed; ',
      { command: 'publish' },
      ' retries. If that fails too, ',
      { command: 'backup FILE' },
      ' checks the live file',
    ],
  });
}

/** One pass over the table for the count, the types of all columns, foreign keys and invalid rows. */
function checkTable(db: Database, table: Table, expected: ExpectedRows): number {
  const { name, columns, foreignKeys = [], invalid = [] } = table;
  const types = columns.map((column) => ({
    what: `a ${column.name} that is not ${column.type}`,
    where: hasWrongType(column),
  }));
  const rules = [...types, ...foreignKeys.map(lacksParent), ...invalid];
  const isInvalid = rules.map(({ where }) => `(${where})`).join(' or ');
  const query = `select count(*) as rows, count(*) filter (where ${isInvalid}) as invalid from "${name}"`;
  const counts = db.prepare(query).get() as { rows: number; invalid: number };
  if (counts.invalid > 0) fail(`its table ${table.name} has ${describeInvalidRow(db, table, rules)}`);
  const rows = expected[name] ?? counts.rows;
  if (counts.rows !== rows)
    fail(`its table ${name} has ${counts.rows} rows; by the live file it has ${rows}`);
  return counts.rows;
}

const lacksParent = (column: keyof typeof PARENTS): InvalidRows => ({
  what: `a ${column} that is not in ${PARENTS[column]}`,
  where: `"${column}" not in (select "${column}" from "${PARENTS[column]}")`,
});

/** The first rule that a row breaks, with the key of the row. */
function describeInvalidRow(db: Database, { name, key }: Table, rules: readonly InvalidRows[]): string {
  const keys = key.map((column) => `"${column}"`).join(` || ', ' || `);
  for (const { what, where } of rules) {
    const select = `select ${keys} || '' from "${name}" where ${where} limit 1`;
    const row = db.prepare(select).pluck().get() as string | undefined;
    if (row !== undefined) return `${what}: ${row}`;
  }
  return 'invalid values';
}

/**
 * The condition in SQL, by type, that is true for a value of another storage class. SQLite sorts numbers
 * before texts and texts before blobs, so a comparison finds the class in a third of the time of typeof(). A
 * column of a type that is not in the list has text affinity: SQLite stores a number in it as text, so that
 * only a blob is wrong.
 */
const WRONG_TYPES: Partial<Record<DataType, (column: string) => string>> = {
  BIGINT: (column) => `${column} | 0 is not ${column}`,
  BOOLEAN: (column) => `${column} not in (0, 1)`,
  REAL: (column) => `${column} >= ''`,
  DATE: (column) => `${column} < '' or ${column} >= x''`,
  TIMESTAMP: (column) => `${column} < '' or ${column} >= x''`,
};

function hasWrongType({ name, type }: Column): string {
  return WRONG_TYPES[type]?.(`"${name}"`) ?? `"${name}" >= x''`;
}
