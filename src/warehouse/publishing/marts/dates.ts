/** Published: the calendar, one row a day. */
import { addDays, createCalendar, partsOf } from '../../../lib/calendar.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import type { DataType, MadeColumn, Table } from '../mart.ts';
import { dayColumns } from './storage.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

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
  count: 'select cast(julianday(max(day)) - julianday(min(day)) as integer) + 1 from dates',
};

/** The rows of `dates` from the year before that of `first` to that of `last` (days `yyyy-mm-dd`), in their order. */
export function* dateRows(first: string, last: string, timezone: string): Generator<(string | number)[]> {
  const calendar = createCalendar(timezone);
  const end = `${last.slice(0, 4)}-12-31`;
  let day = `${Number(first.slice(0, 4)) - 1}-01-01`;
  let startsAt = calendar.startOf(day);
  while (day <= end) {
    const next = addDays(day, 1);
    const endsAt = calendar.startOf(next);
    yield [...cellsOf(day), toTimestamp(startsAt), toTimestamp(endsAt)];
    [day, startsAt] = [next, endsAt];
  }
}

function cellsOf(day: string): (string | number)[] {
  const { year, month, dayOfMonth, weekday, isoYear, isoWeek } = partsOf(day);
  return [
    day,
    `${day} 00:00:00`,
    Date.UTC(year, month - 1, dayOfMonth) / 1000,
    year,
    Math.ceil(month / 3),
    month,
    `${day.slice(0, 8)}01`,
    isoYear,
    isoWeek,
    addDays(day, 1 - weekday),
    dayOfMonth,
    weekday,
    WEEKDAYS[weekday - 1] ?? '',
    weekday > 5 ? 1 : 0,
  ];
}
