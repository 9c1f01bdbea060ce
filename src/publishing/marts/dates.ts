/** Published: the calendar, one row per day. Filled by date-rows.ts. */
import type { Table } from '../mart.ts';
import { columnsFromCode, dayColumn } from './mart-columns.ts';

/** One row per day, whole years: from the first upload on, or the first fact. */
export const dates: Table = {
  kind: 'table',
  name: 'dates',
  description:
    "One row per day of the service's calendar: whole years, from that of the first upload (2000 at the earliest) to the present one.",
  role: 'dimension',
  key: ['day'],
  foreignKeys: [],
  columns: [
    { ...dayColumn(''), source: null },
    ...columnsFromCode(`
day_at       | TIMESTAMP   | As a timestamp, for tools that shift dates by a zone, such as Superset. | YYYY-MM-DD 00:00:00
time         | BIGINT      | As a number, for Grafana. | seconds since 1970-01-01
year         | BIGINT      | Year.
quarter      | BIGINT      | 1 to 4. | 1 to 4
month        | BIGINT      | 1 to 12. | 1 to 12
month_start  | DATE        | First day of the month.
iso_year     | BIGINT      | Year of the ISO week.
iso_week     | BIGINT      | ISO week: week 1 has the first Thursday. | 1 to 53
week_start   | DATE        | Monday of the week.
day_of_month | BIGINT      | 1 to 31. | 1 to 31
weekday      | BIGINT      | 1 is Monday. | 1 to 7
weekday_name | VARCHAR(20) | In English.
is_weekend   | BOOLEAN     | 1: Saturday or Sunday.
starts_at    | TIMESTAMP   | Start of the day.
ends_at      | TIMESTAMP   | Start of the next day.`),
  ],
  from: null,
  invalid: [{ what: 'an end before its beginning', where: 'ends_at < starts_at' }],
  count: 'select cast(julianday(max(day)) - julianday(min(day)) as integer) + 1 from dates',
};
