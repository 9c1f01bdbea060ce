/** The different numbers among many, by their bits: 0 and -0 are two. */

export interface DistinctNumbers {
  /** In the order in which they were found. */
  values: Float64Array;
  /** The place in `values` of each number. */
  indexes: Int32Array;
}

const TABLE_BITS = 13;
const MASK = (1 << TABLE_BITS) - 1;

/** Null if there are more than `most`, at most 4,096. */
export function findDistinct(values: Float64Array, most: number): DistinctNumbers | null {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  const slots = new Int32Array(MASK + 1); // an open hash table: 1 + the place in `found`, 0 for a free slot
  const found = new Float64Array(Math.floor(most));
  const foundBits = new Int32Array(found.buffer);
  const indexes = new Int32Array(values.length);
  let count = 0;
  for (let index = 0; index < values.length; index++) {
    const low = bits[index * 2] ?? 0;
    const high = bits[index * 2 + 1] ?? 0;
    let slot = hashBits(low, high);
    let place = (slots[slot] ?? 0) - 1;
    while (place >= 0 && (foundBits[place * 2] !== low || foundBits[place * 2 + 1] !== high)) {
      slot = (slot + 1) & MASK;
      place = (slots[slot] ?? 0) - 1;
    }
    if (place < 0) {
      if (count >= found.length) return null;
      place = count++;
      found[place] = values[index] ?? 0;
      slots[slot] = count;
    }
    indexes[index] = place;
  }
  return { values: found.subarray(0, count), indexes };
}

function hashBits(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> (32 - TABLE_BITS);
}
