/** A column of BOOLEAN: a bit a value, the lowest first. */
import {
  createLevels,
  createTypeError,
  ROW_GROUP_ROWS,
  takeLevels,
  type ColumnBuffer,
  type ColumnValues,
} from './column-values.ts';

/** Values are 0 and 1. */
export function createBooleanColumn(name: string): ColumnBuffer {
  const levels = createLevels();
  const values = new Uint8Array(ROW_GROUP_ROWS);
  let count = 0;
  return {
    add: (rows, index) => {
      const { bytes } = levels;
      for (const row of rows) {
        const value = row[index];
        const isNull = value === null;
        bytes[levels.rows++] = isNull ? 0 : 1;
        if (isNull) levels.nulls++;
        else if (value === 0 || value === 1) values[count++] = value;
        else throw createTypeError(name, 'boolean', value);
      }
    },
    getBytes: () => count,
    take: () => {
      const taken = { ...encode(values.subarray(0, count)), ...takeLevels(levels) };
      count = 0;
      return taken;
    },
  };
}

function encode(values: Uint8Array): Pick<ColumnValues, 'content' | 'bounds'> {
  const bytes = new Uint8Array(Math.ceil(values.length / 8));
  for (let index = 0; index < values.length; index++)
    bytes[index >> 3] = (bytes[index >> 3] ?? 0) | ((values[index] ?? 0) << (index & 7));
  const bounds =
    values.length === 0 ? null : { min_value: !values.includes(0), max_value: values.includes(1) };
  return {
    bounds,
    content: { kind: 'plain', bytes, pages: [{ values: values.length, bytes: bytes.length }] },
  };
}
