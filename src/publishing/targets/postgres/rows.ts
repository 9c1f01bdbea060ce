/** Writes rows into a target: by COPY into a table, or into a temporary one that a table is made equal to. */
import type { Database } from '../../../database/sqlite.ts';
import type { Column, Table } from '../../marts/mart.ts';
import type { Rows } from '../source.ts';
import { quoteName, quoteNames, quoteText } from './session.ts';
import { isOfWarehouse, toKey, WAREHOUSE_ID, type Context } from './tables.ts';

const namesOf = ({ columns }: Table) => columns.map(({ name }) => name);

/** Copies rows into a table, by default that of the target. Returns the number of rows. */
export function copyInto(
  { session, source }: Context,
  table: Table,
  rows: Rows,
  into = session.name(table.name),
): Promise<number> {
  const sql = `COPY ${into} (${quoteNames(namesOf(table))}) FROM STDIN WITH (FORMAT csv)`;
  return session.copyIn(sql, readLines(source.db, table, rows));
}

/** The temporary table with the rows of a table; it ends with the transaction. */
const stageName = ({ name }: Table) => `pg_temp.${quoteName(`staged_${name}`)}`;

/** Rows of a table (alias `t`) of which the file has all: any other row that matches is deleted. */
export interface Scope {
  where: string;
  values: readonly unknown[];
}

/**
 * Brings a table up to date, once in a transaction: stages rows of the published file, deletes the rows of
 * the scope that are not staged (null: none), and writes what is new or differs. Returns the number of rows
 * written and deleted.
 */
export async function replace(
  context: Context,
  table: Table,
  rows: Rows,
  scope: Scope | null,
): Promise<number> {
  const { session, source } = context;
  const [target, staged, key] = [session.name(table.name), stageName(table), toKey(table)];
  const isOwned = isOfWarehouse(table.name);
  const names = [...(isOwned ? [WAREHOUSE_ID] : []), ...namesOf(table)];
  await session.execute(
    `CREATE TEMPORARY TABLE ${staged} ON COMMIT DROP
AS SELECT ${quoteNames(names)} FROM ${target} WITH NO DATA`,
  );
  if (isOwned)
    await session.execute(
      `ALTER TABLE ${staged} ALTER ${WAREHOUSE_ID} SET DEFAULT ${quoteText(source.warehouseId)}`,
    );
  await copyInto(context, table, rows, staged);
  const isSame = key.map((name) => `t.${quoteName(name)} = s.${quoteName(name)}`).join(' AND ');
  const deleted =
    scope === null
      ? 0
      : await session.execute(
          `DELETE FROM ${target} t
WHERE ${scope.where} AND NOT EXISTS (SELECT FROM ${staged} s WHERE ${isSame})`,
          scope.values,
        );
  const select = `SELECT ${quoteNames(names)} FROM ${staged} s`;
  const insert = `INSERT INTO ${target} AS t (${quoteNames(names)})`;
  // in the order of the key, so that two loads cannot lock each other out
  const written = await session.execute(
    `${insert} ${select} ORDER BY ${quoteNames(key)} ${updateWhereDistinct(key, names)}`,
  );
  return deleted + written;
}

function updateWhereDistinct(key: readonly string[], names: readonly string[]): string {
  const list = (alias: string) => names.map((name) => `${alias}.${quoteName(name)}`).join(', ');
  return `ON CONFLICT (${quoteNames(key)}) DO UPDATE SET (${quoteNames(names)}) = ROW (${list('excluded')})
WHERE (${list('t')}) IS DISTINCT FROM (${list('excluded')})`;
}

/** The rows that are sent together. */
const CHUNK_ROWS = 500;

/**
 * The expression for a value in a line of CSV. NULL is empty, and an empty text is `""`. `quote` writes a
 * REAL with all its digits, but infinity as `9.0e+999`, which PostgreSQL does not read.
 */
function toValue({ name, type }: Column): string {
  const value = `t."${name}"`;
  if (type === 'REAL') return `iif(${value} is null, '', replace(quote(${value}), '9.0e+999', 'Infinity'))`;
  if (type === 'BIGINT' || type === 'BOOLEAN' || type === 'DATE' || type === 'TIMESTAMP')
    return `ifnull(${value}, '')`;
  return `ifnull('"' || replace(${value}, '"', '""') || '"', '')`;
}

/** The rows as lines of CSV in UTF-8. SQL makes them in half the time that JavaScript needs. */
function* readLines(db: Database, { name, columns }: Table, { where, parameters }: Rows): Generator<Buffer> {
  const line = `${columns.map(toValue).join(` || ',' || `)} || char(10)`;
  const select = db.prepare(`select cast(${line} as blob) from main."${name}" t where ${where}`).pluck();
  let lines: Buffer[] = [];
  for (const each of select.iterate(parameters) as IterableIterator<Buffer>) {
    if (lines.push(each) < CHUNK_ROWS) continue;
    yield Buffer.concat(lines);
    lines = [];
  }
  yield Buffer.concat(lines);
}
