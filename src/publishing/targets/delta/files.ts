/** The data files of one owner in one table: which rows each has, and how they are written. */
import { createHash, randomUUID } from 'node:crypto';
import type { Database } from '../../../database/sqlite.ts';
import type { Table } from '../../marts/mart.ts';
import { writeParquetFile } from '../parquet.ts';
import { ofAccount, type Rows } from '../source.ts';
import type { Store } from '../stores/store.ts';
import type { AddFile } from './actions.ts';
import { toFileColumns, type DeltaTable } from './tables.ts';

/** The rows of one file: a range of keys of a large table; a month or a year of a small one, or all of it. */
export interface Slice {
  /** What the log holds of them. */
  tags: Record<string, string>;
  rows: Rows;
}

/** The rows of an owner in the published file: an account's, or all that the file has. */
export const ownRows = (table: Table, account: string | null): Rows =>
  account === null ? { where: 'true', parameters: {} } : ofAccount(table, account);

/**
 * The `video_key` from which on a file of a large table has all rows, up to the start of the next file; ''
 * for the first file.
 */
export const getStart = ({ tags }: AddFile): string => tags['from'] ?? '';

/** Did another program write the file, such as OPTIMIZE? Then it may have any rows of the owner. */
export const isForeign = ({ tags }: AddFile): boolean =>
  tags['from'] === undefined && tags['sha256'] === undefined;

/** Sorts files in the order of their rows. SQLite compares keys by their bytes, so this does too. */
export const compareFiles = (one: AddFile, other: AddFile): number =>
  Buffer.compare(Buffer.from(getStart(one)), Buffer.from(getStart(other))) ||
  ((one.tags['slice'] ?? '') < (other.tags['slice'] ?? '') ? -1 : 1);

/**
 * The rows of an account whose video has a key of at least `from` ('': any) and below `until` (null: any).
 * The account is no condition of its own: with two lower bounds, SQLite may begin to read at the lower one.
 */
export const between = (account: string, from: string, until: string | null): Rows => ({
  where: 't.video_key >= :from and t.video_key < :until',
  parameters: { from: from || `${account}/`, until: until ?? `${account}0` }, // `0` follows `/`
});

/**
 * Copies the rows of a table without rowids into a temporary table of the same name, sorted by `key`, which
 * begins with the video: the published file has them in another order, in which they cannot be searched by
 * video. SQLite reads the temporary table where a statement names no schema. Does nothing for any other
 * table.
 */
export function sortByVideo(db: Database, { name, columns, key, isWithoutRowid = false }: Table): void {
  if (!isWithoutRowid) return;
  const names = columns.map((column) => column.name).join(', ');
  const isNew = db.prepare('select 1 from temp.sqlite_schema where name = ?').get(name) === undefined;
  if (isNew)
    db.exec(`create temp table ${name} (${names}, primary key (${key.join(', ')})) without rowid;
insert into temp.${name} select ${names} from main.${name} order by ${key.join(', ')}`);
}

/**
 * Divides a range of an account's rows into slices of about `fileRows`, at most a half more. None of them
 * parts the rows of a video.
 */
export function divide(
  db: Database,
  { name }: Table,
  account: string,
  [from, until]: readonly [string, string | null],
  fileRows: number,
): Slice[] {
  const findKey = (start: string, offset: number): unknown => {
    const { where, parameters } = between(account, start, until);
    const find = `select t.video_key from "${name}" t where ${where} order by 1 limit 1 offset ${offset}`;
    return db.prepare(find).pluck().get(parameters);
  };
  // The video at each half of `fileRows`. The search ends at a video that has more rows than that, because
  // its rows are not parted.
  const halves: string[] = [];
  for (let key = findKey(from, 0); typeof key === 'string' && key !== halves.at(-1);) {
    halves.push(key);
    key = findKey(key, Math.ceil(fileRows / 2));
  }
  const starts = halves
    .filter((_, index) => index % 2 === 0 && (index === 0 || index < halves.length - 1))
    .map((key, index) => (index === 0 ? from : key));
  return starts.map((start, index) => ({
    tags: { from: start },
    rows: between(account, start, starts[index + 1] ?? until),
  }));
}

