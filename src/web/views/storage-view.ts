/** What the pages show of the storage of an account, read from the live file. */
import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import type { PageQueries } from '../../queries/page-queries.ts';
import { createStorageChart, findDelta } from '../charts/storage-chart.ts';
import { storagePath } from './paths.ts';
import { textParam } from './query-params.ts';
import { buildCalendar } from './storage-calendar.ts';
import { findToday } from './today.ts';

export const MODES = ['level', 'change'] as const;
/** Days of the ranges; null: all. */
export const RANGES = { '30d': 30, '90d': 90, '1y': 365, all: null } as const;
export type RangeName = keyof typeof RANGES;

const DEFAULT_RANGE: RangeName = '90d';

/** The query of the page, of the image, of the CSV and of the JSON. */
export const storageQuery = z.object({
  /** Null: the first one with storage. */
  account: textParam,
  chart: z.enum(MODES).catch('level'),
  range: z.enum(['30d', '90d', '1y', 'all']).catch(DEFAULT_RANGE),
  /** The month whose days are listed: `2026-11`. */
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .nullable()
    .catch(null)
    .default(null),
});

export type StorageQuery = z.output<typeof storageQuery>;
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
  const { chart: mode, range, month } = query;
  const chart = createStorageChart({ account, calendar, today }, { mode, range: RANGES[range] });
  return {
    account,
    /** All accounts that have storage statistics. */
    accounts: accounts.map(({ name }) => name),
    /** The latest day with figures. */
    latest: rows.at(-1) ?? null,
    calendar,
    /** `YYYY-MM-DD` in the time zone of the service. */
    today,
    chart,
    range,
    month,
    delta: findDelta(chart.days),
    /** The address of the same with another choice; defaults are left out. */
    path: (choice: Partial<StorageQuery>, ending: '' | '.svg' | '.csv' | '.json' = '') => {
      const next = { account, chart: mode, range, month: null, ...choice };
      return storagePath(
        {
          ...{ account: next.account ?? account, month: next.month },
          chart: next.chart === 'level' ? null : next.chart,
          range: next.range === DEFAULT_RANGE ? null : next.range,
        },
        ending,
      );
    },
  };
}
