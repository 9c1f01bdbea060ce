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
  rows: RowSet,
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
  rows: RowSet,
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

/**
 * The rows of a chunk, which takes a few milliseconds to read. Its lines are made by SQL, in half the time
 * that JavaScript needs for them.
 */
const CHUNK_ROWS = 500;

/** Which rows of a table (alias `t`): those whose rowids a temporary table has, or those that match. */
type RowSet = { rowids: string } | Rows;

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

/** The expression for the line of a row, with its end. */
function toLine(columns: readonly Column[]): string {
  return `${columns.map(toValue).join(` || ',' || `)} || char(10)`;
}

/** The rows of a set as lines of CSV in UTF-8, in the order of their rowids, or of their key. */
function* readLines(db: Database, table: Table, rows: RowSet): Generator<Buffer> {
  if (table.isWithoutRowid) {
    yield* readShortLines(db, table, rows);
    return;
  }
  const { from, rowid, where, parameters } = toSource(table.name, rows);
  const [first, last] = db
    .prepare(`select min(${rowid}), max(${rowid}) from ${from} where ${where}`)
    .raw()
    .get(parameters) as [number | null, number | null];
  if (first === null || last === null) return;
  const read = db
    .prepare(
      `select cast(group_concat(line, '') as blob), max(row) from (
  select ${toLine(table.columns)} as line, ${rowid} as row from ${from}
  where ${rowid} between :after and :last and ${where}
  order by ${rowid} limit ${CHUNK_ROWS})`,
    )
    .raw();
  for (let after = first; ;) {
    const [lines, end] = read.get({ ...parameters, after, last }) as [Buffer | null, number];
    if (lines === null) return;
    yield lines;
    after = end + 1;
  }
}

/** The same for a table without rowids, whose rows are short. */
function* readShortLines(db: Database, { name, columns }: Table, rows: RowSet): Generator<Buffer> {
  const { from, where, parameters } = toSource(name, rows);
  const select = `select ${toLine(columns)} from ${from} where ${where}`;
  let lines: string[] = [];
  for (const line of db.prepare(select).pluck().iterate(parameters) as IterableIterator<string>) {
    if (lines.push(line) < CHUNK_ROWS) continue;
    yield Buffer.from(lines.join(''));
    lines = [];
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''));
}

function toSource(table: string, rows: RowSet) {
  if ('rowids' in rows) {
    const from = `temp."${rows.rowids}" c cross join main."${table}" t on t.rowid = c.row`;
    return { from, rowid: 'c.row', where: 'true', parameters: {} };
  }
  return { from: `main."${table}" t`, rowid: 't.rowid', where: rows.where, parameters: rows.parameters };
}
