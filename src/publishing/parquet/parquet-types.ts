/** The types of published columns in Parquet, and how SQLite gives their values. */
import type { SchemaElement } from 'hyparquet-writer';
import type { Column } from '../mart.ts';
import { createBooleanColumn } from './boolean-column.ts';
import type { ColumnBuffer } from './column-values.ts';
import { createNumberColumn } from './number-column.ts';
import { createTextColumn } from './text-column.ts';

/** The element of the schema for a column. */
export function toElement(column: Column, isRequired: boolean): SchemaElement {
  const repetition_type = isRequired ? 'REQUIRED' : 'OPTIONAL';
  return { name: column.name, repetition_type, ...toParquetType(column) };
}

function toParquetType({ type, unit }: Column): Omit<SchemaElement, 'name'> {
  switch (type) {
    case 'BIGINT':
      return { type: 'INT64' };
    case 'REAL':
      return { type: 'DOUBLE' };
    case 'BOOLEAN':
      return { type: 'BOOLEAN' };
    case 'DATE':
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } };
    case 'TIMESTAMP': // one that is not UTC has no zone: the service's own clock, and days as timestamps
      return {
        type: 'INT64',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: unit === 'UTC', unit: 'MICROS' },
      };
    default:
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
  }
}

/** A buffer for a column's values, which are those of `toExpression`. */
export function createColumnBuffer({ name, type }: Column): ColumnBuffer {
  switch (type) {
    case 'BIGINT':
      return createNumberColumn(name, 'int64');
    case 'REAL':
      return createNumberColumn(name, 'double');
    case 'BOOLEAN':
      return createBooleanColumn(name);
    case 'DATE':
      return createNumberColumn(name, 'int32');
    case 'TIMESTAMP':
      return createNumberColumn(name, 'micros');
    default:
      return createTextColumn(name);
  }
}

/** Integers that JavaScript has exactly. */
const SAFE = `between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;

/**
 * The expression for a value as the writer takes it: moments in seconds since 1970, days in days since then, integers as numbers,
 * those beyond 2^53 as text. `expression` gives it as SQLite has it, over the alias `t`.
 */
export function toExpression({
  name,
  type,
  expression = `t."${name}"`,
}: Column & { expression?: string }): string {
  if (type === 'DATE') return `unixepoch(${expression}) / 86400`;
  if (type === 'TIMESTAMP') return `unixepoch(${expression})`;
  if (type === 'BIGINT')
    return `case when ${expression} ${SAFE} then ${expression} else cast(${expression} as text) end`;
  return expression;
}
