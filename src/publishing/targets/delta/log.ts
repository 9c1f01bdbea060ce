/** The log of a Delta table: numbered versions. Of two writers of one version, the first one wins. */
import { randomUUID } from 'node:crypto';
import type { Store } from '../stores/store.ts';
import { TargetError } from '../target.ts';
import { apply, emptySnapshot, type Action, type Snapshot } from './actions.ts';
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts';

export type DeltaLog = Awaited<ReturnType<typeof openLog>>;

/** A version is a checkpoint when it is divisible by this. */
const CHECKPOINT_EVERY = 20;

const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 };

const fileName = (version: number) => String(version).padStart(20, '0');

/** Reads the log. Throws TargetError where a version is missing, or the table has a newer protocol. */
export async function openLog(store: Store, table: string) {
  const folder = `${table}/_delta_log/`;
  const toKey = (version: number) => `${folder}${fileName(version)}.json`;
  const { snapshot, checkpoint } = await read(store, folder);
  assertProtocol(store, table, snapshot);
  let checkpointVersion = checkpoint;

  return {
    table,
    folder,
    /** After the last version that was read or written. */
    snapshot,
    /**
     * Writes the next version. Null if that is done; the actions of another writer, which are part of the
     * snapshot then, if that one came first. The first version of a table gets its protocol here.
     */
    async commit(actions: readonly Action[], operation: string): Promise<Action[] | null> {
      const version = snapshot.version === null ? 0 : snapshot.version + 1;
      const id = randomUUID();
      const commitInfo = { timestamp: Date.now(), operation, engineInfo: 'vodhouse', txnId: id };
      const all: Action[] = [{ commitInfo }, ...(version === 0 ? [{ protocol: PROTOCOL }] : []), ...actions];
      const body = Buffer.from(all.map((action) => `${JSON.stringify(action)}\n`).join(''));
      const isWritten = await store.putIfAbsent(toKey(version), [body]);
      const written = isWritten ? all : await readCommit(store, toKey(version));
      for (const action of written) apply(snapshot, action);
      snapshot.version = version;
      assertProtocol(store, table, snapshot);
      // after a lost answer, the file that is there may be the one that was sent
      return written.some(({ commitInfo: info }) => info?.['txnId'] === id) ? null : written;
    },
    /**
     * Writes a checkpoint if the last one is old enough, and returns its version; otherwise null. Files that
     * were removed before `keptSince` (ms) are left out.
     */
    async checkpoint(keptSince: number): Promise<number | null> {
      const { version } = snapshot;
      if (version === null || version - (checkpointVersion ?? 0) < CHECKPOINT_EVERY) return null;
      for (const [path, { deletionTimestamp }] of snapshot.removed)
        if (deletionTimestamp < keptSince) snapshot.removed.delete(path);
      const { body, size } = writeCheckpoint(snapshot);
      await store.put(`${folder}${fileName(version)}.checkpoint.parquet`, [body]);
      await store.put(`${folder}_last_checkpoint`, [Buffer.from(JSON.stringify({ version, size }))]);
      checkpointVersion = version;
      return version;
    },
  };
}

async function read(
  store: Store,
  folder: string,
): Promise<{ snapshot: Snapshot; checkpoint: number | null }> {
  const snapshot = emptySnapshot();
  const lastKey = `${folder}_last_checkpoint`;
  const pointer = await store.get(lastKey);
  const checkpoint = pointer && (parseJson(pointer, lastKey) as { version: number }).version;
  if (checkpoint !== null) {
    const key = `${folder}${fileName(checkpoint)}.checkpoint.parquet`;
    const bytes = await store.get(key);
    if (bytes === null) throw new TargetError(`${store.name}/${key} is missing`, { hint: REBUILD });
    for (const action of await readCheckpoint(bytes)) apply(snapshot, action);
    snapshot.version = checkpoint;
  }
  const next = checkpoint === null ? 0 : checkpoint + 1;
  const versions = (await store.list(folder))
    .flatMap(({ key }) => /(\d{20})\.json$/.exec(key)?.[1] ?? [])
    .map(Number)
    .filter((version) => version >= next);
  const lacking = versions.findIndex((version, index) => version !== next + index);
  if (lacking >= 0) {
    const message = `${store.name}/${folder} lacks version ${next + lacking}`;
    throw new TargetError(message, { hint: REBUILD });
  }
  const commits = await Promise.all(
    versions.map((version) => readCommit(store, `${folder}${fileName(version)}.json`)),
  );
  for (const action of commits.flat()) apply(snapshot, action);
  snapshot.version = versions.at(-1) ?? snapshot.version;
  return { snapshot, checkpoint };
}

const REBUILD = 'restore the file; or move the folder of the table away: the next load makes it again';

async function readCommit(store: Store, key: string): Promise<Action[]> {
  const bytes = await store.get(key);
  if (bytes === null) throw new TargetError(`${store.name}/${key} is gone`, { hint: REBUILD });
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => parseJson(Buffer.from(line), key) as Action);
}

function parseJson(bytes: Uint8Array, key: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown;
  } catch (cause) {
    throw new TargetError(`${key} is not valid JSON`, { hint: REBUILD, cause });
  }
}

/** Throws TargetError for a table that another program gave features that this one does not know. */
function assertProtocol(store: Store, table: string, { protocol }: Snapshot): void {
  if (protocol === null || (protocol.minReaderVersion <= 1 && protocol.minWriterVersion <= 2)) return;
  throw new TargetError(
    `${store.name}/${table} has writer version ${protocol.minWriterVersion} of Delta: another program changed it`,
    { hint: REBUILD },
  );
}
