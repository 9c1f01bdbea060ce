/** Actions of a Delta log of reader version 1 and writer version 2 (PROTOCOL.md of delta-io/delta). */

export interface AddFile {
  /** Relative to the table. */
  path: string;
  partitionValues: Record<string, string>;
  size: number;
  modificationTime: number;
  dataChange: boolean;
  /** JSON: `{"numRecords": …, "minValues": {…}, "maxValues": {…}}`. Other programs may leave it out. */
  stats?: string | null;
  /** Which rows the file has, for later loads. Readers ignore it, and other programs do not write it. */
  tags: Record<string, string>;
}

export interface RemoveFile {
  path: string;
  /** In milliseconds since 1970. */
  deletionTimestamp: number;
  dataChange: boolean;
  /** True where `partitionValues` and `size` are set; a checkpoint has none of the three. */
  extendedFileMetadata?: boolean;
  partitionValues?: Record<string, string>;
  size?: number;
}

export interface MetaData {
  id: string;
  format: { provider: 'parquet'; options: Record<string, string> };
  /** JSON: the columns, the partition columns among them. */
  schemaString: string;
  partitionColumns: string[];
  configuration: Record<string, string>;
  createdTime: number;
}

/** How far an application has written, as a version of its own: a write that is repeated finds it. */
export interface Txn {
  appId: string;
  version: number;
  lastUpdated: number;
}

export interface Protocol {
  minReaderVersion: number;
  minWriterVersion: number;
}

/** One line of a commit: exactly one of these. */
export interface Action {
  protocol?: Protocol;
  metaData?: MetaData;
  txn?: Txn;
  add?: AddFile;
  remove?: RemoveFile;
  commitInfo?: Record<string, unknown>;
}

/** What a table is after a version. */
export interface Snapshot {
  /** Null: there is no table yet. */
  version: number | null;
  protocol: Protocol | null;
  metaData: MetaData | null;
  files: Map<string, AddFile>;
  /** Files that were removed, until they are deleted. */
  removed: Map<string, RemoveFile>;
  txns: Map<string, Txn>;
}

export const emptySnapshot = (): Snapshot => ({
  version: null,
  protocol: null,
  metaData: null,
  files: new Map(),
  removed: new Map(),
  txns: new Map(),
});

/** Changes the snapshot to that after one more action. */
export function apply(snapshot: Snapshot, { protocol, metaData, txn, add, remove }: Action): void {
  if (protocol) snapshot.protocol = protocol;
  if (metaData) snapshot.metaData = metaData;
  if (txn) snapshot.txns.set(txn.appId, txn);
  if (add) {
    const { tags, partitionValues } = add as Partial<AddFile>; // another program may leave them out
    snapshot.files.set(add.path, { ...add, tags: tags ?? {}, partitionValues: partitionValues ?? {} });
    snapshot.removed.delete(add.path);
  }
  if (remove) {
    snapshot.files.delete(remove.path);
    snapshot.removed.set(remove.path, remove);
  }
}
