/** The tables that all warehouses of a schema share: the days of the calendar, and the dictionary. */
import type { Marts } from '../../marts/marts.ts';
import { createDictionaryRows } from '../../marts/about.ts';
import type { Source } from '../source.ts';
import { stage, upsert, type LoadContext } from './stage.ts';
import { toType } from './tables.ts';

/** Adds days that are missing. Returns the number of rows. */
export async function loadCalendar(context: LoadContext, { db, marts }: Source): Promise<number> {
  const { session } = context;
  const ours = db.prepare('select min(day), max(day) from dates').raw().get() as [
    string | null,
    string | null,
  ];
  const row = await session.queryOne<{ has_all: boolean | null }>(
    `SELECT min(day) <= $1::date AND max(day) >= $2::date AS has_all FROM ${session.name('dates')}`,
    ours,
  );
  if (ours[0] === null || row?.has_all === true) return 0;
  await stage(context, marts.dates, { where: 'true', parameters: {} });
  return session.execute(upsert(context, marts.dates, null));
}

/** The rows of the dictionary, with the types of PostgreSQL. */
export function listDictionary({ all }: Pick<Marts, 'all'>): (string | number | null)[][] {
  const types = new Map(
    all.flatMap((mart) =>
      mart.columns.map((column) => [`${mart.name}.${column.name}`, toType(column)] as const),
    ),
  );
  return createDictionaryRows(all).map(([table = null, column = null, position = null, , ...others]) => [
    ...[table, column, position, types.get(`${table}.${column}`) ?? null, ...others],
  ]);
}
