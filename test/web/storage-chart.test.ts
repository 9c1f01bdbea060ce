import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/lib/days.ts';
import { STORAGE_KINDS } from '../../src/lib/service-fields.ts';
import type { StorageDayRow } from '../../src/queries/named/storage.ts';
import { describeChart, describePoints } from '../../src/web/charts/point-texts.ts';
import {
  createStorageChart,
  findDelta,
  listCorrected,
  listGaps,
  type ChartMode,
} from '../../src/web/charts/storage-chart.ts';
import { StorageImage, StorageSvg } from '../../src/web/charts/storage-svg.tsx';
import { listMonths, type CalendarDay } from '../../src/web/views/storage-calendar.ts';
import { toCsv } from '../../src/web/views/storage-csv.ts';
import { getText, named, readHtml } from '../support/read-html.ts';

const GIB = 2 ** 30;
const TODAY = '2026-11-22';

/** A day with these sizes in GiB, in the order of STORAGE_KINDS. */
function day(date: string, sizes: readonly (number | null)[], row: Partial<StorageDayRow> = {}): CalendarDay {
  const figures = STORAGE_KINDS.flatMap(({ size, count }, at) => {
    const gib = sizes[at] ?? null;
    return [
      [size, gib === null ? null : gib * GIB],
      [count, 7],
    ];
  });
  const fixed = { date, state: 'booked', observed_at: `${date} 20:00:00`, is_corrected: 0 };
  return { date, row: { ...fixed, ...Object.fromEntries(figures), ...row } as StorageDayRow };
}

const missing = (date: string): CalendarDay => ({ date, row: null, missing: 'not read' });

/** `days` days up to today; day n has n + 1 GiB of the first two sizes, and nothing else. */
const grow = (days: number): CalendarDay[] =>
  Array.from({ length: days }, (_, at) => day(addDays(TODAY, at + 1 - days), [at + 1, at + 1, 0, 0, 0]));

const chartOf = (calendar: readonly CalendarDay[], mode: ChartMode = 'level', range: number | null = null) =>
  createStorageChart({ account: 'main', calendar, today: TODAY }, { mode, range });

const svgOf = (chart: ReturnType<typeof chartOf>) =>
  readHtml(renderToString(h(StorageSvg, { chart, label: describeChart(chart) })));

