/** The tables of a lake. */
import type { Table } from '../../mart.ts';
import type { Marts } from '../../marts/marts.ts';
import { listAccountTables, listVideoTables, listWarehouseTables } from '../changes.ts';
import type { TableForm } from './schema.ts';

/** A published table, and how its rows are divided into files. */
export interface DeltaTable {
  table: Table;
  /** The column of the log that tells whose a file is; null: everybody's. */
  partition: 'account' | 'warehouse_id' | null;
  /** Small tables: the day column whose months have a file each; null: one file. */
  sliceBy: string | null;
}

const SLICED: Readonly<Record<string, string>> = {
  catalog_daily: 'day',
  storage_readings: 'day',
  runs: 'started_at',
  walks: 'started_at',
};

const toSmall = (table: Table, partition: DeltaTable['partition']): DeltaTable => ({
  ...{ table, partition, sliceBy: SLICED[table.name] ?? null },
});

export const listLarge = (marts: Marts): DeltaTable[] =>
  listVideoTables(marts).map((table) => toSmall(table, 'account'));
export const listSmall = (marts: Marts): DeltaTable[] =>
  listAccountTables(marts).map((table) => toSmall(table, 'account'));
export const listOfWarehouse = (marts: Marts): DeltaTable[] =>
  listWarehouseTables(marts).map((table) => toSmall(table, 'warehouse_id'));

/** The names of all tables of an account. */
export const ACCOUNT_TABLES = [
  ...['videos', 'video_history', 'video_tags', 'packages', 'storage_daily', 'storage_readings'],
  ...['storage_corrections', 'catalog_daily'],
];

const PARTITIONS = {
  account: 'Name of the account in the config.',
  warehouse_id: 'The warehouse that the row is of.',
};

export const toForm = ({ table, partition }: DeltaTable): TableForm => ({
  ...table,
  partition: partition && { name: partition, description: PARTITIONS[partition] },
});
