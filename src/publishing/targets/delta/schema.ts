/** The schema of a Delta table, from the columns of a published one. */
import { randomUUID } from 'node:crypto';
import type { Column } from '../../mart.ts';
import { isMoment } from '../../parquet.ts';
import { StoreError } from '../stores/store.ts';
import type { MetaData } from './actions.ts';

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
  ...{ BIGINT: 'long', REAL: 'double', BOOLEAN: 'boolean', DATE: 'date' },
};

/** The service's own clock has no zone: it is a text. */
const toType = (column: Pick<Column, 'type' | 'unit'>): string =>
  TYPES[column.type] ?? (isMoment(column) ? 'timestamp' : 'string');

/** What a table is, besides its rows. */
export interface TableForm {
  name: string;
  description: string;
  columns: readonly Column[];
  /** The column that tells whose a file is: its values are in the log, not in the file. */
  partition: { name: string; description: string } | null;
}

/**
 * The metadata for a table with these columns, and those that others have given it; null if it has all of them. Throws StoreError
 * for a column of another type.
 */
export function planMetaData(form: TableForm, existing: MetaData | null): MetaData | null {
  const { name, description, columns, partition } = form;
  const known = existing === null ? [] : (JSON.parse(existing.schemaString) as { fields: Field[] }).fields;
  const first = partition && toField({ ...partition, type: 'TEXT', unit: null });
  const wanted = [
    ...(first ? [first] : []),
    ...columns.filter((column) => column.name !== partition?.name).map(toField),
  ];
  for (const field of wanted) {
    const theirs = known.find((each) => each.name === field.name);
    if (theirs && theirs.type !== field.type)
      throw new StoreError(
        `column ${name}.${field.name} of the lake has the type ${theirs.type}, not ${field.type}`,
        {
          hint: 'move the folder of the table away: the next load makes it again',
        },
      );
  }
  const added = wanted.filter((field) => known.every((each) => each.name !== field.name));
  if (existing !== null && added.length === 0) return null;
  return {
    ...(existing ?? {
      ...{ id: randomUUID(), name, description, createdTime: Date.now(), configuration: {} },
      format: { provider: 'parquet' as const, options: {} },
    }),
    schemaString: JSON.stringify({ type: 'struct', fields: [...known, ...added] }),
    partitionColumns: partition ? [partition.name] : [],
  };
}
