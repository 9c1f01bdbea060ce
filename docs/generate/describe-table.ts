/** Describes a table of the live file: types and keys come from its schema, texts from the caller. */
import { getTableColumns } from 'drizzle-orm';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { ServiceField } from '../../src/lib/service-fields.ts';
import type { ForeignKey } from '../../src/publishing/mart.ts';

export interface LiveColumn {
  name: string;
  /** As it is declared. */
  type: string;
  /** Unit of a number or format of a text; null if the description is enough. */
  unit: string | null;
  description: string;
}

export interface LiveTable {
  name: string;
  /** What one row is. */
  description: string;
  key: readonly string[];
  foreignKeys: readonly ForeignKey[];
  columns: readonly LiveColumn[];
}

/** The description of a column, with its unit if the type does not imply it. */
export type Note = string | { unit: string; means: string };

/** A note for every column. */
export type Notes<T extends SQLiteTable> = Record<Extract<keyof T['$inferSelect'], string>, Note>;

export const withUnit = (unit: string, means: string): Note => ({ unit, means });

/** A note whose unit lists the values that a text may have. */
export const enumOf = (values: readonly string[], means: string): Note => ({
  unit: values.join(', '),
  means,
});

/** The notes of fields of the service, with a second sentence for some. */
export function describeFields<K extends string>(
  fields: Readonly<Record<K, ServiceField>>,
  more?: Readonly<Partial<Record<K, string>>>,
): Record<K, Note> {
  const entries = (Object.entries(fields) as [K, ServiceField][]).map(([name, { description, unit }]) => {
    const suffix = description.includes('not documented') ? '.' : ', as received.';
    const means = [description + suffix, more?.[name] ?? []].flat().join(' ');
    return [name, unit === undefined ? means : withUnit(unit, means)] as const;
  });
  return Object.fromEntries(entries) as Record<K, Note>;
}

const UNIT_OF_TYPE: Record<string, string> = { TIMESTAMP: 'UTC', DATE: 'YYYY-MM-DD', BOOLEAN: '0 or 1' };

/** The compiler checks that the notes name each column of the table and nothing else. */
export function describeTable<T extends SQLiteTable, N extends Notes<T>>(
  table: T,
  description: string,
  notes: N & Record<Exclude<keyof N, keyof Notes<T>>, never>,
): LiveTable {
  const texts: Readonly<Partial<Record<string, Note>>> = notes;
  const { name, columns, primaryKeys, foreignKeys } = getTableConfig(table);
  return {
    name,
    description,
    key: [
      ...columns.filter((column) => column.primary).map((column) => column.name),
      ...primaryKeys.flatMap((key) => key.columns.map((column) => column.name)),
    ],
    foreignKeys: foreignKeys.map((key) => {
      const { columns: ours, foreignTable, foreignColumns } = key.reference();
      return {
        columns: ours.map((column) => column.name),
        table: getTableConfig(foreignTable).name,
        references: foreignColumns.map((column) => column.name),
      };
    }),
    columns: Object.entries(getTableColumns(table)).map(([property, column]) =>
      describeColumn(column.name, column.getSQLType().toUpperCase(), texts[property] ?? ''),
    ),
  };
}

function describeColumn(name: string, type: string, note: Note): LiveColumn {
  return typeof note === 'string'
    ? { name, type, unit: UNIT_OF_TYPE[type] ?? null, description: note }
    : { name, type, unit: note.unit, description: note.means };
}
