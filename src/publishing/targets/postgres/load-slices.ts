/** Loads the small tables, slice by slice. A booked day never changes its figures. */
import type { Table } from '../../mart.ts';
import { listFigures, type Owner } from '../shipped-tables.ts';
import type { SliceChanges } from '../slices.ts';
import { writeSlices } from './account-state.ts';
import { quoteName, type Session } from './session.ts';
import {
  differs,
  listCommonColumns,
  sameKey,
  stageForJoin,
  stageName,
  upsert,
  type LoadContext,
} from './stage.ts';
import { toKey, toType, WAREHOUSE_ID } from './tables.ts';

export interface LoadedSlices {
  /** Rows written and deleted. */
  rows: number;
  /** Booked days (`YYYY-MM-DD`) that have other figures in the target: they were left as they are. */
  bookedDays: string[];
}

/**
 * Makes the changed slices of a table equal to those of the published file; `isWhole`: all rows of the owner are sent.
 * `mayReplaceBooked`: a person let the booked days of the account go; those that differ are set aside.
 */
export async function loadSlices(
  context: LoadContext,
  owner: Owner,
  changes: SliceChanges,
  { isWhole, mayReplaceBooked }: { isWhole: boolean; mayReplaceBooked: boolean },
): Promise<LoadedSlices> {
  const { session } = context;
  const { table } = changes.sliced;
  if (changes.changed.size === 0 && changes.gone.length === 0 && !isWhole) return { rows: 0, bookedDays: [] };
  const isStaged = changes.changed.size > 0; // else all rows of these slices go
  const id = 'account' in owner ? owner.account : owner.warehouseId;
  if (isStaged) await stageOwned(context, owner, changes);
  const scope = selectSlices(changes, isWhole);
  const values = [id, ...scope.values];
  const guard = table.name === 'storage_daily' ? guardBooked(session, table) : null;
  const bookedDays = guard ? await findBookedDays(context, isStaged ? guard : null, scope.where, values) : [];
  if (guard && mayReplaceBooked) await setAsideBooked(context, table, id, bookedDays);
  const isKept = guard && !mayReplaceBooked;
  const isGone = `NOT EXISTS (SELECT FROM ${stageName(table)} s WHERE ${sameKey('t', 's', toKey(table))})`;
  const deleted = await session.execute(
    `DELETE FROM ${session.name(table.name)} t WHERE ${scope.where} ${isKept ? `AND t.state <> 'booked'` : ''}
${isStaged ? `AND ${isGone}` : ''}`,
    values,
  );
  if (isStaged && isKept && bookedDays.length > 0)
    await session.execute(`DELETE FROM ${stageName(table)} WHERE day = ANY ($1::date[])`, [bookedDays]);
  const written = isStaged ? await session.execute(upsert(context, table, differs(context, table))) : 0;
  const left = isKept ? bookedDays : [];
  if (listCommonColumns(context, table).length === table.columns.length)
    await writeSlices(session, id, table.name, withoutDays(changes, left)); // else all is sent again
  return { rows: deleted + written, bookedDays: left };
}

/** Stages the rows of the changed slices, and whose they are. */
async function stageOwned(context: LoadContext, owner: Owner, { sliced, rows }: SliceChanges): Promise<void> {
  await stageForJoin(context, sliced.table, rows);
  if ('warehouseId' in owner)
    await context.session.execute(`UPDATE ${stageName(sliced.table)} SET ${WAREHOUSE_ID} = $1`, [
      owner.warehouseId,
    ]);
}

/** The slices of days that were left get a checksum that none has: each load compares them again. */
function withoutDays(
  { changed, gone }: SliceChanges,
  left: readonly string[],
): { changed: ReadonlyMap<string, string>; gone: readonly string[] } {
  const months = left.map((day) => [day.slice(0, 7), 'booked days differ'] as const);
  const marked = new Map([...changed, ...months]);
  return { changed: marked, gone: gone.filter((slice) => !marked.has(slice)) };
}

