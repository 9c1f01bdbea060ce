/** What a table of a lake gets: the files that go, and the rows of those that come. */
import type { Table } from '../../mart.ts';
import { storeChanges } from '../changes.ts';
import type { Source } from '../source.ts';
import type { Action, AddFile } from './actions.ts';
import {
  between,
  compareFiles,
  countRecords,
  divide,
  getStart,
  hashSlices,
  ownRows,
  type Slice,
} from './files.ts';
import { filesOf, toRemoval, type Lake } from './lake.ts';
import { toForm, type DeltaTable } from './tables.ts';
import { writeFiles } from './write-files.ts';

/** What the steps of a load share. */
export interface LoadContext {
  lake: Lake;
  source: Source;
  /** `name` of the target, and `worker` of the config. */
  target: string;
  worker: string;
  /** About how many rows a file of a large table has. */
  fileRows: number;
}

export interface Plan {
  deltaTable: DeltaTable;
  removed: AddFile[];
  slices: Slice[];
}

/** An application of the log: this account of this warehouse. Its version is the `change_seq` that the table has everything of. */
const toAppId = ({ warehouseId }: Source, account: string) => `vodhouse/${warehouseId}/${account}`;

/** Everything of a large table, or the files that have a changed video; null if there are none. */
export async function planLarge(
  { lake, source, fileRows }: LoadContext,
  deltaTable: DeltaTable,
  account: string,
  kind: 'all' | 'changes',
): Promise<Plan | null> {
  const { table } = deltaTable;
  const { snapshot } = await lake.getLog(table.name);
  const files = filesOf(snapshot, 'account', account).sort(compareFiles);
  const since = snapshot.txns.get(toAppId(source, account))?.version ?? 0;
  if (kind === 'changes' && source.changeSeqOf(account) <= since) return null;
  const rows = ownRows(table, account);
  if (kind === 'all' || files.length === 0)
    return { deltaTable, removed: files, slices: divide(source.db, table, rows, ['', null], fileRows) };
  storeChanges(source, account, since);
  const affected = files
    .map((file, index) => ({ file, from: getStart(file), until: files[index + 1]?.tags['from'] ?? null }))
    .filter(({ from, until }) => hasChange(source, table, from, until));
  const slices = affected.flatMap(({ from, until }) =>
    divide(source.db, table, rows, [from, until], fileRows),
  );
  return { deltaTable, removed: affected.map(({ file }) => file), slices };
}

/** After `storeChanges`: has a video from a key on, and before another one, changed? */
function hasChange({ db }: Source, { name }: Table, from: string, until: string | null): boolean {
  const [changed, table] =
    name === 'video_history' ? ['changed_history', name] : ['changed_videos', 'videos'];
  const { where, parameters } = between({ where: 'true', parameters: {} }, from, until);
  const find = `select 1 from temp.${changed} c cross join ${table} t on t.rowid = c.row where ${where} limit 1`;
  return db.prepare(find).get(parameters) !== undefined;
}

/** The slices of a small table whose rows have another hash; null if there are none. */
export async function planSmall(
  { lake, source }: LoadContext,
  deltaTable: DeltaTable,
  owner: string | null,
): Promise<Plan | null> {
  const { table, partition } = deltaTable;
  const { snapshot } = await lake.getLog(table.name);
  const files = filesOf(snapshot, partition, owner);
  const slices = hashSlices(source.db, deltaTable, ownRows(table, partition === 'account' ? owner : null));
  const isSame = (file: AddFile, { tags }: Slice) =>
    file.tags['slice'] === tags['slice'] && file.tags['sha256'] === tags['sha256'];
  const removed = files.filter((file) => !slices.some((slice) => isSame(file, slice)));
  const added = slices.filter((slice) => !files.some((file) => isSame(file, slice)));
  const isNew = snapshot.version < 0 || removed.length + added.length > 0;
  return isNew ? { deltaTable, removed, slices: added } : null;
}

/** Writes the files, and commits them. `others`: accounts whose files go in the same commit. Returns the number of rows. */
export async function carryOut(
  { lake, source }: LoadContext,
  { deltaTable, removed, slices }: Plan,
  owner: string | null,
  others: readonly string[] = [],
): Promise<number> {
  const { table, partition } = deltaTable;
  const partitionValues: Record<string, string> =
    partition === null || owner === null ? {} : { [partition]: owner };
  const added = await writeFiles(lake, source, { deltaTable, slices, partitionValues });
  const { snapshot } = await lake.getLog(table.name);
  const former = others.flatMap((other) => filesOf(snapshot, partition, other));
  const actions = [
    ...(partition === 'account' && owner !== null ? [toTxn(source, owner)] : []),
    ...[...removed, ...former].map(toRemoval),
    ...added.map((add) => ({ add })),
  ];
  await lake.commit(toForm(deltaTable), actions, [owner, ...others]);
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
export async function removeFiles({ lake }: LoadContext, table: string, account: string): Promise<number> {
  const { snapshot } = await lake.getLog(table);
  const files = filesOf(snapshot, 'account', account);
  const form = { name: table, description: '', columns: [], partition: { name: 'account', description: '' } };
  if (files.length > 0) await lake.commit(form, files.map(toRemoval), [account]);
  return countRecords(files);
}
