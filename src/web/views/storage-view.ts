/** What the page of storage, its image and its CSV show, read from the live file. */
import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import { FIGURES, STORAGE_KINDS } from '../../lib/service-fields.ts';
import type { PageQueries } from '../../queries/page-queries.ts';
import { storagePath } from './paths.ts';
import { textParam } from './query-params.ts';
import { buildCalendar, changeSince, findDelta, listMonths, type CalendarDay } from './storage-days.ts';
import { findToday } from './today.ts';

export const storageQuery = z.object({
  /** Null: the first one with storage. */
  account: textParam,
  /** The month that is shown by day: `2026-11`; null: all days. */
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .nullable()
    .catch(null)
    .default(null),
});

type StorageQuery = z.output<typeof storageQuery>;
export type StorageView = NonNullable<ReturnType<typeof createStorageView>>;

interface StorageSources {
  config: Pick<Config, 'accounts' | 'timezone'>;
  details: Pick<PageQueries, 'storageDays' | 'gaps'>;
}

/** The account of the query; the first one with storage if that one has none; null if no account has any. */
export function createStorageView({ config, details }: StorageSources, query: StorageQuery, now: number) {
  const accounts = config.accounts.filter(({ storage }) => storage !== null);
  const shown = accounts.find(({ name }) => name === query.account) ?? accounts[0];
  if (!shown) return null;
  const { name: account } = shown;
  const today = findToday(config, now);
  const rows = details.storageDays(account);
  const calendar = buildCalendar(rows, details.gaps(account, shown.storage?.since ?? ''), today);
  const months = listMonths(calendar);
  const open = months.find(({ month }) => month === query.month) ?? null;
  const days = open?.days ?? calendar;
  return {
    account,
    /** All accounts that have storage statistics. */
    accounts: accounts.map(({ name }) => name),
    /** The latest day with figures. */
    latest: rows.at(-1) ?? null,
    /** `YYYY-MM-DD` in the time zone of the service. */
    today,
    months,
    /** The month that is shown by day; null: all days are shown. */
    month: open?.month ?? null,
    /** The days that are shown, the oldest first. */
    days,
    /** Today, if it is shown and its sizes may still change. */
    live: days.some(({ date, row }) => date === today && row?.state === 'live') ? today : null,
    delta: findDelta(days),
    /** The address of the same with another choice. */
    path: (choice: { account?: string; month?: string | null }, ending: '' | '.svg' | '.csv' = '') =>
      storagePath({ account, month: open?.month ?? null, ...choice }, ending),
  };
}

const CSV_HEAD = ['date', 'state', 'is_corrected', ...FIGURES, 'total_bytes', 'change_bytes', 'observed_at'];

/** The days that are shown as CSV (RFC 4180): only days, words and numbers, which need no quotes. Sizes in bytes; empty: not known. */
export function toCsv({ days }: Pick<StorageView, 'days'>): string {
  return [CSV_HEAD, ...days.map(toCells)].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function toCells({ date, row, before }: CalendarDay): (string | number | null)[] {
  if (row === null) return [date, 'missing', 0, ...FIGURES.map(() => null), null, null, null];
  const sizes = STORAGE_KINDS.map(({ size }) => row[size]);
  // a sum of some sizes is no total
  const total = sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
  const change = total === null ? null : changeSince(before, row);
  return [
    ...[date, row.state, row.is_corrected],
    ...FIGURES.map((figure) => row[figure]),
    ...[total, change, row.observed_at],
  ];
}
