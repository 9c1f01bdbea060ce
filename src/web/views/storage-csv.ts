/** The days of storage as CSV (RFC 4180): only days, words and numbers, which need no quotes. */
import { STORAGE_KINDS } from '../../lib/service-fields.ts';
import { FIGURES } from '../../lib/storage-figures.ts';
import { changeSince, sum } from '../charts/storage-chart.ts';
import { listMonths, type MonthDay } from './storage-calendar.ts';
import type { StorageView } from './storage-view.ts';

const HEAD = ['date', 'state', 'is_corrected', ...FIGURES, 'total_bytes', 'change_bytes', 'observed_at'];

/** The days of the chart, or those of the month that is open, the oldest first. Sizes in bytes; empty: not known. */
export function toCsv({ calendar, chart, month }: Pick<StorageView, 'calendar' | 'chart' | 'month'>): string {
  const months = listMonths(calendar, chart.days).filter((each) => month === null || each.month === month);
  const days = months.flatMap((each) => each.days).reverse();
  return [HEAD, ...days.map(toCells)].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function toCells({ date, row, before }: MonthDay): (string | number | null)[] {
  if (row === null) return [date, 'missing', 0, ...FIGURES.map(() => null), null, null, null];
  return [
    ...[date, row.state, row.is_corrected],
    ...FIGURES.map((figure) => row[figure]),
    ...[sum(STORAGE_KINDS.map(({ size }) => row[size])), sum(changeSince(before, row)), row.observed_at],
  ];
}
