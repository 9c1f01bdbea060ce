/** Published: the calendar, one row per day. Filled by date-rows.ts. */
import type { Table } from './mart.ts';
import { columnsFromCode, type CodeColumns, type RowOf } from './mart-columns.ts';

const COLUMNS = {
  day: { type: 'DATE', description: "Day of the service's calendar." },
  day_at: {
    type: 'TIMESTAMP',
    description: 'As a timestamp, for tools that shift dates by a zone, such as Superset.',
    unit: 'YYYY-MM-DD 00:00:00',
  },
  time: { type: 'BIGINT', description: 'As a number, for Grafana.', unit: 'seconds since 1970-01-01' },
  year: { type: 'BIGINT', description: 'Year.' },
  quarter: { type: 'BIGINT', description: '1 to 4.', unit: '1 to 4' },
  month: { type: 'BIGINT', description: '1 to 12.', unit: '1 to 12' },
  month_start: { type: 'DATE', description: 'First day of the month.' },
  iso_year: { type: 'BIGINT', description: 'Year of the ISO week.' },
  iso_week: { type: 'BIGINT', description: 'ISO week: week 1 has the first Thursday.', unit: '1 to 53' },
  week_start: { type: 'DATE', description: 'Monday of the week.' },
  day_of_month: { type: 'BIGINT', description: '1 to 31.', unit: '1 to 31' },
  weekday: { type: 'BIGINT', description: '1 is Monday.', unit: '1 to 7' },
  weekday_name: { type: 'VARCHAR(20)', description: 'In English.' },
  is_weekend: { type: 'BOOLEAN', description: '1: Saturday or Sunday.' },
  starts_at: { type: 'TIMESTAMP', description: 'Start of the day.' },
  ends_at: { type: 'TIMESTAMP', description: 'Start of the next day.' },
} as const satisfies CodeColumns;

export type DateRow = RowOf<typeof COLUMNS>;

/** One row per day, whole years: from the first upload on, or the first fact. */
export const dates: Table = {
  kind: 'table',
  name: 'dates',
  description:
    "One row per day of the service's calendar: whole years, from that of the first upload (2000 at the earliest) to the present one.",
  role: 'dimension',
  key: ['day'],
  foreignKeys: [],
  columns: columnsFromCode(COLUMNS),
  from: null,
  invalid: [{ what: 'an end before its beginning', where: 'ends_at < starts_at' }],
  count: 'select cast(julianday(max(day)) - julianday(min(day)) as integer) + 1 from dates',
};
