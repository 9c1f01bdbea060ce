/** Published: the calendar, one row a day. */
import { dayColumns } from './mart-columns.ts';
import type { DataType, MadeColumn, Table } from '../mart.ts';

function part(name: string, type: DataType, unit: string | null, description: string): MadeColumn {
  const additivity = type === 'BIGINT' ? 'non-additive' : null;
  return { name, type, unit, description, source: null, additivity, value: '' };
}

/** One row a day, whole years: from the year before the first fact, for questions about the day before it. */
export const dates: Table = {
  kind: 'table',
  name: 'dates',
  description:
    "One row a day of the service's calendar: whole years, from the one before the first fact to the present one.",
  key: ['day'],
  foreignKeys: [],
  columns: [
    ...dayColumns('').map((column) => ({ ...column, source: null, value: '' })),
    part('year', 'BIGINT', null, 'Year.'),
    part('quarter', 'BIGINT', '1 to 4', 'Quarter of the year.'),
    part('month', 'BIGINT', '1 to 12', 'Month of the year.'),
    part('month_start', 'DATE', 'YYYY-MM-DD', 'First day of its month: to group by month.'),
    part('iso_year', 'BIGINT', null, 'Year that its ISO week belongs to.'),
    part(
      'iso_week',
      'BIGINT',
      '1 to 53',
      'ISO week: begins on Monday; week 1 has the first Thursday of the year.',
    ),
    part('week_start', 'DATE', 'YYYY-MM-DD', 'Monday of its week: to group by week.'),
    part('day_of_month', 'BIGINT', '1 to 31', 'Day of the month.'),
    part('weekday', 'BIGINT', '1 to 7', 'Day of the week: 1 is Monday.'),
    part('weekday_name', 'VARCHAR(20)', null, 'Name of the day of the week, in English.'),
    part('is_weekend', 'BOOLEAN', '0 or 1', '1 on Saturday and Sunday.'),
    part('starts_at', 'TIMESTAMP', 'UTC', 'First moment of the day.'),
    part('ends_at', 'TIMESTAMP', 'UTC', 'First moment of the next day.'),
  ],
  from: null,
  never: [{ what: 'an end before its beginning', where: 'ends_at < starts_at' }],
  count: 'select cast(julianday(max(day)) - julianday(min(day)) as integer) + 1 from dates',
};
