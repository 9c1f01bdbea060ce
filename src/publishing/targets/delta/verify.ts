/** Compares every value of an account in a lake with the published file. */
import { parquetReadObjects } from 'hyparquet';
import { StoreError } from '../stores/store.ts';
import type { AddFile } from './actions.ts';
import { between, compareKeys, encodeSlice, getStart, ownRows, sliceOf, type Slice } from './files.ts';
import { filesOf } from './lake.ts';
import type { LoadContext } from './plan.ts';
import { listLarge, listSmall, type DeltaTable } from './tables.ts';

const MOST_DIFFERENCES = 10;

/** The first ten differences, a sentence each. Throws StoreError. */
export async function findDifferences(context: LoadContext, account: string): Promise<string[]> {
  const { lake, source } = context;
  const found: string[] = [];
  const [large, small] = [listLarge(source.marts), listSmall(source.marts)];
  for (const deltaTable of [...large, ...small]) {
    const { snapshot } = await lake.getLog(deltaTable.table.name);
    const files = filesOf(snapshot, 'account', account);
    const match = large.includes(deltaTable) ? matchRanges : matchSlices;
    for (const [file, slice] of match(deltaTable, account, files)) {
      if (found.length >= MOST_DIFFERENCES) return found.slice(0, MOST_DIFFERENCES);
      found.push(...(await compareFile(context, deltaTable, file, slice)));
    }
  }
  return found.slice(0, MOST_DIFFERENCES);
}

/** Each file with the rows that it must have; together these are all rows of the account. */
type Match = [AddFile | null, Slice];

function matchRanges({ table }: DeltaTable, account: string, files: AddFile[]): Match[] {
  const rows = ownRows(table, account);
  if (files.length === 0) return [[null, { tags: {}, rows }]];
  const sorted = [...files].sort((one, other) => compareKeys(getStart(one), getStart(other)));
  return sorted.map((file, index) => {
    const next = sorted[index + 1];
    return [file, { tags: {}, rows: between(rows, getStart(file), next ? getStart(next) : null) }];
  });
}

function matchSlices(deltaTable: DeltaTable, account: string, files: AddFile[]): Match[] {
  const { where, parameters } = ownRows(deltaTable.table, account);
  const within = (file: AddFile | null, condition: string, slices: unknown): Match => [
    file,
    {
      tags: {},
      rows: {
        where: `${where} and ${sliceOf(deltaTable)} ${condition}`,
        parameters: { ...parameters, slices },
      },
    },
  ];
  const names = files.map(({ tags }) => tags['slice']);
  return [
    ...files.map((file) => within(file, '= :slices', file.tags['slice'])),
    within(null, 'not in (select value from json_each(:slices))', JSON.stringify(names)),
  ];
}

/** The same rows are the same bytes; other bytes are read. */
async function compareFile(
  { lake, source }: LoadContext,
  deltaTable: DeltaTable,
  file: AddFile | null,
  slice: Slice,
): Promise<string[]> {
  const { table, partition } = deltaTable;
  const ours = Buffer.concat(encodeSlice(source.db, deltaTable, slice).body);
  const theirs = file && (await lake.store.get(`${table.name}/${file.path}`));
  if (file && !theirs) throw new StoreError(`${lake.store.name}/${table.name}/${file.path} is gone`);
  if (theirs && Buffer.compare(ours, theirs) === 0) return [];
  const columns = table.columns.map(({ name }) => name).filter((name) => name !== partition);
  const [own, other] = [
    await readRows(ours, table.key),
    theirs ? await readRows(theirs, table.key) : new Map<string, Row>(),
  ];
  const missing = [...own.keys()]
    .filter((key) => !other.has(key))
    .map((key) => `${table.name} ${key} is missing in the target`);
  const more = [...other.keys()]
    .filter((key) => !own.has(key))
    .map((key) => `${table.name} ${key} is not in the file`);
  const different = [...own].flatMap(([key, row]) =>
    columns.flatMap((name) => {
      const [left, right] = [toText(row[name]), toText(other.get(key)?.[name])];
      if (!other.has(key) || left === right) return [];
      return [`${table.name} ${key}: ${name} is ${right} in the target, ${left} in the file`];
    }),
  );
  return [...different, ...missing, ...more];
}

type Row = Record<string, unknown>;

/** The rows of a Parquet file by their key as text. */
async function readRows(bytes: Uint8Array, key: readonly string[]): Promise<Map<string, Row>> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const rows = await parquetReadObjects({ file });
  return new Map(
    rows.map((row) => [key.flatMap((name) => (name in row ? [toText(row[name])] : [])).join(', '), row]),
  );
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? `'${value}'` : (value as number | bigint | boolean).toString();
}
