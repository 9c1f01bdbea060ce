import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDayLabels, toDayNumber, listDayTicks } from '../../src/web/charts/day-axis.ts';
import {
  createLevelAxis,
  createSizeAxis,
  formatSizeLabel,
  listSizeTicks,
} from '../../src/web/charts/size-axis.ts';

const GIB = 1024 ** 3;
const TIB = 1024 ** 4;

function dayAxis(from: string, to: string, widthPx: number): string[] {
  return formatDayLabels(listDayTicks(toDayNumber(from), toDayNumber(to), widthPx));
}

function sizeAxisLabels(minBytes: number, maxBytes: number, most: number): string[] {
  const axis = createSizeAxis(minBytes, maxBytes, most);
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
    [0, 0, 5, ['0', '1 B']],
    [0, 900 * GIB, 5, ['0', '200 GiB', '400 GiB', '600 GiB', '800 GiB', '1,000 GiB']],
    [0, 1.2 * TIB, 5, ['0', '0.25 TiB', '0.5 TiB', '0.75 TiB', '1 TiB', '1.25 TiB']],
    [0, 2.35 * TIB, 5, ['0', '0.5 TiB', '1 TiB', '1.5 TiB', '2 TiB', '2.5 TiB']],
    [0, 2_300 * TIB, 3, ['0', '1 PiB', '2 PiB', '3 PiB']],
    [-40 * GIB, 60 * GIB, 4, ['\u221250 GiB', '\u221225 GiB', '0', '25 GiB', '50 GiB', '75 GiB']],
    [-3 * GIB, -1 * GIB, 4, ['\u22123 GiB', '\u22122 GiB', '\u22121 GiB', '0']],
  ])('%d to %d bytes in %d steps', (minBytes, maxBytes, most, labels) => {
    expect(sizeAxisLabels(minBytes, maxBytes, most)).toEqual(labels);
  });

  test.each([
    [36.5 * TIB, 36.7 * TIB, ['36.5 TiB', '36.55 TiB', '36.6 TiB', '36.65 TiB', '36.7 TiB']],
    [100 * GIB, 180 * GIB, ['100 GiB', '120 GiB', '140 GiB', '160 GiB', '180 GiB']],
    [60 * GIB, 180 * GIB, ['0', '50 GiB', '100 GiB', '150 GiB', '200 GiB']],
    [0, 0, ['0', '1 B']],
    [5 * GIB, 5 * GIB, ['0', '2 GiB', '4 GiB', '6 GiB']],
  ])('of a level from %d to %d bytes begins near the least one', (low, high, labels) => {
    const axis = createLevelAxis(low, high, 4);
    expect(listSizeTicks(axis).map((tick) => formatSizeLabel(tick, axis.unit))).toEqual(labels);
  });

  test('carries 0 and both sizes, in as many steps as allowed and at most one more at each end', () => {
    const size = fc.integer({ min: -(2 ** 53 - 1), max: 2 ** 53 - 1 });
    fc.assert(
      fc.property(size, size, fc.integer({ min: 2, max: 8 }), (one, other, most) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const ticks = listSizeTicks(createSizeAxis(low, high, most));
        expect(ticks.map((tick) => tick === 0)).toContain(true);
        const unseen = (high - low) * 1e-8;
        expect(ticks[0]).toBeLessThanOrEqual(Math.min(0, low) + unseen);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.max(0, high) - unseen);
        expect(ticks.length - 1).toBeLessThanOrEqual(most + 1);
        expect(new Set(sizeAxisLabels(low, high, most)).size).toBe(ticks.length);
      }),
    );
  });
});
