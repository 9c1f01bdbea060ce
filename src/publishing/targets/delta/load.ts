/** Loads one account into a lake: its claim, then each table, then its row of `loads`. */
import { toTimestamp } from '../../../lib/clock.ts';
import { storeChanges } from '../changes.ts';
import { assertOurs, compareOwner, type AccountState } from '../ownership.ts';
import type { Source } from '../source.ts';
import type { Loaded, LoadOptions } from '../target.ts';
import type { Action, AddFile } from './actions.ts';
import {
  compareKeys,
  divide,
  fromTag,
  hashSlices,
  ownRows,
  writeSlice,
  type Slice,
  type VideoKey,
} from './files.ts';
import { assertCalendar, filesOf, toRemoval, type Lake } from './lake.ts';
import { chooseKind, LOADS, readClaims, replaceClaim, toLoadsForm, type Claim } from './loads.ts';
import { ACCOUNT_TABLES, listLarge, listSmall, toForm, type DeltaTable } from './tables.ts';

/** What the steps of a load share. */
export interface LoadContext {
  lake: Lake;
  source: Source;
  worker: string;
  /** About how many rows a file of a large table has. */
  fileRows: number;
}

/** Renews the claim of an account without news before the list of publications forgets it. */
const KNOWN_PUBLICATIONS = 500;

/** What a table gets. */
interface Plan {
  deltaTable: DeltaTable;
  removed: AddFile[];
  slices: Slice[];
}

/** Throws OwnedError, StoreError, and ConflictError: then it is to begin again. */
export async function loadAccount(
  context: LoadContext,
  account: string,
  options: LoadOptions,
): Promise<Loaded> {
  const { lake, source } = context;
  const { snapshot } = await lake.getLog(LOADS);
  assertCalendar(lake.store, snapshot, source);
  const claim = readClaims(snapshot).get(account) ?? null;
  assertOurs(account, claim?.state ?? null, source, options.force);
  const formerName = findFormerName(context, snapshot, options.formerName);
  if (claim && isLoaded(claim, source, account) && options.force === null) return NOTHING;
  const kind = chooseKind(claim, source.shapeOf(account), options.force);
  const plans = await planTables(context, account, kind);
  const isRecent = source.publications
    .slice(0, KNOWN_PUBLICATIONS)
    .includes(claim?.state.publicationId ?? '');
  const isNew = plans.length > 0 || formerName !== null;
  if (!isNew && kind === 'changes' && isRecent && claim?.pending === null) return NOTHING;
  await writeClaim(
    context,
    account,
    { state: toState(context, account, claim), pending: kind, row: claim?.row ?? null },
    null,
  );
  const rows = await commitTables(context, account, plans, formerName);
  await finish(context, account, formerName);
  return { kind, rows, notes: [] };
}

const NOTHING: Loaded = { kind: 'nothing', rows: 0, notes: [] };

const isLoaded = ({ state, pending }: Claim, source: Source, account: string): boolean =>
  pending === null && state.publicationId === source.publicationId && state.shape === source.shapeOf(account);

/** The former name of an account, where the lake has it under that name, and the published file does not. */
function findFormerName(
  { source }: LoadContext,
  snapshot: Parameters<typeof readClaims>[0],
  name: string | null,
): string | null {
  if (name === null || source.accounts.includes(name)) return null;
  const state = readClaims(snapshot).get(name)?.state ?? null;
  return compareOwner(state, source) === 'ours' ? name : null;
}

function toState({ source, worker }: LoadContext, account: string, claim: Claim | null): AccountState {
  const { warehouseId, publicationId } = source;
  const { loadedAt = null, changeSeq = 0 } = claim?.state ?? {};
  return { warehouseId, publicationId, worker, loadedAt, changeSeq, shape: source.shapeOf(account) };
}

