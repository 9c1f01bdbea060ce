/** The types of published columns in Parquet, and how SQLite gives their values. */
import type { SchemaElement } from 'hyparquet-writer';
import type { Column } from '../mart.ts';

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

/**
 * The expression for a value as Parquet counts it: moments in microseconds, days in days since 1970. `expression` gives it as
 * SQLite has it, over the alias `t`.
 */
export function toExpression({
  name,
  type,
  expression = `t."${name}"`,
}: Column & { expression?: string }): string {
  if (type === 'DATE') return `unixepoch(${expression}) / 86400`;
  return type === 'TIMESTAMP' ? `unixepoch(${expression}) * 1000000` : expression;
}

/** What the writer takes for a value that SQLite gave; integers come as bigints. */
export function toParquetValue({ type }: Column, value: unknown): unknown {
  if (value === null) return null;
  if (type === 'BOOLEAN') return value === 1n;
  return type === 'DATE' || type === 'REAL' ? Number(value) : value;
}
