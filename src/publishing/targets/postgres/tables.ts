/** The published tables as PostgreSQL has them: types and keys. */
import type { Column, Table, View } from '../../mart.ts';
import type { Marts } from '../../marts/marts.ts';

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

/**
 * The key of a table in the target: its account first, because loads and checks read an account. `video_tags` has none: a tag
 * may be longer than an index of PostgreSQL takes.
 */
export function toKey({ name, key }: Pick<Table, 'name' | 'key'>): string[] {
  if (OF_WAREHOUSE.includes(name)) return [WAREHOUSE_ID, ...key];
  if (name === 'video_tags') return [];
  if (name === 'storage_readings') return ['account', ...key];
  return key.flatMap((column) => (column === 'package_key' ? ['account', 'package_id'] : [column]));
}

/** All published tables. */
export function listTargetTables({ all }: Pick<Marts, 'all'>): TargetTable[] {
  return all.flatMap((mart) => (mart.kind === 'table' ? toTargetTable(mart) : []));
}

/** The published views, in an order in which they can be created. */
export function listViews({ all }: Pick<Marts, 'all'>): View[] {
  return all.flatMap((mart) => (mart.kind === 'view' ? mart : []));
}

function toTargetTable(table: Table): TargetTable {
  const key = toKey(table);
  const columns = table.columns.map((column) => ({
    name: column.name,
    type: toType(column),
    isRequired: key.includes(column.name) || table.key.includes(column.name),
  }));
  const owner = key[0] === WAREHOUSE_ID ? [{ name: WAREHOUSE_ID, type: 'uuid', isRequired: true }] : [];
  return { name: table.name, key, columns: [...owner, ...columns] };
}