/** `others`: an account whose row goes in the same commit. */
async function writeClaim(
  { lake, source }: LoadContext,
  account: string,
  claim: Claim,
  others: string | null,
): Promise<void> {
  const { snapshot } = await lake.getLog(LOADS);
  const actions = await replaceClaim(lake.store, source.db, snapshot, account, claim);
  const gone = others === null ? [] : await replaceClaim(lake.store, source.db, snapshot, others, null);
  await lake.commit(toLoadsForm(source.timezone), [...actions, ...gone], [account, others]);
}

/** What each table gets; those that have it are left out. */
async function planTables(context: LoadContext, account: string, kind: 'all' | 'changes'): Promise<Plan[]> {
  const { lake, source, fileRows } = context;
  const { db, marts } = source;
  const appId = toAppId(source, account);
  const plans: Plan[] = [];
  let stored: number | null = null; // the change_seq since which the changes are in temporary tables
  for (const deltaTable of listLarge(marts)) {
    const { snapshot } = await lake.getLog(deltaTable.table.name);
    const files = filesOf(snapshot, 'account', account);
    const since = snapshot.txns.get(appId)?.version ?? 0;
    if (kind === 'all') {
      const slices = divide(db, deltaTable.table, ownRows(deltaTable.table, account), null, null, fileRows);
      plans.push({ deltaTable, removed: files, slices });
    } else if (source.changeSeqOf(account) > since) {
      if (stored !== since) storeChanges(source, account, since);
      stored = since;
      plans.push(planChanges(context, deltaTable, account, files));
    }
  }
  for (const deltaTable of listSmall(marts)) {
    const { snapshot } = await lake.getLog(deltaTable.table.name);
    const plan = planSmall(source, deltaTable, account, filesOf(snapshot, 'account', account));
    if (plan.removed.length + plan.slices.length > 0 || snapshot.version < 0) plans.push(plan);
  }
  return plans;
}

/** Files by key range: those are written again that have a changed video. The first range has no beginning. */
function planChanges(
  { source: { db }, fileRows }: LoadContext,
  deltaTable: DeltaTable,
  account: string,
  files: AddFile[],
): Plan {
  const rows = ownRows(deltaTable.table, account);
  const ranges = files
    .map((file) => ({ file, from: fromTag(file.tags['from']) }))
    .sort((one, other) => compareKeys(one.from, other.from));
  if (ranges.length === 0)
    return { deltaTable, removed: [], slices: divide(db, deltaTable.table, rows, null, null, fileRows) };
  const [changed, table] =
    deltaTable.table.name === 'video_history'
      ? ['changed_history', 'video_history']
      : ['changed_videos', 'videos'];
  const findNext = db.prepare(`select v.package_key as packageKey, v.video_id as videoId
from temp.${changed} c cross join ${table} v on v.rowid = c.row
where (v.package_key, v.video_id) >= (:packageKey, :videoId) order by v.package_key, v.video_id limit 1`);
  const affected = ranges.flatMap(({ file, from }, index) => {
    const until = ranges[index + 1]?.from ?? null;
    const begin = index === 0 ? { packageKey: '', videoId: 0 } : from;
    const next = findNext.get(begin) as VideoKey | undefined;
    if (!next || (until && compareKeys(next, until) >= 0)) return [];
    return [{ file, slices: divide(db, deltaTable.table, rows, index === 0 ? null : from, until, fileRows) }];
  });
  return {
    deltaTable,
    removed: affected.map(({ file }) => file),
    slices: affected.flatMap(({ slices }) => slices),
  };
}

/** Files by slice: those are written again whose rows have another hash. */
export function planSmall(
  { db }: Source,
  deltaTable: DeltaTable,
  account: string | null,
  files: AddFile[],
): Plan {
  const slices = hashSlices(db, deltaTable, ownRows(deltaTable.table, account));
  const isSame = (file: AddFile, { tags }: Slice) =>
    file.tags['slice'] === tags['slice'] && file.tags['sha256'] === tags['sha256'];
  return {
    deltaTable,
    removed: files.filter((file) => !slices.some((slice) => isSame(file, slice))),
    slices: slices.filter((slice) => !files.some((file) => isSame(file, slice))),
  };
}

