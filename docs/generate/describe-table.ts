/** How a table of the live file is described: types and keys from its schema, words from here. */
import { getTableColumns } from 'drizzle-orm';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { ForeignKey } from '../../src/publishing/mart.ts';

export interface LiveColumn {
  name: string;
  /** As it is declared. */
  type: string;
  /** What a number counts in, or how a text is written; null where the description says it all. */
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

/** What a column means, with its unit where its type does not tell it. */
export type Note = string | { unit: string; means: string };

/** A note for every column. */
export type Notes<T extends SQLiteTable> = Record<Extract<keyof T['$inferSelect'], string>, Note>;

/** A note with a unit. */
export const withUnit = (unit: string, means: string): Note => ({ unit, means });

/** A note that begins with the values a text may have. */
export const enumOf = (values: readonly string[], means: string): Note => ({
  unit: values.join(', '),
  means,
});

const UNIT_OF_TYPE: Record<string, string> = { TIMESTAMP: 'UTC', DATE: 'YYYY-MM-DD', BOOLEAN: '0 or 1' };

/** Describes a table: the notes must name each of its columns and nothing else, which the compiler checks. */
export function describeTable<T extends SQLiteTable, N extends Notes<T>>(
  table: T,
  description: string,
  notes: N & Record<Exclude<keyof N, keyof Notes<T>>, never>,
): LiveTable {
  const words: Readonly<Partial<Record<string, Note>>> = notes;
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
      describeColumn(column.name, column.getSQLType().toUpperCase(), words[property] ?? ''),
    ),
  };
}

function describeColumn(name: string, type: string, note: Note): LiveColumn {
  return typeof note === 'string'
    ? { name, type, unit: UNIT_OF_TYPE[type] ?? null, description: note }
    : { name, type, unit: note.unit, description: note.means };
}
