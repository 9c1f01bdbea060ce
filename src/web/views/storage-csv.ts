/** The days of storage as CSV (RFC 4180): only days, words and numbers, which need no quotes. */
import { STORAGE_KINDS } from '../../lib/service-fields.ts';
import { FIGURES } from '../../lib/storage-figures.ts';
import { changeSince } from '../charts/storage-chart.ts';
import { listMonths, type MonthDay } from './storage-calendar.ts';
import type { StorageView } from './storage-view.ts';

const HEAD = ['date', 'state', 'is_corrected', ...FIGURES, 'total_bytes', 'change_bytes', 'observed_at'];

/** The days of the chart, or those of the month that is open, the oldest first. Sizes in bytes; empty: not known. */
export function toCsv({ calendar, chart, month }: Pick<StorageView, 'calendar' | 'chart' | 'month'>): string {
  const since = chart.days[0]?.date ?? '';
  const days = listMonths(calendar, since)
    .flatMap((each) => (month === null || each.month === month ? each.days : []))
    .filter(({ date }) => month !== null || date >= since)
    .reverse();
  return [HEAD, ...days.map(toCells)].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function toCells({ date, row, before }: MonthDay): (string | number | null)[] {
  if (row === null) return [date, 'missing', 0, ...FIGURES.map(() => null), null, null, null];
  return [
    ...[date, row.state, row.is_corrected],
    ...FIGURES.map((figure) => row[figure]),
    ...[total(STORAGE_KINDS.map(({ size }) => row[size])), total(changeSince(before, row)), row.observed_at],
  ];
}

/** Null if one is unknown: a sum of the others is no total. */
const total = (sizes: readonly (number | null)[]) =>
  sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
