/** The tables and views of a target as data: the published ones, and those in which it keeps how far each account is. */
import type { Column, Table, View } from '../../mart.ts';
import { createMarts } from '../../marts/marts.ts';

/** A column of a table in the target. */
export interface TargetColumn {
  name: string;
  type: string;
  isRequired: boolean;
}

/** A table in the target. */
export interface TargetTable {
  name: string;
  columns: readonly TargetColumn[];
  /** Empty: no primary key. */
  key: readonly string[];
  /** Columns of an index beside the key. */
  index?: readonly string[];
}

/** The type of a column. A TIMESTAMP that is not UTC has no zone: the service's own clock, and days as timestamps. */
export function toType({ type, unit }: Pick<Column, 'type' | 'unit'>): string {
  switch (type) {
    case 'BIGINT':
      return 'bigint';
    case 'REAL':
      return 'double precision';
    case 'BOOLEAN':
      return 'boolean';
    case 'DATE':
      return 'date';
    case 'TIMESTAMP':
      return unit === 'UTC' ? 'timestamp with time zone' : 'timestamp without time zone';
    default:
      return 'text';
  }
}

/** Column that tells the runs of many warehouses apart. */
export const WAREHOUSE_ID = 'warehouse_id';

const OF_WAREHOUSE = ['runs', 'walks', 'about'];
const OF_VIDEO = ['account', 'package_id', 'video_id'];

/**
 * The key of a published table in the target: its account first, because loads and comparisons read an account. `video_tags`
 * has none: a tag may be longer than an index of PostgreSQL accepts.
 */
export function toKey({ name, key }: Pick<Table, 'name' | 'key'>): string[] {
  if (OF_WAREHOUSE.includes(name)) return [WAREHOUSE_ID, ...key];
  if (name === 'video_tags') return [];
  if (name === 'storage_readings') return ['account', ...key];
  return key.flatMap((column) => (column === 'package_key' ? ['account', 'package_id'] : [column]));
}

/** With every column of a video: other warehouses of the schema may leave out others, and DDL never depends on the config. */
const { all } = createMarts({ durationUnit: 'ms', exclude: [] });

/** The published views, in an order in which they can be created. */
export const VIEWS: readonly View[] = all.flatMap((mart) => (mart.kind === 'view' ? mart : []));

function toTargetTable(table: Table): TargetTable {
  const key = toKey(table);
  const columns = table.columns.map((column) => ({
    name: column.name,
    type: toType(column),
    isRequired: key.includes(column.name) || table.key.includes(column.name),
  }));
  const owner = key[0] === WAREHOUSE_ID ? [{ name: WAREHOUSE_ID, type: 'uuid', isRequired: true }] : [];
  const index = table.name === 'video_tags' ? { index: OF_VIDEO } : {};
  return { name: table.name, key, columns: [...owner, ...columns], ...index };
}

const toColumns = (isRequired: boolean, types: Readonly<Record<string, string>>): TargetColumn[] =>
  Object.entries(types).map(([name, type]) => ({ name, type, isRequired }));

const TIME = 'timestamp with time zone';

/** One row an account: whose it is, and what was loaded last. */
const account: TargetTable = {
  name: 'vodhouse_account',
  key: ['account'],
  columns: [
    ...toColumns(true, { account: 'text', warehouse_id: 'uuid', worker: 'text' }),
    ...toColumns(false, { publication_id: 'text', change_seq: 'bigint', shape: 'text', version: 'text' }),
    ...toColumns(false, { loaded_at: TIME, published_at: TIME, rows: 'bigint' }),
  ],
};

/** One row a load that wrote rows. `account` is null for the tables that belong to no account. */
const load: TargetTable = {
  name: 'vodhouse_load',
  key: ['load_id'],
  index: ['account', 'load_id'],
  columns: [
    ...toColumns(true, { load_id: 'bigint GENERATED ALWAYS AS IDENTITY' }),
    ...toColumns(false, { account: 'text' }),
    ...toColumns(true, { warehouse_id: 'uuid', worker: 'text', kind: 'text' }),
    ...toColumns(false, { from_change_seq: 'bigint', to_change_seq: 'bigint' }),
    ...toColumns(true, { rows: 'bigint', duration_ms: 'bigint', loaded_at: TIME }),
  ],
};

/** Facts about the schema: its `shape`, and the `timezone` of its days. */
const facts: TargetTable = {
  name: 'vodhouse_schema',
  key: ['key'],
  columns: toColumns(true, { key: 'text', value: 'text' }),
};

/** All tables of a target. */
export const TABLES: readonly TargetTable[] = [
  ...all.flatMap((mart) => (mart.kind === 'table' ? toTargetTable(mart) : [])),
  ...[account, load, facts],
];

/** The published tables that have rows of accounts. */
export const ACCOUNT_TABLES: readonly string[] = TABLES.flatMap(({ name, columns }) =>
  !name.startsWith('vodhouse_') && name !== 'walks' && columns.some((column) => column.name === 'account')
    ? [name]
    : [],
);

/** For alarms of readers. */
export const FRESHNESS = {
  name: 'vodhouse_freshness',
  columns: ['account', 'worker', 'warehouse_id', 'version', 'change_seq', 'published_at', 'loaded_at'],
  computed: { name: 'loaded_seconds_ago', value: 'extract(epoch FROM now() - loaded_at)::bigint' },
};