describe('the chart of storage', () => {
  it('has a point for each day of the range, and its sizes', () => {
    const { points, series, daysPerPoint } = chartOf(grow(100), 'level', 30);
    expect([points.length, daysPerPoint, points[0]?.from, points.at(-1)?.to]).toEqual([
      30,
      1,
      '2026-10-24',
      TODAY,
    ]);
    expect(points.at(-1)?.total).toBe(200 * GIB);
    expect(series.map(({ name, values }) => [name, values.at(-1)])).toEqual([
      ['Originals', 100 * GIB],
      ['Encoded', 100 * GIB],
      ...['Ad originals', 'Ad encoded', 'Images'].map((name) => [name, 0]),
    ]);
  });

  it('has the change since the day before, also before the range, and none beside a gap', () => {
    const calendar = [day('2026-11-18', [5, 1]), day('2026-11-19', [7, 1]), missing('2026-11-20')];
    const { points, series } = chartOf(
      [...calendar, day('2026-11-21', [9, 1]), day(TODAY, [8, 1])],
      'change',
      4,
    );
    expect(points.map(({ total }) => total && total / GIB)).toEqual([2, null, null, -1]);
    expect(series[0]?.values.map((value) => value && value / GIB)).toEqual([2, null, null, -1]);
    expect(chartOf([...calendar], 'change').points[0]?.total).toBeNull();
  });

  it('has several days a point where there are more than a screen has room for, the newest point full', () => {
    const chart = chartOf(grow(1_000));
    expect([chart.points.length, chart.daysPerPoint]).toEqual([334, 3]);
    expect([chart.points[0]?.from, chart.points[0]?.to]).toEqual(['2024-02-27', '2024-02-27']);
    expect(chart.points.at(-1)).toMatchObject({ from: '2026-11-20', to: TODAY, total: 2_000 * GIB });
    const change = chartOf(grow(1_000), 'change');
    expect(change.points.at(-1)?.total).toBe(6 * GIB);
    expect(describePoints(chart).at(-1)?.day).toBe('2026-11-20 to 2026-11-22');
  });

  it('knows its gaps, its corrected days and the live day', () => {
    const chart = chartOf([
      day('2026-11-17', [1]),
      ...['2026-11-18', '2026-11-19'].map(missing),
      day('2026-11-20', [1], { is_corrected: 1 }),
      missing('2026-11-21'),
      day(TODAY, [1], { state: 'live' }),
    ]);
    expect(listGaps(chart)).toEqual([
      { at: 1, length: 2 },
      { at: 4, length: 1 },
    ]);
    expect(listCorrected(chart)).toEqual([3]);
    expect(chart.live).toBe(TODAY);
    expect(describePoints(chart).map((text) => text.day)).toEqual([
      ...['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20 (corrected)', '2026-11-21'],
      '2026-11-22 (live)',
    ]);
  });

  it('says at each point what is known', () => {
    const [full, part, none] = describePoints(
      chartOf([day('2026-11-20', [1, 2, 1, 1, 1]), day('2026-11-21', [3, 1, 1, 1]), missing(TODAY)]),
    );
    expect(full?.lines).toEqual([
      ...[
        ['Images', '1 GiB'],
        ['Ad encoded', '1 GiB'],
        ['Ad originals', '1 GiB'],
        ['Encoded', '2 GiB'],
      ],
      ...[
        ['Originals', '1 GiB'],
        ['Total', '6 GiB'],
      ],
    ]);
    expect([part?.lines[0], part?.lines.at(-1)]).toEqual([
      ['Images', 'unknown'],
      ['Total', 'at least 6 GiB'],
    ]);
    expect(none?.lines.every(([, text]) => text === 'unknown')).toBe(true);
  });

  it('has the change of the range between days with the same sizes', () => {
    expect(findDelta(chartOf(grow(91), 'level', 90).days)).toMatchObject({
      ...{ since: '2026-08-25', until: TODAY, bytes: 178 * GIB, share: 44.5 },
    });
    expect(findDelta([day('2026-11-21', [1, 1]), day(TODAY, [1, 1, 1])])).toBeNull();
    expect(findDelta([])).toBeNull();
  });

  it('has no change to or from a live reading: not in the bars, not of the range, not in the CSV', () => {
    const booked = [day('2026-11-18', [5, 0, 0, 0, 0]), day('2026-11-19', [7, 0, 0, 0, 0])];
    const calendar = [
      ...booked,
      day('2026-11-20', [1], { state: 'live' }),
      day(TODAY, [2], { state: 'live' }),
    ];
    const chart = chartOf(calendar, 'change');
    expect(chart.points.map(({ total }) => total && total / GIB)).toEqual([null, 2, null, null]);
    expect(findDelta(calendar)).toMatchObject({ since: '2026-11-18', until: '2026-11-19', bytes: 2 * GIB });
    expect(findDelta(calendar.slice(1))).toBeNull();
    const changes = toCsv({ calendar, chart, month: null }).split('\r\n').slice(1, -1);
    expect(changes.map((line) => line.split(',').at(-2))).toEqual(['', String(2 * GIB), '', '']);
    expect(chartOf(calendar).points.at(-1)?.total).toBe(2 * GIB);
  });
});

