/** Loads the videos of an account: their present states, their history, their tags. */
import type { Table } from '../../mart.ts';
import { hasRows, type RowSet } from '../copy-lines.ts';
import type { Delta, TableRows } from '../delta.ts';
import { RowsDifferError } from '../load-errors.ts';
import { listExcludedColumns } from '../shipped-tables.ts';
import type { ChosenKind } from './choose-kind.ts';
import { quoteName, quoteNames } from './session.ts';
import {
  copyInto,
  differs,
  listCommonColumns,
  sameKey,
  stage,
  stageForJoin,
  stageName,
  upsert,
  type LoadContext,
} from './stage.ts';
import { toKey } from './tables.ts';

/** Copies everything into tables that have no row of the account. Returns the number of rows. */
export async function loadFirst(context: LoadContext, delta: Delta): Promise<number> {
  let rows = 0;
  for (const each of [delta.videos, delta.history, delta.tags])
    if (each) rows += await copyInto(context, each.table, each.rows);
  return rows;
}

/** Brings in new states. Returns the number of rows. Throws RowsDifferError. */
export async function loadChanges(context: LoadContext, delta: Delta): Promise<number> {
  if (delta.changedVideos === 0) return 0;
  const { videos, history } = delta;
  const { name } = videos.table;
  const sent = await stage(context, videos.table, videos.rows);
  const newer = upsert(context, videos.table, 't.change_seq < excluded.change_seq');
  const taken = await context.session.execute(newer);
  if (sent !== taken) throw new RowsDifferError(`${name}: ${sent} rows were sent, and ${taken} taken`);
  return taken + (await copyStates(context, history)) + (await replaceChangedTags(context, delta));
}

const UNIQUE_VIOLATION = '23505';

/** Copies former states that the target lacks. */
async function copyStates(context: LoadContext, { table, rows }: TableRows): Promise<number> {
  try {
    return await copyInto(context, table, rows);
  } catch (error) {
    const { code, detail = '' } = error as { code?: unknown; detail?: string };
    throw code === UNIQUE_VIOLATION ? new RowsDifferError(`${table.name}: ${detail}`) : error;
  }
}

/** Most changes of a video leave its tags: only those of the others are written. */
async function replaceChangedTags(context: LoadContext, { videos, tags }: Delta): Promise<number> {
  if (tags === null || !hasRows(context.db, videos.table.name, tags.videos)) return 0;
  const keys = await stageKeys(context, videos.table, tags.videos);
  const deleted = await context.session.execute(
    `DELETE FROM ${context.session.name(tags.table.name)} t USING ${keys} v WHERE ${sameKey('t', 'v', VIDEO_KEY)}`,
  );
  return deleted + (await copyInto(context, tags.table, tags.rows));
}

const VIDEO_KEY = ['account', 'package_id', 'video_id'];

/** Copies the keys of videos into a temporary table. Returns its name. */
async function stageKeys(context: LoadContext, videos: Table, rows: RowSet): Promise<string> {
  const { session } = context;
  const names = quoteNames(VIDEO_KEY);
  await session.execute(
    `CREATE TEMPORARY TABLE staged_keys ON COMMIT DROP AS SELECT ${names} FROM ${session.name(videos.name)} WITH NO DATA`,
  );
  const columns = videos.columns.filter(({ name }) => VIDEO_KEY.includes(name));
  await copyInto(context, { ...videos, columns }, rows, 'pg_temp.staged_keys');
  return 'pg_temp.staged_keys';
}

/**
 * Makes the rows of an account equal to all rows of the published file: writes what differs, deletes what is not there. States
 * that only the target has are set aside where `lost` is not null. Returns the number of rows written, and set aside.
 */
export async function reload(
  context: LoadContext,
  account: string,
  delta: Delta,
  lost: ChosenKind['lost'],
): Promise<{ rows: number; setAside: number }> {
  const { session } = context;
  const { videos, history, tags } = delta;
  await stageForJoin(context, videos.table, videos.rows);
  await stageForJoin(context, history.table, history.rows);
  const setAside = lost === null ? 0 : await setAsideStates(context, account, delta, lost.timeline);
  let rows = setAside;
  for (const { table } of [videos, history]) {
    rows += await session.execute(deleteUnstaged(context, table, toKey(table)), [account]);
    rows += await session.execute(upsert(context, table, differs(context, table)));
  }
  if (tags) rows += await reloadTags(context, account, { ...delta, tags });
  for (const { table } of [videos, history]) rows += await clearExcluded(context, account, table);
  if (tags === null && context.targetColumns.has('video_tags'))
    rows += await session.execute(`DELETE FROM ${session.name('video_tags')} WHERE account = $1`, [account]);
  return { rows, setAside };
}