/**
 * The condition for the rows of the slices in the target (alias `t`): `$1` is the owner, the others are `values`. The range
 * from the first slice to the last one keeps the rest of a table from being read.
 */
export function selectSlices(
  { sliced, changed, gone }: Pick<SliceChanges, 'sliced' | 'changed' | 'gone'>,
  isWhole: boolean,
): { where: string; values: readonly unknown[] } {
  const { table, by } = sliced;
  const isOwned = `t.${quoteName(toKey(table)[0] === WAREHOUSE_ID ? WAREHOUSE_ID : 'account')} = $1`;
  if (by === null || isWhole) return { where: isOwned, values: [] };
  const column = table.columns.find(({ name }) => name === by.column);
  const isMoment = column && toType(column) === 'timestamp with time zone';
  const value = `t.${quoteName(by.column)}`;
  const toBound = (day: string) => (isMoment ? `${day}::timestamp AT TIME ZONE 'UTC'` : `${day}::date`);
  const text = `to_char(${value}${isMoment ? ` AT TIME ZONE 'UTC'` : ''}, 'YYYY-MM-DD')`;
  const slices = [...changed.keys(), ...gone];
  return {
    where: `${isOwned} AND ${value} >= ${toBound('$3')} AND ${value} < ${toBound('$4')} AND left(${text}, ${by.length}) = ANY ($2)`,
    values: [slices, ...findRange(slices)],
  };
}

/** The first day of the first slice, and the day after the last one. Of months and of days. */
export function findRange(slices: readonly string[]): [from: string, to: string] {
  const sorted = [...slices].sort();
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)];
  const [year, month, day] = last.split('-').map(Number);
  const end =
    day === undefined ? Date.UTC(year ?? 0, month ?? 0, 1) : Date.UTC(year ?? 0, (month ?? 1) - 1, day + 1);
  return [first.length === 7 ? `${first}-01` : first, new Date(end).toISOString().slice(0, 10)];
}

/** Whether a staged day `s` contradicts the booked day `t`: other figures, and no correction that allows them. */
function guardBooked(session: Session, table: Table): string {
  const figures = listFigures(table);
  const row = (alias: string) => figures.map(({ name }) => `${alias}.${quoteName(name)}`).join(', ');
  return `(s.state IS DISTINCT FROM 'booked' OR (${row('t')}) IS DISTINCT FROM (${row('s')}) AND NOT (s.is_corrected AND EXISTS (
  SELECT FROM ${session.name('storage_corrections')} c
  WHERE c.account = s.account AND c.day = s.day AND c.accepted_at = s.observed_at)))`;
}

/** The booked days (`YYYY-MM-DD`) that differ from the staged ones; without a guard, nothing is staged: all of them. */
async function findBookedDays(
  { session }: LoadContext,
  guard: string | null,
  where: string,
  values: readonly unknown[],
): Promise<string[]> {
  const staged = 'LEFT JOIN pg_temp.staged_storage_daily s ON s.account = t.account AND s.day = t.day';
  const { rows } = await session.query<{ day: string }>(
    `SELECT to_char(t.day, 'YYYY-MM-DD') AS day FROM ${session.name('storage_daily')} t ${guard === null ? '' : staged}
WHERE ${where} AND t.state = 'booked' ${guard === null ? '' : `AND ${guard}`} ORDER BY t.day`,
    values,
  );
  return rows.map(({ day }) => day);
}

/** Keeps booked days that a person lets go, and allows this transaction to replace or delete them. */
export async function setAsideBooked(
  context: LoadContext,
  table: Table,
  account: string,
  days: readonly string[],
): Promise<void> {
  const { session } = context;
  const names = listCommonColumns(context, table)
    .map(({ name }) => quoteName(name))
    .join(', ');
  await session.execute(
    `INSERT INTO ${session.name('vodhouse_lost_storage')} (${names}, set_aside_at)
SELECT ${names}, now() FROM ${session.name(table.name)} WHERE account = $1 AND day = ANY ($2::date[])`,
    [account, days],
  );
  await session.execute(`SELECT set_config('vodhouse.rebuild', $1, true)`, [account]);
}
