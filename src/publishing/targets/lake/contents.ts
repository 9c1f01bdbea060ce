/** What a lake has of an owner: its tables, the slices in which they are written, and the checksums of these. */
import { createHash } from 'node:crypto';
import type { Column, Table } from '../../mart.ts';
import { computeChecksums, type Checksums } from '../slices.ts';
import {
  listAccountSlices,
  listWarehouseSlices,
  selectOwned,
  type Owner,
  type SlicedTable,
} from '../shipped-tables.ts';
import type { Source } from '../source.ts';

/** Rows of the published file: what follows the values of a SELECT, over the alias `t`. */
export interface Rows {
  from: string;
  parameters: Readonly<Record<string, unknown>>;
}

/** One table of an owner. */
export interface LakeContent {
  name: string;
  columns: readonly Column[];
  /** Columns that are never NULL. */
  required: readonly string[];
  /** By slice: a month, or '' for all rows of the owner. */
  checksums: Checksums;
  /** The rows of a slice, in the order of their files. */
  select: (slice: string) => Rows;
}

/** The tables of an account. Reads all rows, for the checksums. */
export function listAccountContents(source: Source, account: string): LakeContent[] {
  const { db, marts } = source;
  const owner = { account };
  const ofTable = (table: Table, checksums: Checksums): LakeContent => ({
    ...{ name: table.name, columns: table.columns, required: table.key, checksums },
    select: () => selectRows(table, owner),
  });
  const sliced: SlicedTable = { table: marts.videos, by: null, id: 'change_seq', group: null };
  const videos = computeChecksums(db, sliced, owner);
  const history = summarizeMonths(source, account);
  const former = ofTable(marts.videoHistory, history);
  return [
    ofTable(marts.videos, videos),
    { ...former, select: (month) => selectMonth(source, account, month) },
    ...(marts.videoTags ? [ofTable(marts.videoTags, videos)] : []), // they change with their videos
    ...listAccountSlices(marts).map((sliced) =>
      ofTable(sliced.table, new Map([['', fold(computeChecksums(db, sliced, owner))]])),
    ),
  ];
}

/** Rows that are sorted at once: all of them would take hundreds of megabytes. */
const CHUNK_ROWS = 100_000;

/**
 * Former states are divided by the month in which another state superseded them. A checksum is `rows/sum/greatest` of the
 * `change_seq`.
 */
function summarizeMonths({ db, marts }: Source, account: string): Checksums {
  const { where, parameters } = selectOwned(marts.videoHistory, { account });
  const [first, last] = db
    .prepare(`select min(t.rowid), max(t.rowid) from main.video_history t where ${where}`)
    .raw()
    .get(parameters) as [number | null, number | null];
  const months = new Map<string, readonly [rows: number, sum: number, greatest: number]>();
  const read = db.prepare(
    `select substr(t.valid_to, 1, 7), count(*), sum(t.change_seq), max(t.change_seq) from main.video_history t
where t.rowid between :from and :to and ${where} group by 1`,
  );
  for (let from = first ?? 1; from <= (last ?? 0); from += CHUNK_ROWS)
    for (const [month, rows, sum, greatest] of read
      .raw()
      .all({ ...parameters, from, to: from + CHUNK_ROWS - 1 }) as [string, number, number, number][]) {
      const before = months.get(month) ?? [0, 0, 0];
      months.set(month, [before[0] + rows, before[1] + sum, Math.max(before[2], greatest)]);
    }
  return new Map([...months].map(([month, numbers]) => [month, numbers.join('/')]));
}

/** The tables of a warehouse, each with a column that says which one. */
export function listWarehouseContents(source: Source): LakeContent[] {
  const { db, marts, warehouseId } = source;
  return listWarehouseSlices(marts).map((sliced) => {
    const { table, by } = sliced;
    const from = `from (select :warehouse as warehouse_id, * from main."${table.name}") t`;
    const order = orderByKey(table);
    return {
      name: table.name,
      columns: [WAREHOUSE_ID, ...table.columns],
      required: ['warehouse_id', ...table.key],
      checksums: foldMonths(computeChecksums(db, sliced, { warehouseId })),
      select: (month) => ({
        from:
          by === null ? `${from} ${order}` : `${from} where substr(t."${by.column}", 1, 7) = :month ${order}`,
        parameters: by === null ? { warehouse: warehouseId } : { warehouse: warehouseId, month },
      }),
    };
  });
}

export const WAREHOUSE_ID: Column = {
  ...{ name: 'warehouse_id', type: 'TEXT', unit: null, source: null, additivity: null },
  description: 'The warehouse that the row is about, by its number in about.',
};

/** Rows in the order of their key, which has an index: to sort the rows of a million videos takes 600 MB. */
function selectRows(table: Table, owner: Owner): Rows {
  const { where, parameters } = selectOwned(table, owner);
  return { from: `from main."${table.name}" t where ${where} ${orderByKey(table)}`, parameters };
}

const orderByKey = ({ key }: Table): string => `order by ${key.map((name) => `t."${name}"`).join(', ')}`;

/** All former states of a month. Divides the whole history once. */
function selectMonth(source: Source, account: string, month: string): Rows {
  const { db, marts } = source;
  const { where, parameters } = selectOwned(marts.videoHistory, { account });
  const isDivided = divided.get(db) === account;
  if (!isDivided) {
    db.exec(`drop table if exists temp.history_months;
create temp table history_months (month text, row integer, primary key (month, row)) without rowid`);
    db.prepare(
      `insert into temp.history_months select substr(t.valid_to, 1, 7), t.rowid from main.video_history t where ${where}`,
    ).run(parameters);
    divided.set(db, account);
  }
  return {
    from: 'from temp.history_months m cross join main.video_history t on t.rowid = m.row where m.month = :month order by m.row',
    parameters: { month },
  };
}

/** Whose history a connection has divided by months. */
const divided = new WeakMap<Source['db'], string>();

/** One checksum of many; that of no rows is that of nothing. */
function fold(checksums: Checksums): string {
  const sorted = [...checksums].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha1').update(JSON.stringify(sorted)).digest('hex');
}

/** The checksums of days, folded by month; a single one stays. */
function foldMonths(checksums: Checksums): Checksums {
  const months = new Map<string, Map<string, string>>();
  for (const [slice, checksum] of checksums) {
    const month = slice.slice(0, 7);
    months.set(month, (months.get(month) ?? new Map<string, string>()).set(slice, checksum));
  }
  return new Map([...months].map(([month, days]) => [month, fold(days)]));
}
