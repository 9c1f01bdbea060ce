/** Rows on their way: temporary tables of the transaction, and the statements that compare them with a table. */
import type { Database } from '../../../database/sqlite.ts';
import type { Column, Table } from '../../mart.ts';
import { readLines, type RowSet } from '../copy-lines.ts';
import { quoteName, quoteNames, type Session } from './session.ts';
import { toKey, WAREHOUSE_ID } from './tables.ts';

/** What the steps of one load share. */
export interface LoadContext {
  session: Session;
  db: Database;
  /** Columns by table that the target has. */
  targetColumns: ReadonlyMap<string, readonly string[]>;
  /** Called for texts in which NUL was replaced. */
  onNul: (count: number) => void;
}

/** The columns of a table that the target has too. */
export function listCommonColumns({ targetColumns }: LoadContext, { name, columns }: Table): Column[] {
  const theirs = targetColumns.get(name) ?? [];
  return columns.filter((column) => theirs.includes(column.name));
}

/** Copies rows straight into a table of the target. Returns the number of rows. */
export function copyInto(context: LoadContext, table: Table, rows: RowSet, into?: string): Promise<number> {
  const { session, db, onNul } = context;
  const columns = listCommonColumns(context, table);
  const names = quoteNames(columns.map(({ name }) => name));
  const sql = `COPY ${into ?? session.name(table.name)} (${names}) FROM STDIN WITH (FORMAT csv)`;
  return session.copy(sql, readLines(db, table.name, columns, rows), onNul);
}

/** The name of the temporary table for the rows of a table. */
export const stageName = (table: Table) => `pg_temp.${quoteName(`staged_${table.name}`)}`;

/**
 * Copies rows into a temporary table, which ends with the transaction. It has our columns only, without their constraints:
 * others may have added some. Returns the number of rows.
 */
export async function stage(context: LoadContext, table: Table, rows: RowSet): Promise<number> {
  const { session } = context;
  const name = stageName(table);
  const columns = listCommonColumns(context, table).map((column) => column.name);
  const all = toKey(table)[0] === WAREHOUSE_ID ? [WAREHOUSE_ID, ...columns] : columns;
  await session.execute(
    `CREATE TEMPORARY TABLE ${name} ON COMMIT DROP AS SELECT ${quoteNames(all)} FROM ${session.name(table.name)} WITH NO DATA`,
  );
  return copyInto(context, table, rows, name);
}

/** Stages rows that are joined with their table: the planner is told of their keys. */
export async function stageForJoin(context: LoadContext, table: Table, rows: RowSet): Promise<number> {
  const count = await stage(context, table, rows);
  const key = toKey(table);
  const names = key.length > 0 ? key : listCommonColumns(context, table).map(({ name }) => name);
  await context.session.execute(`ANALYZE ${stageName(table)} (${quoteNames(names)})`);
  return count;
}

/** Whether the rows of two aliases have the same key. */
export const sameKey = (one: string, other: string, key: readonly string[]) =>
  key.map((name) => `${one}.${quoteName(name)} = ${other}.${quoteName(name)}`).join(' AND ');

/**
 * The INSERT of staged rows into their table. A row that is there is replaced where the condition holds, over `t` (there) and
 * `excluded` (staged); without a condition it stays.
 */
export function upsert(context: LoadContext, table: Table, replaceWhere: string | null): string {
  const { session } = context;
  const key = toKey(table);
  const names = listCommonColumns(context, table).map(({ name }) => name);
  const all = key[0] === WAREHOUSE_ID ? [WAREHOUSE_ID, ...names] : names;
  const others = all.filter((name) => !key.includes(name));
  const set = others.map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`).join(', ');
  const action = replaceWhere === null ? 'NOTHING' : `UPDATE SET ${set} WHERE ${replaceWhere}`;
  return `INSERT INTO ${session.name(table.name)} AS t (${quoteNames(all)})
SELECT ${quoteNames(all)} FROM ${stageName(table)}
ON CONFLICT (${quoteNames(key)}) DO ${action}`;
}

/** Whether a row there differs from the staged one, over `t` and `excluded`. */
export function differs(context: LoadContext, table: Table): string {
  const names = listCommonColumns(context, table).map(({ name }) => quoteName(name));
  return `(${names.map((name) => `t.${name}`).join(', ')}) IS DISTINCT FROM (${names.map((name) => `excluded.${name}`).join(', ')})`;
}
