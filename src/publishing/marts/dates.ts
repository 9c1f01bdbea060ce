/** Published: the calendar, one row per day. Filled by date-rows.ts. */
import type { DataType, Table, TableColumn } from '../mart.ts';
import { column, dayColumn } from './mart-columns.ts';

const part = (name: string, type: DataType, description: string, unit?: string): TableColumn =>
  column(name, type, description, '', unit === undefined ? {} : { unit });

/** One row per day, whole years: from the year before the first fact, for comparisons with the day before. */
export const dates: Table = {
  kind: 'table',
  name: 'dates',
  description:
    "One row per day of the service's calendar: whole years, from the year before the first fact to the present year.",
  role: 'dimension',
  key: ['day'],
  foreignKeys: [],
  columns: [
    { ...dayColumn(''), source: null },
    part(
      'day_at',
      'TIMESTAMP',
      'The day as a timestamp, for tools that shift plain dates by a time zone, such as Superset.',
      'YYYY-MM-DD 00:00:00',
    ),
    part('time', 'BIGINT', 'The day as a number, for Grafana.', 'seconds since 1970-01-01'),
    part('year', 'BIGINT', 'Year.'),
    part('quarter', 'BIGINT', 'Quarter of the year.', '1 to 4'),
    part('month', 'BIGINT', 'Month of the year.', '1 to 12'),
    part('month_start', 'DATE', 'First day of the month: to group by month.'),
    part('iso_year', 'BIGINT', 'Year that the ISO week belongs to.'),
    part(
      'iso_week',
      'BIGINT',
      'ISO week: starts on Monday; week 1 has the first Thursday of the year.',
      '1 to 53',
    ),
    part('week_start', 'DATE', 'Monday of the week: to group by week.'),
    part('day_of_month', 'BIGINT', 'Day of the month.', '1 to 31'),
    part('weekday', 'BIGINT', 'Day of the week: 1 is Monday.', '1 to 7'),
    part('weekday_name', 'VARCHAR(20)', 'English name of the day of the week.'),
    part('is_weekend', 'BOOLEAN', '1 on Saturday and Sunday.'),
    part('starts_at', 'TIMESTAMP', 'Start of the day.'),
    part('ends_at', 'TIMESTAMP', 'Start of the next day.'),
  ],
  from: null,
  invalid: [{ what: 'an end before its beginning', where: 'ends_at < starts_at' }],
  count: 'select cast(julianday(max(day)) - julianday(min(day)) as integer) + 1 from dates',
};
