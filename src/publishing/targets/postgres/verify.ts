/** Compares the counts and integer sums of an account in the published file with those in the target. */
import type { Column, Table } from '../../mart.ts';
import {
  listAccountSlices,
  listVideoTables,
  listWarehouseSlices,
  selectOwned,
  type Owner,
} from '../shipped-tables.ts';
import type { Source } from '../source.ts';
import { getLoadedShape } from './choose-kind.ts';
import { quoteName, type Session } from './session.ts';
import { WAREHOUSE_ID } from './tables.ts';

/** Sums of remainders: those of large numbers do not overflow, and are the same in both. Not of REAL: their order counts. */
const MODULUS = 2_147_483_647;

/**
 * The first difference of each table, in words; none where both sides are equal. Null if the target has another state than
 * the file: then there is nothing to compare.
 */
export async function findDifferences(
  session: Session,
  source: Source,
  account: string,
  targetColumns: ReadonlyMap<string, readonly string[]>,
  loadTimeoutMs: number,
): Promise<string[] | null> {
  await beginComparison(session, loadTimeoutMs);
  const state = await session.queryOne<{
    timeline: string | null;
    shape: string | null;
    is_current: boolean;
  }>(
    `SELECT timeline, shape, published_at = ($2 || ' UTC')::timestamptz AS is_current
FROM ${session.name('vodhouse_account')} WHERE account = $1`,
    [account, source.publishedAt],
  );
  if (
    state?.timeline !== source.timeline ||
    state.shape !== getLoadedShape(source, targetColumns) ||
    !state.is_current
  ) {
    await session.execute('ROLLBACK');
    return null;
  }
  const differences = await compareTables(session, source, { account }, listTables(source), targetColumns);
  await session.execute('ROLLBACK');
  return differences;
}

/** One snapshot, and the settings of a load: a role may have others, such as a short statement_timeout. */
async function beginComparison(session: Session, loadTimeoutMs: number): Promise<void> {
  await session.execute('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await session.setLocal({
    ...{ timezone: 'UTC', datestyle: 'ISO', jit: 'off' },
    statement_timeout: loadTimeoutMs,
    idle_in_transaction_session_timeout: loadTimeoutMs,
  });
}

/**
 * The same for the tables of a warehouse, and the days of the calendar, of which a target may have more. The dictionary is
 * mended without a comparison: workers of other versions describe columns in other words.
 */
export async function findWarehouseDifferences(
  session: Session,
  source: Source,
  targetColumns: ReadonlyMap<string, readonly string[]>,
  loadTimeoutMs: number,
): Promise<string[] | null> {
  const { warehouseId, db, marts, publishedAt } = source;
  await beginComparison(session, loadTimeoutMs);
  const facts = await session.query<{ key: string; value: string | null }>(
    `SELECT key, value FROM ${session.name('about')} WHERE warehouse_id = $1`,
    [warehouseId],
  );
  const theirs = new Map(facts.rows.map(({ key, value }) => [key, value]));
  const isOther = ![undefined, publishedAt].includes(theirs.get('published_at') ?? undefined);
  const tables = listWarehouseSlices(marts).map(({ table }) => table);
  const differences = isOther
    ? []
    : await compareTables(session, source, { warehouseId }, tables, targetColumns);
  const ours = db.prepare('select key, value from about').raw().all() as [string, string | null][];
  const changed = ours.filter(
    ([key, value]) => theirs.get(key) !== value?.replaceAll('\0', '\uFFFD') && value !== theirs.get(key),
  );
  if (changed.length > 0) differences.push(`about: ${changed.map(([key]) => key).join(', ')} differ`);
  differences.push(...(await compareTables(session, source, 'everybody', [marts.dates], targetColumns)));
  await session.execute('ROLLBACK');
  return isOther ? null : differences;
}

/** Whose rows are compared: of an account, of a warehouse, or all that the file has. */
type Compared = Owner | 'everybody';

/** Counts and sums of tables: the first difference of each. */
async function compareTables(
  session: Session,
  source: Source,
  owner: Compared,
  tables: readonly Table[],
  targetColumns: ReadonlyMap<string, readonly string[]>,
): Promise<string[]> {
  const differences: string[] = [];
  for (const table of tables) {
    const columns = table.columns.filter(({ name }) => targetColumns.get(table.name)?.includes(name));
    const asked = sumTheirs(session, source, owner, table, columns); // the server counts while this process does
    asked.catch(() => undefined);
    const ours = sumOurs(source, owner, table, columns);
    const theirs = await asked;
    const names = [
      'rows',
      ...columns.map((column) => `${isSummed(column) ? 'sum' : 'count'} of ${column.name}`),
    ];
    const index = ours.findIndex((value, at) => value !== theirs[at]);
    if (index >= 0)
      differences.push(
        `${table.name}: ${names[index]} is ${theirs[index]} in the target, ${ours[index]} in the file`,
      );
  }
  return differences;
}

const listTables = ({ marts }: Source): Table[] => [
  ...listVideoTables(marts),
  ...listAccountSlices(marts).map(({ table }) => table),
];

/** Numbers and flags have sums; of other values those that are there are counted. */
const isSummed = ({ type }: Column): boolean => type === 'BIGINT' || type === 'BOOLEAN';

function sumOurs({ db }: Source, owner: Compared, table: Table, columns: readonly Column[]): string[] {
  const all = { where: 'true', parameters: {} };
  const { where, parameters } = owner === 'everybody' ? all : selectOwned(table, owner);
  const sums = columns.map((column) =>
    isSummed(column) ? `coalesce(sum(t."${column.name}" % ${MODULUS}), 0)` : `count(t."${column.name}")`,
  );
  const row = db
    .prepare(`select ${['count(*)', ...sums].join(', ')} from main."${table.name}" t where ${where}`)
    .raw()
    .safeIntegers()
    .get(parameters) as bigint[];
  return row.map(String);
}

async function sumTheirs(
  session: Session,
  { db }: Source,
  owner: Compared,
  table: Table,
  columns: readonly Column[],
): Promise<string[]> {
  const sums = columns.map((column) => {
    const { name, type } = column;
    const value = `t.${quoteName(name)}`;
    if (!isSummed(column)) return `count(${value})::text`;
    return `coalesce(sum(${type === 'BOOLEAN' ? `${value}::int` : `${value} % ${MODULUS}`}), 0)::text`;
  });
  const expressions = ['count(*)::text', ...sums].map((sum, index) => `${sum} AS c${index}`);
  const { where, values } = selectTheirs(db, owner);
  const row = await session.queryOne<Record<string, string>>(
    `SELECT ${expressions.join(', ')} FROM ${session.name(table.name)} t WHERE ${where}`,
    values,
  );
  return expressions.map((_, index) => row?.[`c${index}`] ?? '');
}

/** The condition for the rows (alias `t`), and its values; of the calendar: the days that the file has. */
function selectTheirs(db: Source['db'], owner: Compared) {
  if (owner === 'everybody') {
    const ends = db.prepare('select min(day), max(day) from dates').raw().get() as unknown[];
    return { where: 't.day BETWEEN $1 AND $2', values: ends };
  }
  return 'account' in owner
    ? { where: 't.account = $1', values: [owner.account] }
    : { where: `t.${WAREHOUSE_ID} = $1`, values: [owner.warehouseId] };
}
