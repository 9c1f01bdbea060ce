/** The tables that all warehouses of a schema share: the days of the calendar, and the dictionary. */
import { createHash } from 'node:crypto';
import type { Mart, TableColumn } from '../../mart.ts';
import { createMarts, type Marts } from '../../marts/marts.ts';
import type { Source } from '../source.ts';
import { writeSlices } from './account-state.ts';
import { quoteName, quoteNames, type Session } from './session.ts';
import { differs, stage, upsert, type LoadContext } from './stage.ts';
import { toKey, toType, WAREHOUSE_ID } from './tables.ts';

/** Adds days that are missing; `isWhole`: mends the others too. Returns the number of rows. */
export async function loadCalendar(
  context: LoadContext,
  { db, marts }: Source,
  isWhole: boolean,
): Promise<number> {
  const { session } = context;
  const ours = db.prepare('select min(day), max(day) from dates').raw().get() as [
    string | null,
    string | null,
  ];
  const row = await session.queryOne<{ has_all: boolean | null }>(
    `SELECT count(*) = $2::date - $1::date + 1 AS has_all FROM ${session.name('dates')} WHERE day BETWEEN $1 AND $2`,
    ours,
  );
  if (ours[0] === null || (row?.has_all === true && !isWhole)) return 0;
  await stage(context, marts.dates, { where: 'true', parameters: {} });
  return session.execute(upsert(context, marts.dates, isWhole ? differs(context, marts.dates) : null));
}

/** Brings the rows of the dictionary up to this version, and keeps those of other columns. Returns the number of rows. */
export async function loadDictionary(
  session: Session,
  { marts, warehouseId }: Source,
  known: string | undefined,
): Promise<number> {
  const rows = listDictionary(marts);
  const checksum = createHash('sha1').update(JSON.stringify(rows)).digest('hex');
  if (checksum === known) return 0;
  const { name, columns, key } = marts.dictionary;
  const names = columns.map((column) => column.name);
  const types = columns.map((column) => `${quoteName(column.name)} ${toType(column)}`).join(', ');
  const others = names.filter((column) => !key.includes(column));
  const list = (of: readonly string[], alias: string) =>
    of.map((column) => `${alias}.${quoteName(column)}`).join(', ');
  const written = await session.execute(
    `INSERT INTO ${session.name(name)} AS t (${quoteNames(names)})
SELECT ${quoteNames(names)} FROM jsonb_to_recordset($1) AS r(${types}) ORDER BY ${quoteNames(key)}
ON CONFLICT (${quoteNames(key)}) DO UPDATE SET ${others.map((column) => `${quoteName(column)} = excluded.${quoteName(column)}`).join(', ')}
WHERE (${list(others, 't')}) IS DISTINCT FROM (${list(others, 'excluded')})`,
    [JSON.stringify(rows)],
  );
  await writeSlices(session, warehouseId, name, { changed: new Map([['', checksum]]), gone: [] });
  return written;
}

/**
 * The rows of the dictionary, with the types of PostgreSQL. Positions are those in a table with all columns: they are the
 * same for workers that leave out others.
 */
function listDictionary({ all }: Pick<Marts, 'all'>): Readonly<Record<string, string | number | null>>[] {
  const widest = createMarts({ durationUnit: 'ms', exclude: [] }).all;
  const positions = new Map(
    widest.map((mart) => [mart.name, listColumns(mart).map((column) => column.name)] as const),
  );
  return all.flatMap((mart) =>
    listColumns(mart).map((column) => ({
      table_name: mart.name,
      column_name: column.name,
      position: (positions.get(mart.name)?.indexOf(column.name) ?? -1) + 1,
      data_type: column === OWNER ? 'uuid' : toType(column),
      unit: column.unit,
      description: column.description,
      source_field: column.source,
      additivity: column.additivity,
    })),
  );
}

function listColumns(mart: Mart): Mart['columns'] {
  const isOwned = mart.kind === 'table' && toKey(mart)[0] === WAREHOUSE_ID;
  return isOwned ? [OWNER, ...mart.columns] : mart.columns;
}

/** Only targets have this column: a published file has one warehouse. */
const OWNER: TableColumn = {
  ...{ name: WAREHOUSE_ID, type: 'TEXT', unit: null, source: null, additivity: null, value: '' },
  description: 'The warehouse that the row is about, by its number in about.',
};
