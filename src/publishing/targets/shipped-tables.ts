/** Which published tables are shipped, by whom they are owned, and how they are divided. */
import type { Table } from '../mart.ts';
import { createMarts, type Marts } from '../marts/marts.ts';

/** What a load ships: the rows of one account, or the runs and facts of a warehouse. */
export type Owner = { account: string } | { warehouseId: string };

/** A small table, compared and shipped by slices: months or days of a column, or all rows of its owner. */
export interface SlicedTable {
  table: Table;
  /** The slice is the begin of this column's text; null: one slice. */
  by: { column: string; length: 7 | 10 } | null;
  /**
   * A column that numbers the rows: those of a finished slice never change, so it is enough to compare the numbers. Null:
   * all values are compared.
   */
  id: string | null;
  /** Groups of rows that are next to each other in the table: to compare it without sorting all of it. */
  group: string | null;
}

/** The large tables of an account: videos, their history, their tags. */
export const listVideoTables = ({ videos, videoHistory, videoTags }: Marts): Table[] => [
  ...[videos, videoHistory],
  ...(videoTags ? [videoTags] : []),
];

/** The small tables of an account. Corrections go first: they allow other figures of a booked day. */
export function listAccountSlices(marts: Marts): SlicedTable[] {
  const month = (column: string) => ({ column, length: 7 }) as const;
  return [
    { table: marts.packages, by: null, id: null, group: null },
    { table: marts.storageCorrections, by: null, id: null, group: null },
    { table: marts.storageDaily, by: month('day'), id: null, group: null },
    { table: marts.storageReadings, by: month('day'), id: 'reading_id', group: null },
    { table: marts.catalogDaily, by: month('day'), id: null, group: 'package_key' },
  ];
}

/** The tables of a warehouse. */
export function listWarehouseSlices(marts: Marts): SlicedTable[] {
  const day = { column: 'started_at', length: 10 } as const;
  return [
    { table: marts.runs, by: day, id: null, group: null },
    { table: marts.walks, by: day, id: null, group: null },
    { table: marts.about, by: null, id: null, group: null },
  ];
}

/** The condition for the rows of an owner in the published file (alias `t`), and its parameters. */
export function selectOwned(table: Table, owner: Owner) {
  if ('warehouseId' in owner) return { where: 'true', parameters: {} };
  const { account } = owner;
  if (table.key[0] !== 'package_key') return { where: 't.account = :account', parameters: { account } };
  // the key is account/id, so an account is a range of it; `0` is the character after `/`
  return {
    where: `t.package_key >= :account || '/' and t.package_key < :account || '0'`,
    parameters: { account },
  };
}

/** The columns of videos or their history that are left out of a published file (`publish.exclude`). */
export function listExcludedColumns({ name: table, columns }: Table): string[] {
  const { videos, videoHistory } = createMarts({ durationUnit: 'ms', exclude: [] });
  const all = [videos, videoHistory].find(({ name }) => name === table)?.columns ?? [];
  const names = columns.map(({ name }) => name);
  return all.flatMap(({ name }) => (names.includes(name) ? [] : [name]));
}

/** The figures of a day of storage, and what is computed of each of them. */
export const listFigures = ({ columns }: Table): Table['columns'] =>
  columns.filter(({ additivity }) => additivity === 'semi-additive');
