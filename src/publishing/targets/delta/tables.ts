/** The tables of a lake: how their rows are divided into files, and the schema that the log has of them. */
import { randomUUID } from 'node:crypto';
import type { Column, Table } from '../../marts/mart.ts';
import { dates } from '../../marts/dates.ts';
import { dictionary } from '../../marts/about.ts';
import { WAREHOUSE_TABLES, type Marts } from '../../marts/marts.ts';
import type { ParquetColumn } from '../parquet.ts';
import { TargetError } from '../target.ts';
import type { MetaData } from './actions.ts';

/** A published table, and how its rows are divided into files. */
export interface DeltaTable extends Table {
  /** The column of the log that names the owner of a file; null: files have no owner. */
  partition: 'account' | 'warehouse_id' | null;
  /**
   * The rows whose `column` begins with the same `length` characters, those of a month or a year, share a
   * file; null: all rows do.
   */
  sliceBy: { column: string; length: number } | null;
}

/** The small tables that have a file for each month, and the column that has it. */
const MONTHS: Readonly<Record<string, string>> = {
  package_daily: 'day',
  runs: 'started_at',
  walks: 'started_at',
};

const toDelta = (partition: DeltaTable['partition'], tables: readonly Table[]): DeltaTable[] =>
  tables.map((table) => {
    const column = MONTHS[table.name];
    return {
      ...table,
      partition,
      sliceBy: column === undefined ? null : { column, length: 'YYYY-MM'.length },
    };
  });

/**
 * Files of large tables are ranges of videos. The key of tags begins with the tag, so it is reversed: rows of
 * a file are sorted by its key.
 */
const byVideo = (table: Table): Table =>
  table.isWithoutRowid ? { ...table, key: [...table.key].reverse() } : table;

export const listLarge = (marts: Marts) => toDelta('account', marts.videoTables.map(byVideo));
export const listSmall = (marts: Marts) => toDelta('account', marts.accountTables);

/** The tables that belong to no account. The calendar has a file for each year. */
export const COMMON_TABLES: readonly DeltaTable[] = [
  ...toDelta('warehouse_id', WAREHOUSE_TABLES),
  { ...dates, partition: null, sliceBy: { column: 'day', length: 'YYYY'.length } },
  { ...dictionary, partition: null, sliceBy: null },
];

/** A column as Delta has it. */
interface Field {
  name: string;
  type: string;
  nullable: boolean;
  metadata: Record<string, string>;
}

function toField(column: Pick<Column, 'name' | 'type' | 'unit' | 'description'>): Field {
  const { name, description } = column;
  return { name, type: toType(column), nullable: true, metadata: { comment: description } };
}

const TYPES: Partial<Record<Column['type'], string>> = {
  BIGINT: 'long',
  REAL: 'double',
  BOOLEAN: 'boolean',
  DATE: 'date',
};

/** A time without a zone is written as a text: Delta has no type for it before reader version 3. */
const hasNoType = ({ type, unit }: Pick<Column, 'type' | 'unit'>): boolean =>
  type === 'TIMESTAMP' && unit !== 'UTC';

const toType = (column: Pick<Column, 'type' | 'unit'>): string => {
  if (column.type === 'TIMESTAMP') return hasNoType(column) ? 'string' : 'timestamp';
  return TYPES[column.type] ?? 'string';
};

/** The columns of a data file: a value of the partition is in the log. */
export const toFileColumns = ({
  columns,
  partition,
}: Pick<DeltaTable, 'columns' | 'partition'>): ParquetColumn[] =>
  columns
    .filter(({ name }) => name !== partition)
    .map((column) => (hasNoType(column) ? { ...column, type: 'TEXT' } : column));

/** A table without its rows. */
export type TableForm = Pick<DeltaTable, 'name' | 'description' | 'columns' | 'partition'>;

const toOwnerColumn = (name: string) =>
  ({ name, type: 'TEXT', unit: null, description: 'Whose the row is.' }) as const;

const MOVE = 'move the folder of the table away: the next load makes it again';

/**
 * The metadata for a table with these columns, and those that others have given it; null if it has all of
 * them. Throws TargetError for a column of another type, and for other partitions.
 */
export function planMetaData(form: TableForm, existing: MetaData | null): MetaData | null {
  const { name, description, columns, partition } = form;
  const partitionColumns = partition === null ? [] : [partition];
  if (existing !== null && existing.partitionColumns.join() !== partitionColumns.join())
    throw new TargetError(
      `another program wrote the table ${name} of the lake with the partitions (${existing.partitionColumns.join(', ')})`,
      { hint: MOVE },
    );
  const known = existing === null ? [] : (JSON.parse(existing.schemaString) as { fields: Field[] }).fields;
  const others = columns.filter((column) => column.name !== partition);
  const wanted = [...partitionColumns.map(toOwnerColumn), ...others].map(toField);
  for (const field of wanted) {
    const theirs = known.find((each) => each.name === field.name);
    if (theirs && theirs.type !== field.type)
      throw new TargetError(
        `column ${name}.${field.name} of the lake has the type ${theirs.type}, not ${field.type}`,
        { hint: MOVE },
      );
  }
  const added = wanted.filter((field) => known.every((each) => each.name !== field.name));
  if (existing !== null && added.length === 0) return null;
  return {
    ...(existing ?? {
      id: randomUUID(),
      name,
      description,
      createdTime: Date.now(),
      configuration: {},
      format: { provider: 'parquet' as const, options: {} },
    }),
    schemaString: JSON.stringify({ type: 'struct', fields: [...known, ...added] }),
    partitionColumns,
  };
}