async function commitTables(
  context: LoadContext,
  account: string,
  plans: readonly Plan[],
  formerName: string | null,
) {
  const { lake, source } = context;
  const large = listLarge(source.marts).map(({ table }) => table.name);
  let rows = 0;
  for (const { deltaTable, removed, slices } of plans) {
    const form = toForm(deltaTable);
    const { snapshot } = await lake.getLog(form.name);
    const former = formerName === null ? [] : filesOf(snapshot, 'account', formerName);
    const added: Action[] = [];
    for (const slice of slices) {
      const owner = { partitionValues: { account }, tags: {} };
      const add = await writeSlice(lake.store, source.db, deltaTable, slice, owner);
      rows += (JSON.parse(add.stats) as { numRecords: number }).numRecords;
      added.push({ add });
    }
    const version = source.changeSeqOf(account);
    const txn = { appId: toAppId(source, account), version, lastUpdated: Date.now() };
    const actions = [
      ...(large.includes(form.name) ? [{ txn }] : []),
      ...[...removed, ...former].map(toRemoval),
      ...added,
    ];
    await lake.commit(form, actions, [account, formerName]);
  }
  return rows;
}

/** An application of the log: this account of this warehouse. Its version is the `change_seq` that the table has everything of. */
const toAppId = ({ warehouseId }: Source, account: string) => `vodhouse/${warehouseId}/${account}`;

/** The row that readers see, of the versions that the tables have now. */
async function finish(context: LoadContext, account: string, formerName: string | null): Promise<void> {
  const { lake, source, worker } = context;
  if (formerName !== null) await removeRows(context, formerName);
  const row = {
    ...{ warehouse_id: source.warehouseId, worker, version: source.version },
    ...{ publication_id: source.publicationId, change_seq: source.changeSeqOf(account) },
    ...{ published_at: source.publishedAt, loaded_at: toTimestamp(Date.now()) },
    table_versions: JSON.stringify(await lake.getVersions()),
  };
  const state = { ...toState(context, account, null), loadedAt: row.loaded_at, changeSeq: row.change_seq };
  await writeClaim(context, account, { state, pending: null, row }, formerName);
}

/** Removes the files of an account in every table but `loads`. Returns the number of rows. */
async function removeRows({ lake, source }: LoadContext, account: string): Promise<number> {
  const tables = [...listLarge(source.marts), ...listSmall(source.marts)];
  let rows = 0;
  for (const name of ACCOUNT_TABLES) {
    const { snapshot } = await lake.getLog(name);
    const files = filesOf(snapshot, 'account', account);
    if (files.length === 0) continue;
    rows += files.reduce(
      (sum, { stats }) => sum + (JSON.parse(stats) as { numRecords: number }).numRecords,
      0,
    );
    const known = tables.find(({ table }) => table.name === name);
    const form = known ? toForm(known) : { name, description: '', columns: [], partition: ACCOUNT_PARTITION };
    await lake.commit(form, files.map(toRemoval), [account]);
  }
  return rows;
}

const ACCOUNT_PARTITION = { name: 'account', description: '' };

/** Removes an account of ours that the published file no longer has. */
export async function removeAccount(context: LoadContext, account: string): Promise<Loaded> {
  const { lake, source } = context;
  const { snapshot } = await lake.getLog(LOADS);
  const state = readClaims(snapshot).get(account)?.state ?? null;
  if (compareOwner(state, source) !== 'ours') return NOTHING;
  const rows = await removeRows(context, account);
  const actions = await replaceClaim(lake.store, source.db, snapshot, account, null);
  await lake.commit(toLoadsForm(source.timezone), actions, [account]);
  return { kind: 'all', rows, notes: [] };
}
