/** A column of numbers: a dictionary if few are different, else each number, PLAIN. */
import {
  createLevels,
  createTypeError,
  DICTIONARY_SIZE,
  ROW_GROUP_ROWS,
  takeLevels,
  type ColumnBuffer,
  type ColumnValues,
} from './column-values.ts';
import { findDistinct } from './distinct-numbers.ts';
import { encodeNumbers, findBounds, type NumberKind } from './plain-numbers.ts';

const TYPES = { int32: 'day', micros: 'moment', int64: 'integer', double: 'number' } as const;

/** Values are numbers. Integers beyond 2^53 are texts: the decimal digits. */
export function createNumberColumn(name: string, kind: NumberKind): ColumnBuffer {
  const levels = createLevels();
  const values = new Float64Array(ROW_GROUP_ROWS);
  let count = 0;
  /** Integers beyond 2^53, by their index in `values`. */
  const large = new Map<number, bigint>();

  const addOther = (value: unknown): void => {
    if (kind !== 'int64' || typeof value !== 'string' || !/^-?\d+$/.test(value))
      throw createTypeError(name, TYPES[kind], value);
    large.set(count, BigInt(value));
    values[count++] = NaN;
  };

  const takeContent = (): Pick<ColumnValues, 'content' | 'bounds'> => {
    const used = values.subarray(0, count);
    if (large.size > 0) return encodeLarge(used, large);
    const bounds = count === 0 ? null : findBounds(kind, used);
    const distinct = count === 0 ? null : findDistinct(used, Math.min(DICTIONARY_SIZE, count / 4));
    if (distinct === null) return { bounds, content: toPlain(encodeNumbers(kind, used), count) };
    const dictionary = encodeNumbers(kind, distinct.values);
    const size = distinct.values.length;
    return { bounds, content: { kind: 'dictionary', dictionary, size, indexes: distinct.indexes } };
  };

  return {
    add: (rows, index) => {
      const { bytes } = levels;
      const isInteger = kind !== 'double';
      for (const row of rows) {
        const value = row[index];
        const isNull = value === null;
        bytes[levels.rows++] = isNull ? 0 : 1;
        if (isNull) levels.nulls++;
        else if (typeof value === 'number' && (!isInteger || Number.isSafeInteger(value)))
          values[count++] = value;
        else addOther(value);
      }
    },
    getBytes: () => count * 8,
    take: () => {
      const taken = { ...takeContent(), ...takeLevels(levels) };
      count = 0;
      large.clear();
      return taken;
    },
  };
}

function encodeLarge(
  values: Float64Array,
  large: Map<number, bigint>,
): Pick<ColumnValues, 'content' | 'bounds'> {
  const all = BigInt64Array.from(values, (value, index) => large.get(index) ?? BigInt(value));
  const sorted = all.slice().sort();
  const bounds = { min_value: sorted[0] ?? 0n, max_value: sorted.at(-1) ?? 0n };
  return { bounds, content: toPlain(new Uint8Array(all.buffer), all.length) };
}

const toPlain = (bytes: Uint8Array, values: number): ColumnValues['content'] => ({
  ...{ kind: 'plain', bytes, pages: [{ values, bytes: bytes.length }] },
});