/** The text by which a small table is sliced: the first letters of a day, or nothing. */
export const sliceOf = ({ sliceBy }: DeltaTable): string =>
  sliceBy === null ? `''` : `substr(t."${sliceBy.column}", 1, ${sliceBy.length})`;

/** The slices of a small table, each with a hash of its values. */
export function hashSlices(db: Database, deltaTable: DeltaTable, rows: Rows): Slice[] {
  const { name: table, key, columns } = deltaTable;
  const values = columns.map(({ name }) => `quote(t."${name}")`).join(` || ',' || `);
  const order = ['1', ...key.map((column) => `t."${column}"`)].join(', ');
  const pieces = db
    .prepare(
      `select ${sliceOf(deltaTable)}, ${values} from "${table}" t where ${rows.where} order by ${order}`,
    )
    .raw()
    .iterate(rows.parameters) as IterableIterator<[string, string]>;
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  for (const [slice, line] of pieces) {
    let hash = hashes.get(slice);
    if (!hash) hashes.set(slice, (hash = createHash('sha256').update(JSON.stringify(columns))));
    hash.update(line).update('\n');
  }
  return [...hashes].map(([slice, hash]) => ({
    tags: { slice, sha256: hash.digest('hex') },
    rows: {
      where: `${rows.where} and ${sliceOf(deltaTable)} = :slice`,
      parameters: { ...rows.parameters, slice },
    },
  }));
}

/** Writes the Parquet files of slices. Returns the actions that add them. Throws TargetError. */
export async function writeFiles(
  store: Store,
  db: Database,
  table: DeltaTable,
  slices: readonly Slice[],
  partitionValues: AddFile['partitionValues'],
): Promise<AddFile[]> {
  const columns = toFileColumns(table);
  const order = table.key.map((column) => `t."${column}"`).join(', ');
  const added: AddFile[] = [];
  for (const { rows, tags } of slices) {
    const from = `from "${table.name}" t where ${rows.where} order by ${order}`;
    const { body } = await writeParquetFile(db, { columns, from, parameters: rows.parameters });
    const stats = readStats(db, table, rows);
    added.push(await addFile(store, table.name, body, { partitionValues, tags, stats }));
  }
  return added;
}

/** Writes a file into a table. Returns the action that adds it. */
export async function addFile(
  store: Store,
  table: string,
  body: Uint8Array[],
  facts: Pick<AddFile, 'partitionValues' | 'tags' | 'stats'>,
): Promise<AddFile> {
  const path = `part-${randomUUID()}.parquet`;
  await store.put(`${table}/${path}`, body);
  const size = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return { path, size, modificationTime: Date.now(), dataChange: true, ...facts };
}

/** The number of rows that the files have; a file without statistics counts as 0. */
export const countRecords = (files: readonly Pick<AddFile, 'stats'>[]): number =>
  files.reduce(
    (sum, { stats }) => sum + ((JSON.parse(stats ?? '{}') as { numRecords?: number }).numRecords ?? 0),
    0,
  );

/** Columns that readers filter by, and that are never NULL: integers, and days as text. */
const BOUNDED = ['video_id', 'change_seq', 'version_number', 'day'];

/** The number of rows, and the least and the greatest value of some columns, as the log has them. */
function readStats(db: Database, { name: table, columns }: Table, { where, parameters }: Rows): string {
  const bounded = columns.filter(({ name }) => BOUNDED.includes(name));
  const list = (end: 'min' | 'max') =>
    `json_object(${bounded.map(({ name }) => `'${name}', ${end}(t."${name}")`).join(', ')})`;
  const stats = `json_object(
    'numRecords', count(*), 'minValues', ${list('min')}, 'maxValues', ${list('max')})`;
  return db.prepare(`select ${stats} from "${table}" t where ${where}`).pluck().get(parameters) as string;
}
