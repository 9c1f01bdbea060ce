/** Seeded random numbers: the same on every machine. */

/** The first seed of a stream: streams of different purposes are independent. */
export const STREAM = { ids: 1, video: 2, edit: 3, churn: 4 } as const;

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

export type Random = ReturnType<typeof createRandom>;

/** Mixes integers, up to 2^53 each, into 32 bits. */
export function hash(...numbers: readonly number[]): number {
  let mixed = 0x9e3779b9;
  for (const number of numbers) {
    mixed = mix(mixed ^ (number | 0));
    mixed = mix(mixed ^ Math.floor(number / 2 ** 32));
  }
  return mixed >>> 0;
}

export function createRandom(...numbers: readonly number[]) {
  let state = hash(...numbers);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    return mix(state) >>> 0;
  };
  /** An integer from 0 up to, not including, `limit` (up to 2^32). */
  const nextInt = (limit: number): number => Math.floor((next() / 2 ** 32) * limit);
  return {
    nextInt,
    /** True in `percent` of 100 calls. */
    percent: (percent: number): boolean => nextInt(100) < percent,
    /** One of the values, which must not be empty. */
    pick: <T>(values: readonly T[]): T => values[nextInt(values.length)] as T,
    /** `count` characters of 0-9 and a-z. */
    characters: (count: number): string => {
      let text = '';
      for (let rest = 0; text.length < count; rest = Math.floor(rest / 36)) {
        if (text.length % 5 === 0) rest = nextInt(36 ** 5);
        text += ALPHABET.charAt(rest % 36);
      }
      return text;
    },
  };
}

function mix(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
