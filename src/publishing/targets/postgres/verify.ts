/** Compares the counts and integer sums of an account in the published file with those in the target. */
import type { Column, Table } from '../../mart.ts';
import { listAccountSlices, selectOwned } from '../shipped-tables.ts';
import type { Source } from '../source.ts';
import { quoteName, type Session } from './session.ts';

/** Sums of remainders: those of large numbers do not overflow, and are the same in both. Not of REAL: their order counts. */
const MODULUS = 2_147_483_647;

/**
 * The first difference of each table, in words; none where both sides are equal. Null if the target has another state than
 * the file: then there is nothing to compare. `sinceLoad`: the number of the load that the target must have.
 */
export async function findDifferences(
  session: Session,
  source: Source,
  account: string,
  targetColumns: ReadonlyMap<string, readonly string[]>,
): Promise<string[] | null> {
  await session.execute('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const state = await session.queryOne<{
    timeline: string | null;
    shape: string | null;
    is_current: boolean;
  }>(
    `SELECT timeline, shape, published_at = ($2 || ' UTC')::timestamptz AS is_current
FROM ${session.name('vodhouse_account')} WHERE account = $1`,
    [account, source.publishedAt],
  );
  if (state?.timeline !== source.timeline || state.shape !== source.shape || !state.is_current) {
    await session.execute('ROLLBACK');
    return null;
  }
  const differences: string[] = [];
  for (const table of listTables(source)) {
    const columns = listIntegers(table, targetColumns.get(table.name) ?? []);
    const asked = sumTheirs(session, account, table, columns); // the server counts while this process does
    asked.catch(() => undefined);
    const ours = sumOurs(source, account, table, columns);
    const theirs = await asked;
    const names = ['rows', ...columns.map(({ name }) => `sum of ${name}`)];
    const index = ours.findIndex((value, at) => value !== theirs[at]);
    if (index >= 0)
      differences.push(
        `${table.name}: ${names[index]} is ${theirs[index]} in the target, ${ours[index]} in the file`,
      );
  }
  await session.execute('ROLLBACK');
  return differences;
}

function listTables({ marts }: Source): Table[] {
  const large = [marts.videos, marts.videoHistory, ...(marts.videoTags ? [marts.videoTags] : [])];
  return [...large, ...listAccountSlices(marts).map(({ table }) => table)];
}

/** The numbers and flags of a table, at its front: to read these of a row is cheap. */
function listIntegers({ columns }: Table, theirs: readonly string[]): Column[] {
  return columns.filter(
    ({ name, type }) => (type === 'BIGINT' || type === 'BOOLEAN') && theirs.includes(name),
  );
}

function sumOurs({ db }: Source, account: string, table: Table, columns: readonly Column[]): string[] {
  const { where, parameters } = selectOwned(table, { account });
  const sums = columns.map(({ name }) => `coalesce(sum(t."${name}" % ${MODULUS}), 0)`);
  const row = db
    .prepare(`select ${['count(*)', ...sums].join(', ')} from main."${table.name}" t where ${where}`)
    .raw()
    .safeIntegers()
    .get(parameters) as bigint[];
  return row.map(String);
}

async function sumTheirs(
  session: Session,
  account: string,
  table: Table,
  columns: readonly Column[],
): Promise<string[]> {
  const sums = columns.map(({ name, type }) => {
    const value = `t.${quoteName(name)}`;
    return `coalesce(sum(${type === 'BOOLEAN' ? `${value}::int` : `${value} % ${MODULUS}`}), 0)::text`;
  });
  const expressions = ['count(*)::text', ...sums].map((sum, index) => `${sum} AS c${index}`);
  const row = await session.queryOne<Record<string, string>>(
    `SELECT ${expressions.join(', ')} FROM ${session.name(table.name)} t WHERE t.account = $1`,
    [account],
  );
  return expressions.map((_, index) => row?.[`c${index}`] ?? '');
}
