/** The keys of the objects of a lake. */

/** Whose rows: of an account, of a warehouse (its runs, walks and facts), or of all (the calendar, the dictionary). */
export type LakeOwner = { account: string } | { warehouse: string } | 'all';

/** `account=main`, `warehouse=UUID`: a partition as Hive names it. Names of accounts need no encoding. */
export function toPartition(owner: LakeOwner): string {
  if (owner === 'all') return 'all';
  return 'account' in owner ? `account=${owner.account}` : `warehouse=${owner.warehouse}`;
}

const DIGITS = 16;

/** The number of a load as keys have it: sorted as a text, it is sorted as a number. */
export const toLoadName = (load: number): string => String(load).padStart(DIGITS, '0');

export const dataPrefix = (table: string, owner: LakeOwner): string =>
  `data/${table}/${owner === 'all' ? '' : `${toPartition(owner)}/`}`;

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
/** Copies that other programs make of a manifest have other names. */
export const isManifestKey = (key: string): boolean => /\/\d{16}\.json$/.test(key);
export const POINTERS = 'latest/';
export const toPointerKey = (owner: LakeOwner): string => `${POINTERS}${toPartition(owner)}.json`;
export const WORKERS = 'workers/';
export const toWorkerKey = (instance: string): string => `${WORKERS}${instance}.json`;
export const toSymlinkKey = (table: string, owner: LakeOwner): string =>
  `symlink/${table}/${toPartition(owner)}/manifest`;
export const toFileListKey = (table: string): string => `files/${table}.txt`;
/** A file of the table without rows, but with every column that the shape (see `SHAPE`) has. Never changed. */
export const toEmptyKey = (table: string, shape: number): string => `${EMPTY}${table}-${shape}.parquet`;
export const EMPTY = 'empty/';
export const toSqlKey = (engine: string): string => `sql/${engine}.sql`;
