/** Compares every value of an account in a lake with the published file. */
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { StoreError } from '../stores/store.ts';
import type { AddFile } from './actions.ts';
import { between, compareKeys, encodeSlice, fromTag, ownRows, type Slice } from './files.ts';
import { filesOf } from './lake.ts';
import type { LoadContext } from './load.ts';
import { listLarge, listSmall, type DeltaTable } from './tables.ts';

const MOST_DIFFERENCES = 10;
/** Rows that are compared at a time. */
const WINDOW_ROWS = 5_000;

/** The first ten differences, a sentence each. Throws StoreError. */
export async function findDifferences(context: LoadContext, account: string): Promise<string[]> {
  const { lake, source } = context;
  const found: string[] = [];
  for (const deltaTable of [...listLarge(source.marts), ...listSmall(source.marts)]) {
    const { snapshot } = await lake.getLog(deltaTable.table.name);
    const files = filesOf(snapshot, 'account', account);
    for (const { file, slice } of matchFiles(deltaTable, account, files)) {
      found.push(...(await compare(context, deltaTable, file, slice)));
      if (found.length >= MOST_DIFFERENCES) return found.slice(0, MOST_DIFFERENCES);
    }
  }
  return found;
}

/** Each file with the rows that it must have; together these are all rows of the account. */
function matchFiles(
  deltaTable: DeltaTable,
  account: string,
  files: AddFile[],
): { file: AddFile | null; slice: Slice }[] {
  const rows = ownRows(deltaTable.table, account);
  const all = { tags: {}, rows };
  if (files.length === 0) return [{ file: null, slice: all }];
  if (files.some(({ tags }) => tags['from'] === undefined)) return matchSlices(deltaTable, files, rows);
  const sorted = files
    .map((file) => ({ file, from: fromTag(file.tags['from']) }))
    .sort((one, other) => compareKeys(one.from, other.from));
  return sorted.map(({ file, from }, index) => {
    const until = sorted[index + 1]?.from ?? null;
    return { file, slice: { tags: {}, rows: between(rows, index === 0 ? null : from, until) } };
  });
}

function matchSlices({ sliceBy }: DeltaTable, files: AddFile[], rows: Slice['rows']) {
  const month = sliceBy === null ? `''` : `substr(t."${sliceBy}", 1, 7)`;
  const names = files.map(({ tags }) => tags['slice'] ?? '');
  const others = `${month} not in (select value from json_each(:names))`;
  return [
    ...files.map((file) => ({
      file,
      slice: {
        tags: {},
        rows: {
          where: `${rows.where} and ${month} = :slice`,
          parameters: { ...rows.parameters, slice: file.tags['slice'] },
        },
      },
    })),
    {
      file: null,
      slice: {
        tags: {},
        rows: {
          where: `${rows.where} and ${others}`,
          parameters: { ...rows.parameters, names: JSON.stringify(names) },
        },
      },
    },
  ];
}

async function compare(
  { lake, source }: LoadContext,
  deltaTable: DeltaTable,
  file: AddFile | null,
  slice: Slice,
): Promise<string[]> {
  const { name } = deltaTable.table;
  const ours = Buffer.concat(encodeSlice(source.db, deltaTable, slice).body);
  const theirs = file === null ? null : await lake.store.get(`${name}/${file.path}`);
  if (file !== null && theirs === null)
    throw new StoreError(`${lake.store.name}/${name}/${file.path} is gone`);
  if (theirs !== null && Buffer.compare(ours, theirs) === 0) return [];
  return compareRows(deltaTable, ours, theirs);
}

type Row = Record<string, unknown>;

/** Rows are in the order of their key in both. */
async function compareRows(
  { table, partition }: DeltaTable,
  ours: Uint8Array,
  theirs: Uint8Array | null,
): Promise<string[]> {
  const [own, other] = [openRows(ours), theirs === null ? NO_ROWS : openRows(theirs)];
  const key = table.key.filter((name) => name !== partition);
  const found: string[] = [];
  let [left, right] = [await own.next(), await other.next()];
  while ((left || right) && found.length < MOST_DIFFERENCES) {
    const order = !left ? 1 : !right ? -1 : compareRowKeys(key, left, right);
    const row = order <= 0 ? left : right;
    const where = `${table.name} ${key.map((name) => toText(row?.[name])).join(', ')}`;
    if (order < 0) found.push(`${where} is missing in the target`);
    else if (order > 0) found.push(`${where} is not in the file`);
    else
      found.push(
        ...describeValues(
          where,
          table.columns.filter(({ name }) => name !== partition),
          left ?? {},
          right ?? {},
        ),
      );
    if (order <= 0) left = await own.next();
    if (order >= 0) right = await other.next();
  }
  return found;
}

function describeValues(
  where: string,
  columns: readonly { name: string }[],
  ours: Row,
  theirs: Row,
): string[] {
  return columns.flatMap(({ name }) => {
    const [own, other] = [toText(ours[name]), toText(theirs[name])];
    return own === other ? [] : [`${where}: ${name} is ${other} in the target, ${own} in the file`];
  });
}

const toText = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? `'${value}'` : (value as number | bigint | boolean).toString();
};

function compareRowKeys(key: readonly string[], one: Row, other: Row): number {
  for (const name of key) {
    const [left, right] = [one[name], other[name]];
    if (typeof left === 'string' && typeof right === 'string') {
      const order = Buffer.compare(Buffer.from(left), Buffer.from(right));
      if (order !== 0) return order;
    } else if (Number(left) !== Number(right)) return Number(left) - Number(right);
  }
  return 0;
}

interface Rows {
  next: () => Promise<Row | null>;
}

const NO_ROWS: Rows = { next: () => Promise.resolve(null) };

/** Reads some rows at a time. */
function openRows(bytes: Uint8Array): Rows {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const metadata = parquetMetadata(file);
  const count = Number(metadata.num_rows);
  let window: Row[] = [];
  let [start, at] = [0, 0];
  return {
    next: async () => {
      if (at === window.length && start < count) {
        window = await parquetReadObjects({
          file,
          metadata,
          rowStart: start,
          rowEnd: Math.min(start + WINDOW_ROWS, count),
        });
        start += window.length;
        at = 0;
      }
      return window[at++] ?? null;
    },
  };
}
