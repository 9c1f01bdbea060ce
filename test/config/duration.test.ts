import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDuration } from '../../src/config/duration.ts';

const MOST = Number.MAX_SAFE_INTEGER;

describe('a duration', () => {
  test('is parsed exactly, for any number of milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MOST }), (ms) => {
        expect(parseDuration(`${ms}ms`)).toBe(ms);
      }),
    );
  });

  test('may have any unit', () => {
    const units = fc.constantFrom(
      ...Object.entries({ ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), units, (count, [unit, size]) => {
        expect(parseDuration(`${count}${unit}`)).toBe(count * size);
      }),
    );
  });

  test('is parsed or rejected, never guessed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = parseDuration(text);
        expect(ms === null || (Number.isSafeInteger(ms) && /^\d+(ms|s|m|h|d)$/.test(text))).toBe(true);
      }),
    );
  });

  test('accepts common unit names', () => {
    const texts = ['0s', '1ms', '1s', '90s', '2m', '1h', '1d'];
    const expected = [0, 1, 1000, 90_000, 120_000, 3_600_000, 86_400_000];
    expect(texts.map(parseDuration)).toEqual(expected);
  });

  test('beyond the exact integers is rejected', () => {
    expect(parseDuration(`${MOST}ms`)).toBe(MOST);
    expect(parseDuration(`${MOST}s`)).toBeNull();
  });
});
