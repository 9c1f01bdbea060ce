import fc from 'fast-check';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it, test } from 'vitest';
import { addDays } from '../../src/lib/days.ts';
import { STORAGE_KINDS } from '../../src/service/service-fields.ts';
import type { StorageDayRow } from '../../src/queries/named/storage.ts';
import { createSizeScale, listDayTicks } from '../../src/web/charts/scale.ts';
import { StorageImage, StorageSvg } from '../../src/web/charts/storage-svg.tsx';
import {
  buildCalendar,
  changeSince,
  findDelta,
  listMonths,
  type CalendarDay,
} from '../../src/web/charts/storage-days.ts';
import { toCsv } from '../../src/web/pages/storage-day-list.tsx';
import { getText, named, readHtml } from '../support/read-html.ts';

const GIB = 2 ** 30;
const TIB = 2 ** 40;
const TODAY = '2026-11-22';

/** The first sizes in the order of STORAGE_KINDS, in GiB; the others are null. */
function createRow(date: string, sizes: readonly number[], row: Partial<StorageDayRow> = {}): StorageDayRow {
  const figures = STORAGE_KINDS.flatMap(({ size, count }, at) => {
    const gib = sizes[at];
    return [
      [size, gib === undefined ? null : gib * GIB],
      [count, 7],
    ];
  });
  const fixed = { date, state: 'booked', observed_at: `${date} 20:00:00`, is_corrected: 0 };
  return { ...fixed, ...Object.fromEntries(figures), ...row } as StorageDayRow;
}

/** Days one after the other: sizes in GiB, or a whole row; null: a gap. */
function calendarOf(
  first: string,
  days: readonly (number[] | Partial<StorageDayRow> | null)[],
): CalendarDay[] {
  const rows = days.map((day, at) => {
    if (day === null) return null;
    const date = addDays(first, at);
    return Array.isArray(day) ? createRow(date, day) : createRow(date, [5, 1, 0, 0, 0], day);
  });
  return rows.map((row, at) => ({
    date: addDays(first, at),
    row,
    before: rows[at - 1] ?? null,
    missing: row ? '' : 'not read',
  }));
}

const draw = (days: readonly CalendarDay[], live: string | null = null) =>
  renderToString(h(StorageSvg, { chart: { name: 'main', days, live } }));
const pathIn = (svg: string, name: string) =>
  named(readHtml(svg), 'path')
    .find(({ attributes }) => attributes.get('class') === name)
    ?.attributes.get('d');

describe('the scale of sizes', () => {
  test.each([
    [
      [36.5 * TIB, 36.7 * TIB],
      ['36.5 TiB', '36.55 TiB', '36.6 TiB', '36.65 TiB', '36.7 TiB'],
    ],
    [
      [100 * GIB, 180 * GIB],
      ['100 GiB', '120 GiB', '140 GiB', '160 GiB', '180 GiB'],
    ],
    [
      [60 * GIB, 180 * GIB],
      ['0', '50 GiB', '100 GiB', '150 GiB', '200 GiB'],
    ],
    [
      [36.5 * TIB, 36.5 * TIB + 1],
      ['0', '10 TiB', '20 TiB', '30 TiB', '40 TiB'],
    ],
    [[5 * GIB], ['0', '2 GiB', '4 GiB', '6 GiB']],
    [[0], ['0', '1 B']],
  ])('of %j', (sizes, labels) => {
    expect(createSizeScale(sizes).ticks.map(({ label }) => label)).toEqual(labels);
  });

  it('holds all sizes between its ends, in about as many steps as allowed', () => {
    const size = fc.integer({ min: 0, max: 2 ** 53 - 1 });
    fc.assert(
      fc.property(fc.array(size, { minLength: 1, maxLength: 10 }), (sizes) => {
        const { ticks, toShare } = createSizeScale(sizes);
        expect(sizes.map(toShare).every((share) => share >= -1e-6 && share <= 1 + 1e-6)).toBe(true);
        expect(ticks.length).toBeLessThanOrEqual(7);
        expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length);
      }),
      { examples: [[[1_123_648_107_026_685, 2 ** 50 - 2]]] },
    );
  });
});

describe('the scale of days', () => {
  test.each([
    [TODAY, TODAY, ['Nov 22']],
    [
      '2026-11-01',
      '2026-11-30',
      ['Nov 1', 'Nov 5', 'Nov 9', 'Nov 13', 'Nov 17', 'Nov 21', 'Nov 25', 'Nov 29'],
    ],
    ['2025-11-20', '2026-02-25', ['Dec 2025', 'Jan 2026', 'Feb 2026']],
    ['2006-01-01', '2026-01-01', ['Jan 2006', 'Aug 2008']],
  ])('from %s to %s', (from, to, labels) => {
    const ticks = listDayTicks(from, to).map(({ label }) => label);
    expect(ticks.slice(0, labels.length)).toEqual(labels);
    expect(ticks.length).toBeLessThan(9);
  });
});

