import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDayLabels, toDayNumber, listDayTicks } from '../../src/browser/day-axis.ts';
import { formatBinaryBytes } from '../../src/lib/format.ts';
import { createSizeAxis, formatSizeLabel, listSizeTicks, formatSize } from '../../src/browser/size-axis.ts';

const GIB = 1024 ** 3;
const TIB = 1024 ** 4;

function dayAxis(from: string, to: string, widthPx: number): string[] {
  return formatDayLabels(listDayTicks(toDayNumber(from), toDayNumber(to), widthPx));
}

function sizeAxisLabels(maxBytes: number, most: number): string[] {
  const axis = createSizeAxis(maxBytes, most);
  return listSizeTicks(axis).map((tick) => formatSizeLabel(tick, axis.unit));
}

describe('the axis of days', () => {
  test.each([
    ['2026-11-22', '2026-11-22', 800, ['22 Nov\n2026']],
    ['2026-11-20', '2026-11-22', 250, ['20 Nov\n2026', '21 Nov', '22 Nov']],
    ['2026-10-01', '2026-11-22', 300, ['12 Oct\n2026', '26 Oct', '9 Nov']],
    ['2025-11-20', '2026-02-25', 260, ['Dec\n2025', 'Jan\n2026', 'Feb']],
    ['2024-09-14', '2026-11-22', 250, ['Jan\n2025', 'Jul', 'Jan\n2026', 'Jul']],
    ['2006-01-01', '2026-01-01', 250, ['Jan\n2010', 'Jan\n2015', 'Jan\n2020', 'Jan\n2025']],
  ])('%s to %s in %d pixels', (from, to, widthPx, labels) => {
    expect(dayAxis(from, to, widthPx)).toEqual(labels);
  });

  test('has ticks in order, within its ends, with space for their labels', () => {
    const day = fc.integer({ min: 0, max: 30_000 });
    fc.assert(
      fc.property(
        day,
        fc.integer({ min: 0, max: 4_000 }),
        fc.integer({ min: 200, max: 1_200 }),
        (from, length, widthPx) => {
          const ticks = listDayTicks(from, from + length, widthPx);
          expect(ticks).toEqual([...new Set(ticks)].sort((one, other) => one - other));
          expect(ticks.every((tick) => Number.isInteger(tick) && tick >= from && tick <= from + length)).toBe(
            true,
          );
          const apart = ticks.slice(1).map((tick, at) => ((tick - (ticks[at] ?? 0)) / length) * widthPx);
          expect(Math.min(...apart)).toBeGreaterThan(40);
        },
      ),
    );
  });

  test('rejects invalid dates', () => {
    expect(() => toDayNumber('2026-13-01')).toThrow('2026-13-01 is not a date');
  });
});

describe('the axis of sizes', () => {
  test.each([
    [0, 5, ['0', '0.2 GiB', '0.4 GiB', '0.6 GiB', '0.8 GiB', '1 GiB']],
    [900 * GIB, 5, ['0', '200 GiB', '400 GiB', '600 GiB', '800 GiB', '1,000 GiB']],
    [1.2 * TIB, 5, ['0', '0.25 TiB', '0.5 TiB', '0.75 TiB', '1 TiB', '1.25 TiB']],
    [2.35 * TIB, 5, ['0', '0.5 TiB', '1 TiB', '1.5 TiB', '2 TiB', '2.5 TiB']],
    [2_300 * TIB, 3, ['0', '1,000 TiB', '2,000 TiB', '3,000 TiB']],
  ])('%d bytes in %d steps', (maxBytes, most, labels) => {
    expect(sizeAxisLabels(maxBytes, most)).toEqual(labels);
  });

  test('begins at 0 and carries the largest size, in as many steps as allowed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 53 - 1 }),
        fc.integer({ min: 2, max: 8 }),
        (maxBytes, most) => {
          const axis = createSizeAxis(maxBytes, most);
          const ticks = listSizeTicks(axis);
          expect(ticks[0]).toBe(0);
          expect(ticks.at(-1)).toBeGreaterThanOrEqual(maxBytes * (1 - 1e-9));
          expect(ticks.length - 1).toBeLessThanOrEqual(most);
          expect(new Set(sizeAxisLabels(maxBytes, most)).size).toBe(ticks.length);
        },
      ),
    );
  });
});

describe('a size as text', () => {
  test.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [123.4 * GIB, '123 GiB'],
    [1023.7 * GIB, '1 TiB'],
    [1.534 * TIB, '1.53 TiB'],
    [34.56 * TIB, '34.6 TiB'],
  ])('%d bytes', (bytes, label) => {
    expect(formatSize(bytes)).toBe(label);
  });

  test('is the same in the chart and in tables', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 52 }),
        fc.double({ min: 1, max: 2, noNaN: true }),
        (power, factor) => {
          const bytes = Math.floor(factor * 2 ** power);
          expect(formatSize(bytes)).toBe(formatBinaryBytes(bytes));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
