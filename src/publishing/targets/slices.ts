/** Slices of small tables: which ones differ from those that a target has. */
import { createHash } from 'node:crypto';
import type { Database } from '../../database/sqlite.ts';
import { toLine, type RowSet } from './copy-lines.ts';
import { selectOwned, type Owner, type SlicedTable } from './shipped-tables.ts';

/** The checksum of each slice, by its name: a month or a day, or '' for the only one. */
export type Checksums = ReadonlyMap<string, string>;

/** What a target must change in a small table. */
export interface SliceChanges {
  sliced: SlicedTable;
  /** Slices whose rows differ, with their new checksums. */
  changed: Checksums;
  /** Slices that the published file no longer has. */
  gone: readonly string[];
  /** The rows of the changed slices. */
  rows: RowSet;
}

/** Compares a table with the slices of a target. */
export function findSliceChanges(
  db: Database,
  sliced: SlicedTable,
  owner: Owner,
  known: Checksums,
): SliceChanges {
  const present = computeChecksums(db, sliced, owner);
  const changed = new Map([...present].filter(([slice, checksum]) => known.get(slice) !== checksum));
  const gone = [...known.keys()].filter((slice) => !present.has(slice));
  const { where, parameters } = selectOwned(sliced.table, owner);
  const isChanged = `${sliceOf(sliced)} in (select value from json_each(:slices))`;
  const slices = JSON.stringify([...changed.keys()]);
  const rows = { where: `${where} and ${isChanged}`, parameters: { ...parameters, slices } };
  return { sliced, changed, gone, rows };
}

const sliceOf = ({ by }: SlicedTable) => (by ? `substr(t."${by.column}", 1, ${by.length})` : `''`);

/** The checksum of each slice of an owner's rows. */
export function computeChecksums(db: Database, sliced: SlicedTable, owner: Owner): Map<string, string> {
  const { where, parameters } = selectOwned(sliced.table, owner);
  const from = `from main."${sliced.table.name}" t where ${where}`;
  return sliced.id === null
    ? hashRows(db, sliced, from, parameters)
    : compareNumbers(db, sliced, from, parameters);
}

/** The number of rows, and the sum and the greatest of their ids. */
function compareNumbers(db: Database, sliced: SlicedTable, from: string, parameters: object) {
  const rows = db
    .prepare(
      `select ${sliceOf(sliced)}, count(*) || '/' || sum(t."${sliced.id}") || '/' || max(t."${sliced.id}") ${from} group by 1`,
    )
    .raw()
    .all(parameters) as [string, string][];
  return new Map(rows);
}

/** A hash of all values. Each group is one text: a slice of many packages is hashed in a few thousand pieces. */
function hashRows(db: Database, sliced: SlicedTable, from: string, parameters: object) {
  const { columns, key } = sliced.table;
  const order = key.map((column) => `t."${column}"`).join(', ');
  const group = sliced.group === null ? `''` : `t."${sliced.group}"`;
  const pieces = db
    .prepare(
      `select ${sliceOf(sliced)}, cast(group_concat(${toLine(columns)}, '' order by ${order}) as blob) ${from}
group by 1, ${group} order by 1, ${group}`,
    )
    .raw()
    .iterate(parameters) as IterableIterator<[string, Buffer]>;
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  for (const [slice, lines] of pieces) {
    const hash = hashes.get(slice) ?? createHash('sha1');
    hashes.set(slice, hash.update(lines));
  }
  return new Map([...hashes].map(([slice, hash]) => [slice, hash.digest('hex')]));
}
