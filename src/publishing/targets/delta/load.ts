/** Loads an account into a lake: its claim, then the changed files of each table, then its row of `loads`. */
import { toTimestamp } from '../../../lib/clock.ts';
import { dates } from '../../marts/dates.ts';
import type { Table } from '../../marts/mart.ts';
import { FULL_MARTS } from '../../marts/marts.ts';
import { compareOwner, findRefusal } from '../ownership.ts';
import { storeChanges, type Rows, type Source } from '../source.ts';
import type { LoadOptions } from '../target.ts';
import type { Action, AddFile } from './actions.ts';
import {
  between,
  compareFiles,
  countRecords,
  divide,
  getStart,
  hashSlices,
  isForeign,
  ownRows,
  sortByVideo,
  writeFiles,
  type Slice,
} from './files.ts';
import { filesOf, toRemoval, type LoadContext } from './lake.ts';
import { LOADS, readClaims, writeClaim, type Claim } from './loads.ts';
import { COMMON_TABLES, listLarge, listSmall, type DeltaTable, type TableForm } from './tables.ts';

/**
 * The tables with rows of an account. Among them is a table that the published file lacks because
 * `publish.exclude` leaves it out: an earlier load may have written it.
 */
const ACCOUNT_TABLES = FULL_MARTS.ownedTables.map(({ name }) => name);

/** As `Target.load`. Throws ConflictError if another writer came first, and the load must begin again. */
export async function loadAccount(
  context: LoadContext,
  account: string,
  { force, formerName: name }: LoadOptions,
): Promise<number> {
  const { lake, source } = context;
  const { snapshot } = await lake.getLog(LOADS);
  const claims = readClaims(snapshot);
  const claim = claims.get(account) ?? null;
  const refusal = findRefusal(account, claim?.state ?? null, source, force, context.command);
  if (refusal) throw refusal;
  const isFormer = name !== null && !source.accounts.includes(name);
  const former = isFormer && compareOwner(claims.get(name)?.state ?? null, source) === 'ours' ? [name] : [];
  const isWhole = claim === null || claim.pending === 'all' || claim.state.shape !== source.shapeOf(account);
  const kind = isWhole || force !== null ? 'all' : 'changes';
  const isEnded = kind === 'changes' && claim !== null && claim.pending === null;
  const plans = await planTables(context, account, kind);
  if (isEnded && plans.length === 0 && former.length === 0) return 0;
  await writeClaim(context, account, { pending: kind, row: claim?.row ?? null });
  let rows = 1; // that of `loads`
  for (const plan of plans) rows += await carryOut(context, plan, account, former);
  for (const gone of former) for (const table of ACCOUNT_TABLES) await removeFiles(context, table, gone);
  await writeClaim(context, account, { pending: null, row: await createRow(context, account) }, former);
  return rows;
}

async function planTables(context: LoadContext, account: string, kind: 'all' | 'changes'): Promise<Plan[]> {
  const { marts } = context.source;
  const plans: (Plan | null)[] = [];
  for (const table of listLarge(marts)) plans.push(await planLarge(context, table, account, kind));
  for (const table of listSmall(marts)) plans.push(await planSmall(context, table, account, kind));
  return plans.filter((plan) => plan !== null);
}

/** What readers see of a load that ends, with the versions that the tables have now. */
async function createRow({ lake, source, worker }: LoadContext, account: string): Promise<Claim['row']> {
  return {
    warehouse_id: source.warehouseId,
    worker,
    version: source.version,
    publication_id: source.publicationId,
    change_seq: source.changeSeqOf(account),
    published_at: source.publishedAt,
    loaded_at: toTimestamp(Date.now()),
    table_versions: JSON.stringify(await lake.getVersions()),
  };
}

/** Removes an account of ours that the published file no longer has. */
export async function removeAccount(context: LoadContext, account: string): Promise<number> {
  const { lake, source } = context;
  const { snapshot } = await lake.getLog(LOADS);
  if (compareOwner(readClaims(snapshot).get(account)?.state ?? null, source) !== 'ours') return 0;
  let rows = 1; // that of `loads`
  for (const table of ACCOUNT_TABLES) rows += await removeFiles(context, table, account);
  await writeClaim(context, account, null);
  return rows;
}

/**
 * Loads the tables that belong to no account. A year of the calendar that only another warehouse loaded is
 * kept.
 */
export async function loadShared(context: LoadContext, isRebuilt: boolean): Promise<number> {
  let rows = 0;
  for (const table of COMMON_TABLES) {
    const owner = table.partition === null ? null : context.source.warehouseId;
    const plan = await planSmall(context, table, owner, isRebuilt ? 'all' : 'changes');
    if (!plan) continue;
    const years = plan.slices.map(({ tags }) => tags['slice']);
    const isCalendar = table.name === dates.name;
    if (isCalendar)
      plan.removed = plan.removed.filter((file) => isForeign(file) || years.includes(file.tags['slice']));
    if (!isCalendar || years.length + plan.removed.length > 0) rows += await carryOut(context, plan, owner);
  }
  return rows;
}

