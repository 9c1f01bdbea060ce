/** Loads, each in one transaction of the caller: of an account, or of the tables that belong to none. */
import { dates } from '../../marts/dates.ts';
import { about, dictionary } from '../../marts/about.ts';
import { WAREHOUSE_TABLES } from '../../marts/marts.ts';
import { compareOwner, findRefusal } from '../ownership.ts';
import { findFirstDay, ofAccount, storeChanges, type Rows } from '../source.ts';
import type { LoadOptions } from '../target.ts';
import { copyInto, replace } from './rows.ts';
import {
  OWNED_TABLES,
  lockAccount,
  ofAccountThere,
  recordAccount,
  recordLoad,
  WAREHOUSE_ID,
  type Context,
  type LoadedState,
} from './tables.ts';

/** As `Target.load`. */
export async function loadAccount(
  context: Context,
  account: string,
  { force, formerName }: LoadOptions,
): Promise<number> {
  const { session, source } = context;
  const state = await lockAccount(session, account);
  const refusal = findRefusal(account, state, source, force, context.config.command);
  if (refusal) throw refusal;
  const since = state?.shape === source.shapeOf(account) && force === null ? state : null;
  if (since?.publicationId === source.publicationId) return 0;
  // in the same transaction, so that readers never see an account under both names
  const removed = formerName === null ? 0 : await deleteOurs(context, formerName);
  const written = await (since === null ? loadAll(context, account) : loadChanges(context, account, since));
  const rows = removed + written;
  await recordAccount(context, account, rows);
  const kind = since === null ? 'all' : 'changes';
  const [from, to] = [since?.changeSeq ?? null, source.changeSeqOf(account)];
  if (rows > 0) await recordLoad(context, { account, kind, rows, from_change_seq: from, to_change_seq: to });
  return rows;
}

/** Deletes the account, and copies all. Returns the number of rows copied. */
async function loadAll(context: Context, account: string): Promise<number> {
  const { marts } = context.source;
  await deleteAccount(context, account);
  let rows = 1; // that of `vodhouse_account`
  for (const table of marts.ownedTables) rows += await copyInto(context, table, ofAccount(table, account));
  return rows;
}

/** Loads what changed since a state. Returns the number of rows written and deleted. */
async function loadChanges(context: Context, account: string, since: LoadedState): Promise<number> {
  const { marts } = context.source;
  const isChanged = storeChanges(context.source, account, since.changeSeq) > 0;
  let rows = isChanged ? await loadVideos(context, since.changeSeq) : 0;
  for (const table of marts.accountTables.filter((table) => table !== marts.packageDaily))
    rows += await replace(context, table, ofAccount(table, account), {
      where: 't.account = $1',
      values: [account],
    });
  return rows + (await loadPackageDays(context, account, since));
}

/** After `storeChanges` of the same `change_seq`. */
async function loadVideos(context: Context, changeSeq: number): Promise<number> {
  const { db, marts } = context.source;
  const ofVideos = `t.video_key in (${CHANGED_KEYS})`;
  // an edit that the target does not have
  const edits = { where: `t.change_seq > :changeSeq and ${ofVideos}`, parameters: { changeSeq } };
  const rows =
    (await replace(context, marts.allVideos, inTable('changed_videos'), null)) +
    (await replace(context, marts.videoHistory, inTable('changed_history'), null)) +
    (await replace(context, marts.videoEdits, edits, null));
  if (marts.videoTags === null) return rows;
  const keys = db.prepare(CHANGED_KEYS).pluck().all();
  const tags = { where: ofVideos, parameters: {} };
  const ofKeys = { where: 't.video_key = ANY ($1)', values: [keys] };
  return rows + (await replace(context, marts.videoTags, tags, ofKeys));
}

/** The rows whose rowids a temporary table has. */
const inTable = (name: string): Rows => ({
  where: `t.rowid in (select row from temp.${name})`,
  parameters: {},
});

const CHANGED_KEYS = `
  select v.video_key from temp.changed_videos c cross join all_videos v on v.rowid = c.row`;

/** Loads the days of packages from the last publication on: earlier ones are final. */
function loadPackageDays(context: Context, account: string, since: LoadedState): Promise<number> {
  const table = context.source.marts.packageDaily;
  const { where, parameters } = ofAccount(table, account);
  const from = findFirstDay(context.source, since.changeSeq, since.publishedAt);
  return replace(
    context,
    table,
    { where: `${where} and t.day >= :from`, parameters: { ...parameters, from } },
    { where: 't.account = $1 AND t.day >= $2', values: [account, from] },
  );
}

/** Deletes an account that the source does not have, if it is ours. Returns the number of rows. */
async function deleteOurs(context: Context, name: string): Promise<number> {
  if (context.source.accounts.includes(name)) return 0;
  const state = await lockAccount(context.session, name);
  return compareOwner(state, context.source) === 'ours' ? deleteAccount(context, name) : 0;
}

/** Returns the number of rows. */
async function deleteAccount({ session }: Context, account: string): Promise<number> {
  let rows = 0;
  for (const { name, columns } of OWNED_TABLES)
    rows += await session.execute(
      `DELETE FROM ${session.name(name)} WHERE ${ofAccountThere(Object.keys(columns))}`,
      [account],
    );
  return rows;
}

/** As `Target.remove`. */
export async function removeAccount(context: Context, account: string): Promise<number> {
  const rows = await deleteOurs(context, account);
  if (rows > 0) await recordLoad(context, { account, kind: 'removed', rows });
  return rows;
}

/**
 * As `Target.loadShared`: the runs and facts of the warehouse, if it has an account here; the calendar and
 * the dictionary, of which others may have more rows.
 */
export async function loadShared(context: Context): Promise<number> {
  const { session, source } = context;
  const { warehouseId } = source;
  const everything = { where: 'true', parameters: {} };
  const ours = { where: `t.${WAREHOUSE_ID} = $1`, values: [warehouseId] };
  let rows = await deleteFormer(context);
  const accounts = `SELECT 1 FROM ${session.name('vodhouse_account')} WHERE warehouse_id = $1 LIMIT 1`;
  const isOwner = (await session.query(accounts, [warehouseId])).length > 0;
  for (const table of isOwner ? WAREHOUSE_TABLES : [])
    rows += await replace(context, table, everything, ours);
  for (const table of [dates, dictionary]) rows += await replace(context, table, everything, null);
  if (rows > 0) await recordLoad(context, { account: null, kind: 'changes', rows });
  return rows;
}

/** Deletes runs and facts of warehouses without an account here. Returns the number of rows. */
async function deleteFormer({ session }: Context): Promise<number> {
  const former = await session.query<{ id: string }>(
    `SELECT DISTINCT warehouse_id AS id FROM ${session.name(about.name)}
WHERE warehouse_id NOT IN (SELECT warehouse_id FROM ${session.name('vodhouse_account')}) ORDER BY 1`,
  );
  let rows = 0;
  for (const { id } of former)
    for (const { name } of WAREHOUSE_TABLES)
      rows += await session.execute(`DELETE FROM ${session.name(name)} WHERE ${WAREHOUSE_ID} = $1`, [id]);
  return rows;
}
