/** Published: the calendar, one row per day. */
import { ACCOUNT_STREAMS, STREAM_KINDS } from '../../sync/streams.ts';
import type { Table } from './mart.ts';
import { column } from './mart-columns.ts';
import { DAY_OF_CREATION } from './video-columns.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const WEEKDAY = `strftime('%u', d.day)`;
const NAMED = WEEKDAYS.map((name, index) => `when '${index + 1}' then '${name}'`);
const WEEKDAY_NAME = `case ${WEEKDAY} ${NAMED.join(' ')} end`;

/** The columns. A number that is read out of a day is a text; its column makes it a number. */
const COLUMNS = [
  column('day', 'DATE', "Day of the service's calendar.", 'd.day'),
  column(
    'day_at',
    'TIMESTAMP',
    'As a timestamp, for tools that shift dates by a zone, such as Superset.',
    `d.day || ' 00:00:00'`,
    { unit: 'YYYY-MM-DD 00:00:00' },
  ),
  column('time', 'BIGINT', 'As a number, for Grafana.', 'unixepoch(d.day)', {
    unit: 'seconds since 1970-01-01',
  }),
  column('year', 'BIGINT', 'Year.', `strftime('%Y', d.day)`),
  column('quarter', 'BIGINT', '1 to 4.', `(strftime('%m', d.day) + 2) / 3`, { unit: '1 to 4' }),
  column('month', 'BIGINT', '1 to 12.', `strftime('%m', d.day)`, { unit: '1 to 12' }),
  column('month_start', 'DATE', 'First day of the month.', `date(d.day, 'start of month')`),
  column('iso_year', 'BIGINT', 'Year of the ISO week.', `strftime('%G', d.day)`),
  column('iso_week', 'BIGINT', 'ISO week: week 1 has the first Thursday.', `strftime('%V', d.day)`, {
    unit: '1 to 53',
  }),
  column('week_start', 'DATE', 'Monday of the week.', `date(d.day, 'weekday 0', '-6 days')`),
  column('day_of_month', 'BIGINT', '1 to 31.', `strftime('%d', d.day)`, { unit: '1 to 31' }),
  column('weekday', 'BIGINT', '1 is Monday.', WEEKDAY, { unit: '1 to 7' }),
  column('weekday_name', 'VARCHAR(20)', 'In English.', WEEKDAY_NAME),
  column('is_weekend', 'BOOLEAN', '1: Saturday or Sunday.', `${WEEKDAY} in ('6', '7')`),
  column('starts_at', 'TIMESTAMP', 'Start of the day.', 'd.starts_at'),
  column('ends_at', 'TIMESTAMP', 'Start of the next day.', 'd.ends_at'),
];

/** The days of what accounts have once. */
const READINGS = ACCOUNT_STREAMS.map((stream) => STREAM_KINDS[stream].readings.table);

/** One row per day, whole years: from that of the first upload or fact to that of the last fact. */
export const dates: Table = {
  kind: 'table',
  name: 'dates',
  description:
    "One row per day of the service's calendar: whole years, from that of the first upload (2000 at the earliest) to the present one.",
  role: 'dimension',
  key: ['day'],
  columns: COLUMNS,
  from: `from (
  select date(min(day), 'start of year') as first, date(max(day), 'start of year', '+1 year', '-1 day') as last
  from (
    select service_day(min(since)) as day from state_span
    union all select service_day(min(first_walked_at)) from live.package
    union all select min(day) from (select ${DAY_OF_CREATION} as day from live.video v) where day >= '2000-01-01'
    union all select date from live.storage_day
    union all select date from live.storage_gap
    ${READINGS.map((table) => `union all select date from live.${table}`).join('\n    ')}
    union all select :today
  )
) f
cross join calendar_days(f.first, f.last) d`,
  invalid: [{ what: 'an end before its beginning', where: 'ends_at < starts_at' }],
  count: 'select cast(julianday(max(day)) - julianday(min(day)) as integer) + 1 from dates',
};
