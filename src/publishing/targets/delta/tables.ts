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

const toDelta = (partition: DeltaTable['partition'], tables: readonly Table[]): DeltaTable[] =>
  tables.map((table) => {
    const column = MONTHS[table.name];
    return { table, partition, sliceBy: column === undefined ? null : { column, length: 7 } };
  });

export const listLarge = (marts: Marts) => toDelta('account', listVideoTables(marts));
export const listSmall = (marts: Marts) => toDelta('account', listAccountTables(marts));

/** Those that belong to no account. The calendar has a file for each year. */
export const listCommon = (marts: Marts): DeltaTable[] => [
  ...toDelta('warehouse_id', listWarehouseTables(marts)),
  { table: marts.dates, partition: null, sliceBy: { column: 'day', length: 4 } },
  { table: marts.dictionary, partition: null, sliceBy: null },
];

const PARTITIONS = {
  account: 'Name of the account in the config.',
  warehouse_id: 'The warehouse that the row is of.',
};

export const toForm = ({ table, partition }: DeltaTable): TableForm => ({
  ...table,
  partition: partition && { name: partition, description: PARTITIONS[partition] },
});