describe('the level', () => {
  it('is a line through the middle of the days, with nothing through a gap', () => {
    const svg = draw(calendarOf('2026-11-19', [[2, 2], null, [1, 1], [1, 1]]));
    expect(pathIn(svg, 'chart-level')).toBe('M0 0L0.5 0H1M2 500L2.5 500L3.5 500H4');
    expect(pathIn(svg, 'chart-gap')).toBe('M1 0H2V1000H1z');
  });

  it('shows growth of a percent, a corrected day as such, and the live day', () => {
    const days = calendarOf('2026-11-20', [[4_000], { is_corrected: 1 }, { state: 'live' }]);
    const root = readHtml(draw([...days.slice(1, 2), ...days.slice(2)], TODAY));
    expect(named(root, 'text').map(getText)).toContain('today, not over yet');
    expect(named(root, 'title').map(getText)).toEqual([
      '2026-11-21: 6 GiB (corrected)',
      '2026-11-22: 6 GiB (live)',
    ]);
    const percent = readHtml(draw(calendarOf('2026-11-21', [[4_000], [4_020]])));
    expect(named(percent, 'text').map(getText)).toEqual(expect.arrayContaining(['3.91 TiB', '3.92 TiB']));
  });

  it('is drawn of any days: none, one, thousands', () => {
    for (const days of [0, 1, 2, 420, 421, 5_000]) {
      const first = addDays(TODAY, 1 - days);
      const svg = draw(
        calendarOf(
          first,
          Array.from({ length: days }, (_, at) => [at, at, 0, 0, 0]),
        ),
      );
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expect(svg.length).toBeLessThan(90_000);
    }
  });

  it('needs no style sheet as a file of its own', () => {
    const chart = { name: '"main" & co', days: calendarOf('2026-11-20', [[1], [2]]), live: null };
    const text = renderToString(h(StorageImage, { chart }));
    expect(text).toContain('Storage of &quot;main&quot; &amp; co');
    expect(text).not.toMatch(/style=|<style|<script/);
  });
});

describe('a change', () => {
  const [old, next] = [createRow('2026-11-20', [5, 1]), createRow('2026-11-21', [7, 1])];

  it('is between two booked days with the same sizes, never to or from a live reading', () => {
    expect(changeSince(old, next)).toBe(2 * GIB);
    expect(changeSince(null, next)).toBeNull();
    expect(changeSince(old, { ...next, state: 'live' })).toBeNull();
    expect(changeSince({ ...old, state: 'live' }, next)).toBeNull();
    expect(changeSince(old, createRow('2026-11-21', [7, 1, 1]))).toBeNull();
  });

  it('of a range is between its first and its last booked day', () => {
    const days = calendarOf('2026-11-18', [[5, 1], null, [7, 1], { state: 'live' }]);
    expect(findDelta(days)).toMatchObject({ since: '2026-11-18', until: '2026-11-20', bytes: 2 * GIB });
    expect(findDelta(days.slice(1))).toBeNull();
    expect(findDelta([])).toBeNull();
  });

  it('of a month is since the last booked day before it', () => {
    const days = calendarOf('2026-09-29', [[1, 1], null, [2, 1], [4, 1], ...Array<null>(29).fill(null)]);
    const november = calendarOf('2026-11-01', [[6, 1], { state: 'live' }]);
    expect(
      listMonths([...days.slice(0, 33), ...november]).map(({ month, growth }) => [month, growth]),
    ).toEqual([
      ['2026-11', 2 * GIB],
      ['2026-10', 3 * GIB],
      ['2026-09', null],
    ]);
  });
});

test('the days are CSV with sizes in bytes, the oldest first', () => {
  const full = (size: number) => [size, 1, 0, 0, 0];
  const days = calendarOf('2026-11-18', [
    full(1),
    null,
    full(2),
    full(4),
    { state: 'live', is_corrected: 0 },
  ]);
  const lines = toCsv(days).split('\r\n');
  expect(lines[0]).toMatch(
    /^date,state,is_corrected,mov_org_cnt,mov_org_size,.*,total_bytes,change_bytes,observed_at$/,
  );
  expect(lines.slice(1)).toEqual([
    `2026-11-18,booked,0,7,${GIB},7,${GIB},7,0,7,0,7,0,${2 * GIB},,2026-11-18 20:00:00`,
    '2026-11-19,missing,0,,,,,,,,,,,,,',
    `2026-11-20,booked,0,7,${2 * GIB},7,${GIB},7,0,7,0,7,0,${3 * GIB},,2026-11-20 20:00:00`,
    `2026-11-21,booked,0,7,${4 * GIB},7,${GIB},7,0,7,0,7,0,${5 * GIB},${2 * GIB},2026-11-21 20:00:00`,
    `2026-11-22,live,0,7,${5 * GIB},7,${GIB},7,0,7,0,7,0,${6 * GIB},,2026-11-22 20:00:00`,
    '',
  ]);
});

test('a past day that is not booked is provisional, as in the published file', () => {
  const rows = [createRow('2026-11-21', [1], { state: 'live' }), createRow(TODAY, [1], { state: 'live' })];
  const days = buildCalendar(rows, [], TODAY);
  expect(days.map(({ row }) => row?.state)).toEqual(['provisional', 'live']);
});
