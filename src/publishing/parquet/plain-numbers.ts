/** Numbers as PLAIN values of Parquet: little-endian, one after the other. */
import type { Bounds } from './column-values.ts';

/** What a column has: days since 1970, seconds since 1970 to be stored as microseconds, integers, or any number. */
export type NumberKind = 'int32' | 'micros' | 'int64' | 'double';

const TWO_POWER_32 = 2 ** 32;
const MICROSECONDS = 1_000_000;

/** The machine is little-endian, as all that Node runs on. */
export function encodeNumbers(kind: NumberKind, values: Float64Array): Uint8Array {
  switch (kind) {
    case 'double':
      return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    case 'int32':
      return new Uint8Array(Int32Array.from(values).buffer);
    case 'int64':
      return encodeIntegers(values);
    case 'micros':
      return encodeMoments(values);
  }
}

/** In two halves of 32 bits: a BigInt for each value would take several times as long. */
function encodeIntegers(values: Float64Array): Uint8Array {
  const halves = new Int32Array(values.length * 2);
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    halves[index * 2] = value | 0;
    halves[index * 2 + 1] = Math.floor(value / TWO_POWER_32);
  }
  return new Uint8Array(halves.buffer);
}

/** Microseconds of the year 9999 are beyond 2^53: they are multiplied in two parts, each of which is exact. */
function encodeMoments(seconds: Float64Array): Uint8Array {
  const halves = new Int32Array(seconds.length * 2);
  for (let index = 0; index < seconds.length; index++) {
    const value = seconds[index] ?? 0;
    const upper = Math.floor(value / 65_536);
    const product = (value - upper * 65_536) * MICROSECONDS; // below 2^36
    const upperProduct = upper * MICROSECONDS; // counts 2^16, below 2^43
    const rest = Math.floor(upperProduct / 65_536); // counts 2^32
    const low = (upperProduct - rest * 65_536) * 65_536 + product;
    halves[index * 2] = low | 0;
    halves[index * 2 + 1] = rest + Math.floor(low / TWO_POWER_32);
  }
  return new Uint8Array(halves.buffer);
}

/** Of at least one value. */
export function findBounds(kind: NumberKind, values: Float64Array): Bounds {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (kind === 'int32') return { min_value: min, max_value: max };
  // zero may be -0: readers must find both
  if (kind === 'double') return { min_value: min === 0 ? -0 : min, max_value: max === 0 ? 0 : max };
  const factor = kind === 'micros' ? BigInt(MICROSECONDS) : 1n;
  return { min_value: BigInt(min) * factor, max_value: BigInt(max) * factor };
}