/** What is left out now (`publish.exclude`) leaves the target too. */
async function clearExcluded({ session, targetColumns }: LoadContext, account: string, table: Table) {
  const theirs = targetColumns.get(table.name) ?? [];
  const names = listExcludedColumns(table).flatMap((name) =>
    theirs.includes(name) ? [quoteName(name)] : [],
  );
  if (names.length === 0) return 0;
  const set = names.map((name) => `${name} = NULL`).join(', ');
  const isThere = names.map((name) => `${name} IS NOT NULL`).join(' OR ');
  return session.execute(
    `UPDATE ${session.name(table.name)} SET ${set} WHERE account = $1 AND (${isThere})`,
    [account],
  );
}

const deleteUnstaged = ({ session }: LoadContext, table: Table, key: readonly string[]) =>
  `DELETE FROM ${session.name(table.name)} t WHERE t.account = $1
AND NOT EXISTS (SELECT FROM ${stageName(table)} s WHERE ${sameKey('t', 's', key)})`;

/** Tags have no key: rows that differ in any column are deleted and inserted. */
async function reloadTags(
  context: LoadContext,
  account: string,
  { tags }: { tags: NonNullable<Delta['tags']> },
): Promise<number> {
  const { session } = context;
  const { table } = tags;
  await stageForJoin(context, table, tags.rows);
  const names = listCommonColumns(context, table).map(({ name }) => name);
  const deleted = await session.execute(deleteUnstaged(context, table, names), [account]);
  const inserted = await session.execute(
    `INSERT INTO ${session.name(table.name)} (${quoteNames(names)})
SELECT ${quoteNames(names)} FROM ${stageName(table)} s
WHERE NOT EXISTS (SELECT FROM ${session.name(table.name)} t WHERE t.account = $1 AND ${sameKey('t', 's', names)})`,
    [account],
  );
  const counts = await session.queryOne<{ is_equal: boolean }>(
    `SELECT (SELECT count(*) FROM ${session.name(table.name)} WHERE account = $1) = (SELECT count(*) FROM ${stageName(table)}) AS is_equal`,
    [account],
  );
  return (
    deleted + inserted + (counts?.is_equal === true ? 0 : await replaceTags(context, account, table, names))
  );
}

/** For rows that are there twice, or of which one of two equal ones is missing. */
async function replaceTags(
  { session }: LoadContext,
  account: string,
  table: Table,
  names: readonly string[],
) {
  const name = session.name(table.name);
  const deleted = await session.execute(`DELETE FROM ${name} WHERE account = $1`, [account]);
  const inserted = await session.execute(
    `INSERT INTO ${name} (${quoteNames(names)}) SELECT ${quoteNames(names)} FROM ${stageName(table)}`,
  );
  return deleted + inserted;
}

/** Keeps states that the published file does not have, neither as present nor as former ones. */
async function setAsideStates(
  context: LoadContext,
  account: string,
  { videos, history }: Delta,
  timeline: string | null,
): Promise<number> {
  const { session } = context;
  const names = listCommonColumns(context, videos.table).map(({ name }) => quoteName(name));
  const state = ['account', 'package_id', 'video_id', 'change_seq', 'valid_from'];
  const isLost = [videos, history]
    .map(({ table }) => `NOT EXISTS (SELECT FROM ${stageName(table)} s WHERE ${sameKey('t', 's', state)})`)
    .join(' AND ');
  const selects = [videos, history].map(
    ({ table }) =>
      `SELECT ${names.map((name) => `t.${name}`).join(', ')}, $2::uuid, now() FROM ${session.name(table.name)} t
WHERE t.account = $1 AND ${isLost}`,
  );
  return session.execute(
    `INSERT INTO ${session.name('vodhouse_lost_history')} (${names.join(', ')}, timeline, set_aside_at)
${selects.join('\nUNION ALL\n')}`,
    [account, timeline],
  );
}

/** Deletes the videos of packages that the warehouse was told to forget. Returns the number of rows. */
export async function deletePackages(
  { session }: LoadContext,
  account: string,
  packageIds: readonly number[],
  { videos, history, tags }: Delta,
): Promise<number> {
  let rows = 0;
  for (const each of [videos, history, tags])
    if (each && packageIds.length > 0)
      rows += await session.execute(
        `DELETE FROM ${session.name(each.table.name)} WHERE account = $1 AND package_id = ANY ($2)`,
        [account, packageIds],
      );
  return rows;
}
