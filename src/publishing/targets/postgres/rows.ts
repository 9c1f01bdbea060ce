/** Rows on their way into a target: COPY, temporary tables of the transaction, and statements that compare them with a table. */
import type { Table } from '../../mart.ts';
import { hasRows, readLines, type RowSet } from '../copy-lines.ts';
import type { Source } from '../source.ts';
import { quoteName, quoteNames, type Session } from './session.ts';
import { toKey, WAREHOUSE_ID } from './tables.ts';

/** What the steps of one load share. */
export interface LoadContext {
  session: Session;
  source: Source;
  /** Called for texts in which NUL was replaced. */
  onNul: (count: number) => void;
}

/** Whose rows are written: of an account, of the warehouse of the source, or those that all share. */
export type Owner = { account: string } | 'warehouse' | 'everybody';

const namesOf = ({ columns }: Table) => columns.map(({ name }) => name);

/** Copies rows into a table, by default that of the target. Returns the number of rows. */
export function copyInto(
  { session, source, onNul }: LoadContext,
  table: Table,
  rows: RowSet,
  into = session.name(table.name),
): Promise<number> {
  const sql = `COPY ${into} (${quoteNames(namesOf(table))}) FROM STDIN WITH (FORMAT csv)`;
  return session.copyIn(sql, readLines(source.db, table.name, table.columns, rows), onNul);
}

/** The name of the temporary table for the rows of a table. */
const stageName = (table: Table) => `pg_temp.${quoteName(`staged_${table.name}`)}`;

/** Copies rows into a temporary table without constraints, which ends with the transaction; the planner knows its keys. Returns its name. */
export async function stage(context: LoadContext, table: Table, rows: RowSet): Promise<string> {
  const { session } = context;
  const [into, names] = [stageName(table), namesOf(table)];
  await session.execute(
    `CREATE TEMPORARY TABLE ${into} ON COMMIT DROP AS SELECT ${quoteNames(names)} FROM ${session.name(table.name)} WITH NO DATA`,
  );
  await copyInto(context, table, rows, into);
  const key = toKey(table).filter((name) => names.includes(name));
  await session.execute(`ANALYZE ${into} (${quoteNames(key.length > 0 ? key : names)})`);
  return into;
}

/** Whether the rows of two aliases have the same values in some columns. */
export const haveSame = (one: string, other: string, columns: readonly string[]) =>
  columns.map((name) => `${one}.${quoteName(name)} = ${other}.${quoteName(name)}`).join(' AND ');

/**
 * Inserts the staged rows of a table in the order of their key, so that two loads cannot lock each other out. A row that exists
 * is replaced where the condition holds, over `t` (the target) and `excluded` (staged); by default where any value differs.
 * Returns the number of rows written.
 */
export function upsert(
  { session, source }: LoadContext,
  table: Table,
  replaceWhere = differs(table),
): Promise<number> {
  const [key, names] = [toKey(table), namesOf(table)];
  const isOwned = key[0] === WAREHOUSE_ID;
  const set = names.flatMap((name) =>
    key.includes(name) ? [] : [`${quoteName(name)} = excluded.${quoteName(name)}`],
  );
  return session.execute(
    `INSERT INTO ${session.name(table.name)} AS t (${isOwned ? `${WAREHOUSE_ID}, ` : ''}${quoteNames(names)})
SELECT ${isOwned ? '$1::uuid, ' : ''}${quoteNames(names)} FROM ${stageName(table)} ORDER BY ${quoteNames(key.filter((name) => names.includes(name)))}
ON CONFLICT (${quoteNames(key)}) DO UPDATE SET ${set.join(', ')} WHERE ${replaceWhere}`,
    isOwned ? [source.warehouseId] : [],
  );
}

/** Whether any value of a row differs. */
function differs(table: Table): string {
  const list = (alias: string) =>
    namesOf(table)
      .map((name) => `${alias}.${quoteName(name)}`)
      .join(', ');
  return `(${list('t')}) IS DISTINCT FROM (${list('excluded')})`;
}

/** Rows of a table that are replaced. */
export interface Part {
  table: Table;
  owner: Owner;
  rows: RowSet;
  /** Which rows of the owner, over `t`; by default all. */
  within?: string;
}

/**
 * Makes a part of a table equal to the rows of the published file: deletes what is not there, and writes what differs. Returns
 * the number of rows written and deleted.
 */
export async function replace(
  context: LoadContext,
  { table, owner, rows, within = 'true' }: Part,
): Promise<number> {
  const { session, source } = context;
  const isStaged = hasRows(source.db, table.name, rows);
  const staged = isStaged ? await stage(context, table, rows) : null;
  const key = toKey(table).filter((name) => name !== WAREHOUSE_ID);
  const isGone =
    staged === null ? '' : `AND NOT EXISTS (SELECT FROM ${staged} s WHERE ${haveSame('t', 's', key)})`;
  const [where, values] = selectOwned(owner, source);
  const deleted = await session.execute(
    `DELETE FROM ${session.name(table.name)} t WHERE ${where} AND ${within} ${isGone}`,
    values,
  );
  return deleted + (staged === null ? 0 : await upsert(context, table));
}

/** Rows that all share are never deleted: another warehouse may have them. */
function selectOwned(owner: Owner, { warehouseId }: Source): [where: string, values: string[]] {
  if (owner === 'everybody') return ['false', []];
  return owner === 'warehouse'
    ? [`t.${WAREHOUSE_ID} = $1`, [warehouseId]]
    : ['t.account = $1', [owner.account]];
}
