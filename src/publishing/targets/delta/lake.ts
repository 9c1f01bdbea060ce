/**
 * The tables of a lake during a load: their logs, commits while others write too, and deletion of old files.
 */
import type { LakeTargetConfig } from '../../../config/config.ts';
import type { LakePlace } from '../stores/lake-place.ts';
import { openFolder } from '../stores/folder.ts';
import { openBucket } from '../stores/s3.ts';
import type { Source } from '../source.ts';
import type { Store } from '../stores/store.ts';
import type { Action, AddFile, Snapshot } from './actions.ts';
import { openLog, type DeltaLog } from './log.ts';
import { planMetaData, type TableForm } from './tables.ts';

/** Another writer changed the rows of the same owner: begin again. */
export class ConflictError extends Error {}

export type Lake = ReturnType<typeof openLake>;

const openStore = (place: LakePlace, signal?: AbortSignal): Store =>
  place.kind === 'folder' ? openFolder(place.path, signal) : openBucket(place, { signal });

/** What the steps of a load share. */
export interface LoadContext {
  lake: Lake;
  source: Source;
  /** `command` of the target, and `worker` of the config. */
  command: string;
  worker: string;
  /** About how many rows a file of a large table has. */
  fileRows: number;
}

/** Logs are read when they are needed. */
export function openLake({ place }: Pick<LakeTargetConfig, 'place'>, signal?: AbortSignal) {
  const store = openStore(place, signal);
  const logs = new Map<string, Promise<DeltaLog>>();
  const changed = new Set<string>();
  const getLog = (table: string): Promise<DeltaLog> => {
    const open = logs.get(table) ?? openLog(store, table);
    logs.set(table, open);
    open.catch(() => logs.delete(table));
    return open;
  };

  /**
   * Commits rows of these owners (values of the partition; null in a table without partitions). A commit of
   * another owner that came first does not matter. Throws ConflictError for one of theirs, or of columns.
   */
  async function commit(
    form: TableForm,
    actions: readonly Action[],
    owners: readonly (string | null)[],
  ): Promise<void> {
    const log = await getLog(form.name);
    for (;;) {
      const metaData = planMetaData(form, log.snapshot.metaData);
      const all = [...(metaData ? [{ metaData }] : []), ...actions];
      if (all.length === 0) return;
      const other = await log.commit(all, metaData && actions.length === 0 ? 'CREATE TABLE' : 'WRITE');
      changed.add(form.name);
      if (other === null) return;
      if (other.some((action) => concerns(action, form, owners))) throw new ConflictError();
    }
  }

  return {
    store,
    getLog,
    commit,
    /** Tables that have a new version by this lake. */
    listChanged: () => [...changed],
    /** Drops what was read of the logs, so that an attempt after a ConflictError reads them again. */
    forgetLogs: (): void => logs.clear(),
    /** The version that each table has, by name, in the order of names. */
    getVersions: async (): Promise<Record<string, number>> => {
      const open = await Promise.all(logs.values());
      const versions: [table: string, version: number][] = [];
      for (const { table, snapshot } of open)
        if (snapshot.version !== null) versions.push([table, snapshot.version]);
      return Object.fromEntries(versions.sort());
    },
  };
}

function concerns(
  { add, remove, metaData }: Action,
  { partition }: TableForm,
  owners: readonly (string | null)[],
): boolean {
  if (metaData) return true;
  const file = add ?? remove;
  if (!file) return false;
  const values = file.partitionValues; // another program may leave out those of a file that it removes
  return partition === null || !values || owners.includes(values[partition] ?? null);
}

/** The files of one owner: a value of the partition, or null for all files. */
export const filesOf = ({ files }: Snapshot, partition: string | null, owner: string | null) =>
  [...files.values()].filter(
    ({ partitionValues }) => partition === null || partitionValues[partition] === owner,
  );

export const toRemoval = ({ path, partitionValues, size }: AddFile): Action => ({
  remove: {
    path,
    partitionValues,
    size,
    extendedFileMetadata: true,
    deletionTimestamp: Date.now(),
    dataChange: true,
  },
});

/**
 * Deletes what no reader of a table needs any more: old commits, files that were removed long ago, and those
 * of loads that were killed. `keepMs`: how long readers of an older version may go on. Throws TargetError.
 */
export async function tidy({ store, getLog }: Lake, table: string, keepMs: number): Promise<void> {
  const log = await getLog(table);
  const keptSince = Date.now() - keepMs;
  const { files, removed } = log.snapshot;
  for (const { key, ageMs } of await store.list(`${table}/`)) {
    const path = key.slice(table.length + 1);
    const gone = removed.get(path);
    const isExpired = gone ? gone.deletionTimestamp < keptSince : ageMs > keepMs;
    if (path.startsWith('part-') && !files.has(path) && isExpired) await store.remove(key);
  }
  const checkpointVersion = await log.checkpoint(keptSince);
  if (checkpointVersion === null) return;
  for (const { key, ageMs } of await store.list(log.folder)) {
    const version = Number(/(\d{20})\.(?:json|checkpoint\.parquet)$/.exec(key)?.[1] ?? Infinity);
    if (version < checkpointVersion && ageMs > keepMs) await store.remove(key);
  }
}
