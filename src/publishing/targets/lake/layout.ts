/** The keys of a lake's objects, and the documents that are no Parquet: pointers, manifests, workers. */
import type { Anchor } from '../delta.ts';

/** Whose rows: of an account, or of a warehouse (its runs, walks and facts). */
export type LakeOwner = { account: string } | { warehouse: string };

/** `account=main`, `warehouse=UUID`: a partition as Hive names it. Names of accounts need no encoding. */
export const toPartition = (owner: LakeOwner): string =>
  'account' in owner ? `account=${owner.account}` : `warehouse=${owner.warehouse}`;

const DIGITS = 16;

/** The number of a load as keys have it: sorted as a text, it is sorted as a number. */
export const toLoadName = (load: number): string => String(load).padStart(DIGITS, '0');

export const dataPrefix = (table: string, owner: LakeOwner): string => `data/${table}/${toPartition(owner)}/`;

export interface DataKey {
  table: string;
  owner: LakeOwner;
  /** `2026-03`, for tables that are divided by month. */
  month: string | null;
  load: number;
  /** Of one attempt: two writers of the same load never write the same object. */
  attempt: string;
  part: number;
}

export const toDataKey = ({ table, owner, month, load, attempt, part }: DataKey): string => {
  const folder = `${dataPrefix(table, owner)}${month === null ? '' : `month=${month}/`}`;
  return `${folder}${toLoadName(load)}-${attempt}-${String(part).padStart(3, '0')}.parquet`;
};

export const manifestPrefix = (owner: LakeOwner): string => `manifest/${toPartition(owner)}/`;
export const toManifestKey = (owner: LakeOwner, load: number): string =>
  `${manifestPrefix(owner)}${toLoadName(load)}.json`;
export const POINTERS = 'latest/';
export const toPointerKey = (owner: LakeOwner): string => `${POINTERS}${toPartition(owner)}.json`;
export const WORKERS = 'workers/';
export const toWorkerKey = (instance: string): string => `${WORKERS}${instance}.json`;
export const toSymlinkKey = (table: string, owner: LakeOwner): string =>
  `symlink/${table}/${toPartition(owner)}/manifest`;
export const toFileListKey = (table: string): string => `files/${table}.txt`;

/** One Parquet file of a load. */
export interface LakeFile {
  key: string;
  /** `2026-03`, for tables that are divided by month; null else. */
  month: string | null;
  rows: number;
  bytes: number;
  /** Of the bytes, in hexadecimal digits. */
  sha256: string;
  etag: string;
  /** The least and the greatest `change_seq` of its rows; null where the table has none. */
  min_change_seq: number | null;
  max_change_seq: number | null;
  /** Of former states: it has those that were superseded after this `change_seq`. Null for other tables. */
  since: number | null;
}

/** A part of a table that is compared and written as a whole: a month, or all rows of its owner (''). */
export interface LakeSlice {
  slice: string;
  /** Of its rows in the published file, see slices.ts. */
  checksum: string;
  files: LakeFile[];
}

export interface LakeTable {
  table: string;
  slices: LakeSlice[];
}

/**
 * `manifest/…/<load>.json`: everything that one load of an owner consists of. Written once, never changed. Times are UTC,
 * `YYYY-MM-DD HH:MM:SS`.
 */
export interface Manifest {
  format: 1;
  /** `main` of `account=main`. */
  owner: LakeOwner;
  load: number;
  kind: 'claim' | 'first' | 'changes' | 'reload' | 'removed';
  warehouse_id: string;
  /** Null before the first load of rows. */
  timeline: string | null;
  /** Timelines that the lake had before, the oldest first: a file of one of them is an old copy. */
  former_timelines: string[];
  /** See Source.shape. */
  shape: string | null;
  worker: string;
  instance: string;
  /** One more each time that another worker or warehouse gets the account. */
  epoch: number;
  change_seq: number;
  rows: number;
  version: string;
  loaded_at: string;
  published_at: string | null;
  /** Why the next load writes everything again; null: it does not. */
  status: 'rebuild' | 'moved' | 'unverified' | null;
  /** The newest states of the last loads: the published file must have them too. The newest first. */
  anchors: Anchor[];
  /** Hashes of the figures of booked days. */
  booked: Record<string, string>;
  tables: LakeTable[];
  /** Files that earlier loads had and this one has not, and the time (milliseconds since 1970) since when: swept after `keep`. */
  superseded: { key: string; at: number }[];
  /** Manifests of former timelines, and of accounts that a person took: they and their files stay. */
  kept_loads: number[];
}

/** `latest/<owner>.json`: the commit. Readers follow it to one whole load. */
export interface Pointer {
  format: 1;
  owner: LakeOwner;
  load: number;
  /** Key of the manifest, and its SHA-256. */
  manifest: string;
  sha256: string;
  /** Facts of the manifest, so that a load with nothing new reads only the pointer. */
  facts: Omit<Manifest, 'tables' | 'superseded' | 'kept_loads' | 'booked' | 'format' | 'owner' | 'load'> & {
    /** By table and slice: the checksums of the published file. */
    checksums: Record<string, Record<string, string>>;
    /** When superseded files may be deleted next, in milliseconds since 1970; null: there are none. */
    sweep_after: number | null;
  };
  /** The newest publication that had nothing new: how fresh the rows are. */
  published_at: string | null;
  verified_at: string | null;
}

/** `workers/<instance>.json`: a sign of life. The accounts of a worker are free after `lease_until`. */
export interface WorkerSign {
  format: 1;
  worker: string;
  instance: string;
  /** Milliseconds since 1970, by the clock of the store. */
  renewed_at: number;
  lease_until: number;
}