describe('its drawing', () => {
  it('has a line in the middle of its days, and nothing through a gap', () => {
    const root = svgOf(
      chartOf([
        day('2026-11-19', [2, 2]),
        missing('2026-11-20'),
        day('2026-11-21', [1, 1]),
        day(TODAY, [1, 1]),
      ]),
    );
    expect(named(root, 'path').map(({ attributes }) => attributes.get('d'))).toEqual([
      'M0 0L0.5 0L1 0M2 500L2.5 500L3.5 500L4 500',
    ]);
    expect(
      named(root, 'rect').map(({ attributes }) => [attributes.get('x'), attributes.get('width')]),
    ).toEqual([['1', '1']]);
  });

  it('shows growth of a percent, with the sizes at both ends', () => {
    const root = svgOf(chartOf([day('2026-11-21', [4_000]), day(TODAY, [4_020])]));
    const texts = named(root, 'text').map(getText);
    expect(texts).toContain('3.91 TiB');
    expect(texts).toContain('3.93 TiB');
    const [d] = named(root, 'path').map(({ attributes }) => attributes.get('d'));
    const heights = [...(d ?? '').matchAll(/[ML][\d.]+ (\d+)/g)].map(([, y]) => Number(y));
    expect(Math.max(...heights) - Math.min(...heights)).toBeGreaterThan(400);
  });

  it('has bars for changes, of another colour where it declines', () => {
    const root = svgOf(chartOf([day('2026-11-20', [1]), day('2026-11-21', [3]), day(TODAY, [1])], 'change'));
    expect(named(root, 'path').map(({ attributes }) => attributes.get('d'))).toEqual([
      'M1.15 500V0h0.7V500Z',
      'M2.15 500V1000h0.7V500Z',
    ]);
  });

  it('is drawn of any days: none, one, thousands', () => {
    for (const days of [0, 1, 2, 420, 421, 5_000])
      for (const mode of ['level', 'change'] as const) {
        const chart = chartOf(grow(days), mode);
        const text = renderToString(h(StorageSvg, { chart, label: describeChart(chart) }));
        expect(text).not.toMatch(/NaN|Infinity|undefined/);
        expect(text.length).toBeLessThan(50_000);
      }
  });

  it('needs no style sheet as a file of its own', () => {
    const chart = chartOf(grow(3));
    const text = renderToString(
      h(StorageImage, { chart, label: 'a <label>', heading: 'Storage of "main" & co' }),
    );
    expect(text).toContain('<title>a &lt;label></title>');
    expect(text).toContain('Storage of &quot;main&quot; &amp; co');
    expect(text).not.toMatch(/style=|<style|<script/);
    const fills = named(readHtml(text), 'path').map(
      ({ attributes }) => attributes.get('fill') ?? 'of its group',
    );
    expect(fills).toEqual(['none']);
  });
});

describe('the days by month', () => {
  const calendar = [
    day('2026-09-29', [1, 1, 0, 0, 0]),
    missing('2026-09-30'),
    day('2026-10-01', [2, 1, 0, 0, 0]),
    day('2026-10-02', [4, 1, 0, 0, 0], { is_corrected: 1 }),
    day('2026-11-01', [5, 1, 0, 0, 0], { state: 'live' }),
  ];

  it('are whole in any range, each day compared with the one before, and months with the last booked day before', () => {
    const months = listMonths(calendar, '2026-09-30');
    expect(listMonths(calendar, '2026-10-02')).toEqual(months.slice(0, 2));
    expect(months.map(({ month, days }) => [month, days.map(({ date }) => date)])).toEqual([
      ['2026-11', ['2026-11-01']],
      ['2026-10', ['2026-10-02', '2026-10-01']],
      ['2026-09', ['2026-09-30', '2026-09-29']],
    ]);
    expect(months.map(({ before }) => before?.date)).toEqual(['2026-10-02', '2026-09-29', undefined]);
    expect(months[1]?.days.map(({ before }) => before?.date ?? null)).toEqual(['2026-10-01', null]);
  });

  it('are CSV with sizes in bytes, the oldest first', () => {
    const chart = chartOf(calendar);
    const lines = toCsv({ calendar, chart, month: null }).split('\r\n');
    expect(lines[0]).toMatch(
      /^date,state,is_corrected,mov_org_cnt,mov_org_size,.*,total_bytes,change_bytes,observed_at$/,
    );
    expect(lines.slice(1)).toEqual([
      `2026-09-29,booked,0,7,${GIB},7,${GIB},7,0,7,0,7,0,${2 * GIB},,2026-09-29 20:00:00`,
      '2026-09-30,missing,0,,,,,,,,,,,,,',
      `2026-10-01,booked,0,7,${2 * GIB},7,${GIB},7,0,7,0,7,0,${3 * GIB},,2026-10-01 20:00:00`,
      `2026-10-02,booked,1,7,${4 * GIB},7,${GIB},7,0,7,0,7,0,${5 * GIB},${2 * GIB},2026-10-02 20:00:00`,
      `2026-11-01,live,0,7,${5 * GIB},7,${GIB},7,0,7,0,7,0,${6 * GIB},,2026-11-01 20:00:00`,
      '',
    ]);
    for (const range of [2, null])
      expect(
        toCsv({ calendar, chart: chartOf(calendar, 'level', range), month: '2026-10' })
          .split('\r\n')
          .slice(1, -1),
      ).toEqual(lines.slice(3, 5));
  });
});
