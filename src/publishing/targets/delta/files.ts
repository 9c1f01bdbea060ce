/** The data files of one owner in one table: which rows each has, and how they are written. */
import { createHash, randomUUID } from 'node:crypto';
import type { Database } from '../../../database/sqlite.ts';
import type { Table } from '../../mart.ts';
import { writeParquetFile, type Bounds } from '../../parquet.ts';
import { ofAccount, type Rows } from '../changes.ts';
import type { Store } from '../stores/store.ts';
import type { AddFile } from './actions.ts';
import type { DeltaTable } from './tables.ts';

/** A part of an owner's rows: by key range in large tables, by month, or all of them. Its text sorts like its rows. */
export interface Slice {
  /** What of it `tags` of its files tell. */
  tags: Record<string, string>;
  rows: Rows;
}

/** The rows of an owner in the published file: an account's, or all that the file has. */
export const ownRows = (table: Table, account: string | null): Rows =>
  account === null ? { where: 'true', parameters: {} } : ofAccount(table, account);

/** Key of a video; `package_key` sorts like the table. */
export interface VideoKey {
  packageKey: string;
  videoId: number;
}

const toTag = ({ packageKey, videoId }: VideoKey): string => JSON.stringify([packageKey, videoId]);

export function fromTag(tag: string | undefined): VideoKey {
  const [packageKey = '', videoId = 0] = JSON.parse(tag ?? '["",0]') as [string?, number?];
  return { packageKey, videoId };
}

export const compareKeys = (one: VideoKey, other: VideoKey): number =>
  one.packageKey === other.packageKey
    ? one.videoId - other.videoId
    : one.packageKey < other.packageKey
      ? -1
      : 1;

/** The rows from one key on, up to another one, which is not part of them; null: no bound. */
export function between({ where, parameters }: Rows, from: VideoKey | null, until: VideoKey | null): Rows {
  const lower = from && `(t.package_key, t.video_id) >= (:fromKey, :fromId)`;
  const upper = until && `(t.package_key, t.video_id) < (:untilKey, :untilId)`;
  return {
    where: [where, lower, upper].filter(Boolean).join(' and '),
    parameters: {
      ...parameters,
      ...(from && { fromKey: from.packageKey, fromId: from.videoId }),
      ...(until && { untilKey: until.packageKey, untilId: until.videoId }),
    },
  };
}

/** Divides a range of rows into slices of about `fileRows`, none of which parts the rows of a video. */
export function divide(
  db: Database,
  table: Table,
  rows: Rows,
  from: VideoKey | null,
  until: VideoKey | null,
  fileRows: number,
): Slice[] {
  const within = between(rows, from, until);
  const count = countRows(db, table, within);
  if (count === 0) return [];
  const parts = Math.max(1, Math.round(count / fileRows));
  const find = db.prepare(
    `select t.package_key as packageKey, t.video_id as videoId from "${table.name}" t where ${within.where}
order by t.package_key, t.video_id limit 1 offset :offset`,
  );
  const starts = Array.from(
    { length: parts },
    (_, part) => find.get({ ...within.parameters, offset: Math.floor((count / parts) * part) }) as VideoKey,
  ).filter((start, index, all) => index === 0 || compareKeys(start, all[index - 1] ?? start) > 0);
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? until;
    return { tags: { from: toTag(start) }, rows: between(rows, index === 0 ? from : start, end) };
  });
}

const countRows = (db: Database, { name }: Table, { where, parameters }: Rows): number =>
  db.prepare(`select count(*) from "${name}" t where ${where}`).pluck().get(parameters) as number;

/** The slices of a small table: all its rows, or those of each month, with a hash of their values. */
export function hashSlices(db: Database, { table, sliceBy }: DeltaTable, rows: Rows): Slice[] {
  const slice = sliceBy === null ? `''` : `substr(t."${sliceBy}", 1, 7)`;
  const order = table.key.map((column) => `t."${column}"`).join(', ');
  const values = table.columns.map(({ name }) => `quote(t."${name}")`).join(` || ',' || `);
  const pieces = db
    .prepare(`select ${slice}, ${values} from "${table.name}" t where ${rows.where} order by 1, ${order}`)
    .raw()
    .iterate(rows.parameters) as IterableIterator<[string, string]>;
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  const columns = table.columns.map(({ name, type }) => `${name} ${type}`).join();
  for (const [name, line] of pieces) {
    let hash = hashes.get(name);
    if (!hash) hashes.set(name, (hash = createHash('sha256').update(columns)));
    hash.update(line).update('\n');
  }
  return [...hashes].map(([name, hash]) => ({
    tags: { slice: name, sha256: hash.digest('hex') },
    rows: {
      where: `${rows.where} and ${slice} = :slice`,
      parameters: { ...rows.parameters, slice: name },
    },
  }));
}

/** The bytes of the file of a slice, and what the log tells of it. */
export function encodeSlice(db: Database, { table, partition }: DeltaTable, { rows }: Slice) {
  const columns = table.columns
    .filter(({ name }) => name !== partition)
    .map((column) => ({ ...column, isRequired: false }));
  const order = table.key.map((column) => `t."${column}"`).join(', ');
  const from = `from "${table.name}" t where ${rows.where} order by ${order}`;
  return writeParquetFile(db, { columns, from, parameters: rows.parameters });
}

/** Writes the file of a slice. Returns the action that adds it. */
export async function writeSlice(
  store: Store,
  db: Database,
  deltaTable: DeltaTable,
  slice: Slice,
  owner: { partitionValues: Record<string, string>; tags: Record<string, string> },
): Promise<AddFile> {
  const { table } = deltaTable;
  const { body, rows, bounds } = encodeSlice(db, deltaTable, slice);
  const path = `part-${randomUUID()}.parquet`;
  await store.put(`${table.name}/${path}`, body);
  return {
    path,
    partitionValues: owner.partitionValues,
    size: body.reduce((sum, { byteLength }) => sum + byteLength, 0),
    modificationTime: Date.now(),
    dataChange: true,
    stats: toStats(rows, bounds),
    tags: { ...owner.tags, ...slice.tags },
  };
}

/** `minValues` and `maxValues` of a file: of integers, and of days as text. */
function toStats(rows: number, bounds: readonly Bounds[]): string {
  const values = (end: 'min' | 'max') =>
    Object.fromEntries(bounds.flatMap((each) => toStat(each.name, each[end])));
  const nullCount = Object.fromEntries(Object.keys(values('min')).map((name) => [name, 0]));
  return JSON.stringify({ numRecords: rows, minValues: values('min'), maxValues: values('max'), nullCount });
}

/** Columns that are never NULL. */
const INTEGERS = ['package_id', 'video_id', 'change_seq'];

function toStat(name: string, value: unknown): [string, unknown][] {
  if (INTEGERS.includes(name)) return [[name, Number(value)]];
  return name === 'day' ? [[name, new Date(Number(value) * 86_400_000).toISOString().slice(0, 10)]] : [];
}
