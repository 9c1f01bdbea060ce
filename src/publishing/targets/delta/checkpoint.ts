/** Checkpoints of a Delta log: all of it up to a version in one file, so that older ones may be deleted. */
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import type { Action, Snapshot } from './actions.ts';

/** Elements of a Parquet schema: one column, or a group of columns with all that it holds. */
type Elements = readonly SchemaElement[];

const text = (name: string): Elements => [
  { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
];
const long = (name: string): Elements => [{ name, type: 'INT64', repetition_type: 'OPTIONAL' }];
const int = (name: string): Elements => [{ name, type: 'INT32', repetition_type: 'OPTIONAL' }];
const flag = (name: string): Elements => [{ name, type: 'BOOLEAN', repetition_type: 'OPTIONAL' }];
const struct = (name: string, ...columns: Elements[]): Elements => [
  { name, num_children: columns.length, repetition_type: 'OPTIONAL' },
  ...columns.flat(),
];
const map = (name: string): Elements => [
  { name, num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'MAP' },
  { name: 'key_value', num_children: 2, repetition_type: 'REPEATED' },
  { name: 'key', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  ...text('value'),
];
const list = (name: string): Elements => [
  { name, num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
  { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
  ...text('element'),
];

/** The actions that a checkpoint holds, each with its values. */
const ACTIONS = {
  txn: [text('appId'), long('version'), long('lastUpdated')],
  add: [
    text('path'),
    map('partitionValues'),
    long('size'),
    long('modificationTime'),
    flag('dataChange'),
    text('stats'),
    map('tags'),
  ],
  remove: [text('path'), long('deletionTimestamp'), flag('dataChange')],
  metaData: [
    text('id'),
    struct('format', text('provider'), map('options')),
    text('schemaString'),
    list('partitionColumns'),
    map('configuration'),
    long('createdTime'),
  ],
  protocol: [int('minReaderVersion'), int('minWriterVersion')],
} satisfies Partial<Record<keyof Action, Elements[]>>;

const NAMES = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]; // Object.keys returns string[]

const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: NAMES.length },
  ...NAMES.flatMap((name) => struct(name, ...ACTIONS[name])),
];

/** The bytes of a checkpoint, and the number of its actions. */
export function writeCheckpoint(snapshot: Snapshot): { body: Uint8Array; size: number } {
  const { protocol, metaData, txns, files, removed } = snapshot;
  const actions: Action[] = [
    ...(protocol ? [{ protocol }] : []),
    ...(metaData ? [{ metaData }] : []),
    ...Array.from(txns.values(), (txn) => ({ txn })),
    ...Array.from(files.values(), (add) => ({ add: { ...add, dataChange: false } })),
    ...Array.from(removed.values(), ({ path, deletionTimestamp }) => ({
      remove: { path, deletionTimestamp, dataChange: false },
    })),
  ];
  const columnData = NAMES.map((name) => ({
    name,
    data: actions.map((action) => toLongs(action[name])),
  }));
  const buffer = parquetWriteBuffer({ columnData, schema: SCHEMA, createdBy: 'vodhouse' });
  return { body: new Uint8Array(buffer), size: actions.length };
}

/** Fields of actions for which the writer takes bigints. */
const LONGS = SCHEMA.filter(({ type }) => type === 'INT64').map(({ name }) => name);

const toLongs = (action: object | undefined) =>
  action === undefined
    ? null
    : mapValues(action, (value, name) =>
        typeof value === 'number' && LONGS.includes(name) ? BigInt(value) : value,
      );

const mapValues = (action: object, convert: (value: unknown, name: string) => unknown) =>
  Object.fromEntries(Object.entries(action).map(([name, value]) => [name, convert(value, name)]));

/** The actions of a checkpoint. Throws what hyparquet throws for a file that is none. */
export async function readCheckpoint(bytes: Uint8Array): Promise<Action[]> {
  const file = toArrayBuffer(bytes);
  const metadata = await parquetMetadataAsync(file);
  const rows = await parquetReadObjects({ file, metadata });
  return rows.map((row) => {
    // a row has an object for one action, and null for the others
    const actions = Object.entries(row).filter(([, action]) => action) as [string, object][];
    // a number of Parquet comes as bigint
    const toNumber = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
    return Object.fromEntries(actions.map(([name, action]) => [name, mapValues(action, toNumber)]));
  });
}

/** A copy of the bytes in a buffer of its own, as hyparquet takes them. */
export const toArrayBuffer = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;
