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
  /** Small tables have a file for each month, or year: the letters that its days begin with; null: one file. */
  sliceBy: { column: string; length: number } | null;
}

const MONTHS: Readonly<Record<string, string>> = {
  ...{ package_daily: 'day', runs: 'started_at', walks: 'started_at' },
};

const create = (partition: DeltaTable['partition']) => (table: Table) => {
  const column = MONTHS[table.name];
  return { table, partition, sliceBy: column === undefined ? null : { column, length: 7 } };
};

export const listLarge = (marts: Marts): DeltaTable[] => listVideoTables(marts).map(create('account'));
export const listSmall = (marts: Marts): DeltaTable[] => listAccountTables(marts).map(create('account'));
export const listOfWarehouse = (marts: Marts): DeltaTable[] =>
  listWarehouseTables(marts).map(create('warehouse_id'));

/** The calendar, in a file for each year, and the dictionary. */
export const listShared = ({ dates, dictionary }: Marts): DeltaTable[] => [
  { table: dates, partition: null, sliceBy: { column: 'day', length: 4 } },
  { table: dictionary, partition: null, sliceBy: null },
];

const PARTITIONS = {
  account: 'Name of the account in the config.',
  warehouse_id: 'The warehouse that the row is of.',
};

export const toForm = ({ table, partition }: DeltaTable): TableForm => ({
  ...table,
  partition: partition && { name: partition, description: PARTITIONS[partition] },
});