/** What a table gets: the files that go, and the rows of those that come. */
interface Plan {
  table: DeltaTable;
  removed: AddFile[];
  slices: Slice[];
}

/** The `appId` of an account in the log. Its version there is the `change_seq` up to which it is loaded. */
const toAppId = ({ warehouseId }: Source, account: string) => `vodhouse/${warehouseId}/${account}`;

/**
 * Plans to write all files of a large table, or those with a changed video; null if there are none. All are
 * written where another program wrote one, because that may have any rows.
 */
async function planLarge(
  { lake, source, fileRows }: LoadContext,
  table: DeltaTable,
  account: string,
  kind: 'all' | 'changes',
): Promise<Plan | null> {
  const { snapshot } = await lake.getLog(table.name);
  const files = filesOf(snapshot, 'account', account).sort(compareFiles);
  const since = snapshot.txns.get(toAppId(source, account))?.version ?? 0;
  const isWhole = kind === 'all' || files.some(isForeign);
  if (!isWhole && source.changeSeqOf(account) <= since) return null;
  sortByVideo(source.db, table);
  if (isWhole || files.length === 0)
    return { table, removed: files, slices: divide(source.db, table, account, ['', null], fileRows) };
  storeChanges(source, account, since);
  storeChangedKeys(source, table);
  const affected = files
    .map((file, index) => ({ file, from: getStart(file), until: files[index + 1]?.tags['from'] ?? null }))
    .filter(({ from, until }) => hasChange(source, between(account, from, until)));
  const slices = affected.flatMap(({ from, until }) =>
    divide(source.db, table, account, [from, until], fileRows),
  );
  return { table, removed: affected.map(({ file }) => file), slices };
}

/**
 * Stores the keys of the videos that `storeChanges` found in the temporary table `changed_keys`, whose index
 * finds the changes within the range of a file.
 */
function storeChangedKeys({ db }: Source, { name }: Table): void {
  const [changed, table] =
    name === 'video_history' ? ['changed_history', name] : ['changed_videos', 'all_videos'];
  db.exec(`drop table if exists temp.changed_keys;
    create temp table changed_keys (video_key text primary key) without rowid;
    insert or ignore into changed_keys
    select t.video_key from temp.${changed} c cross join ${table} t on t.rowid = c.row`);
}

/** After `storeChangedKeys`: has a video of these rows changed? */
const hasChange = ({ db }: Source, { where, parameters }: Rows): boolean =>
  db.prepare(`select 1 from temp.changed_keys t where ${where} limit 1`).get(parameters) !== undefined;

/** All slices of a small table, or those whose rows have another hash; null if there are none. */
async function planSmall(
  { lake, source }: LoadContext,
  table: DeltaTable,
  owner: string | null,
  kind: 'all' | 'changes',
): Promise<Plan | null> {
  const { partition } = table;
  const { snapshot } = await lake.getLog(table.name);
  const files = filesOf(snapshot, partition, owner);
  const slices = hashSlices(source.db, table, ownRows(table, partition === 'account' ? owner : null));
  const isSame = (file: AddFile, { tags }: Slice) =>
    kind === 'changes' && file.tags['slice'] === tags['slice'] && file.tags['sha256'] === tags['sha256'];
  const removed = files.filter((file) => !slices.some((slice) => isSame(file, slice)));
  const added = slices.filter((slice) => !files.some((file) => isSame(file, slice)));
  const isNew = snapshot.version === null || removed.length + added.length > 0;
  return isNew ? { table, removed, slices: added } : null;
}

/**
 * Writes and commits files, and removes those of the accounts `others`. Returns the number of rows written.
 */
async function carryOut(
  { lake, source }: LoadContext,
  { table, removed, slices }: Plan,
  owner: string | null,
  others: readonly string[] = [],
): Promise<number> {
  const { partition } = table;
  const partitionValues: Record<string, string> =
    partition === null || owner === null ? {} : { [partition]: owner };
  const added = await writeFiles(lake.store, source.db, table, slices, partitionValues);
  const { snapshot } = await lake.getLog(table.name);
  const former = others.flatMap((other) => filesOf(snapshot, partition, other));
  const actions = [
    ...(partition === 'account' && owner !== null ? [toTxn(source, owner)] : []),
    ...removed.map(toRemoval),
    ...former.map(toRemoval),
    ...added.map((add) => ({ add })),
  ];
  await lake.commit(table, actions, [owner, ...others]);
  return countRecords(added);
}

const toTxn = (source: Source, account: string): Action => ({
  txn: {
    appId: toAppId(source, account),
    version: source.changeSeqOf(account),
    lastUpdated: Date.now(),
  },
});

/** Removes the files of an account in a table. Returns the number of rows. */
async function removeFiles({ lake }: LoadContext, table: string, account: string): Promise<number> {
  const { snapshot } = await lake.getLog(table);
  const files = filesOf(snapshot, 'account', account);
  const form: TableForm = { name: table, description: '', columns: [], partition: 'account' };
  if (files.length > 0) await lake.commit(form, files.map(toRemoval), [account]);
  return countRecords(files);
}
