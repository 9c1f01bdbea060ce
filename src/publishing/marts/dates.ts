/** Published: the calendar, one row per day. */
import type { Database } from '../../database/sqlite.ts';
import { createCalendar, parseDay } from '../../lib/calendar.ts';
import { fromTimestamp, SECOND_MS, toTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import { ACCOUNT_STREAMS, STREAM_KINDS } from '../../sync/streams.ts';
import type { Table } from './mart.ts';
import { columnsFromCode, type CodeColumns, type RowOf } from './mart-columns.ts';
import { startOfCreation } from './video-columns.ts';

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

type DateRow = RowOf<typeof COLUMNS>;

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

/**
 * Whole years, from the year of the first upload or fact to the year of the last fact. Reads `state_span`,
 * `allVideos` and the live file.
 */
export function* createDateRows(
  db: Database,
  allVideos: Table,
  { timezone, today }: { timezone: string; today: string },
): Generator<DateRow> {
  const calendar = createCalendar(timezone);
  const [firstTime, ...days] = db.prepare(selectFacts(allVideos)).raw().get() as [
    string | null,
    ...(string | null)[],
  ];
  const firstDay = firstTime === null ? null : calendar.dayAt(fromTimestamp(firstTime));
  const sorted = [firstDay, ...days, today].filter((day) => day !== null).sort();
  const firstYear = sorted[0]?.slice(0, 4);
  const lastYear = sorted.at(-1)?.slice(0, 4);
  for (const { day, startsAt, endsAt } of calendar.days(`${firstYear}-01-01`, `${lastYear}-12-31`))
    yield { ...describeDay(day), starts_at: toTimestamp(startsAt), ends_at: toTimestamp(endsAt) };
}

const READINGS = ACCOUNT_STREAMS.map((stream) => STREAM_KINDS[stream].readings.table);

/**
 * The first time of a state or walk, the first upload since 2000, the first and the last day of what accounts
 * have once.
 */
const selectFacts = (allVideos: Table) => `select
  (select min(time) from (
    select min(since) || ':00' as time from state_span
    union all select min(first_walked_at) from live.package
  )),
  (select min(day) from (${selectUploads(allVideos)}) where day >= '2000-01-01'),
  min(date), max(date)
from (
  select date from live.storage_day
  union all select date from live.storage_gap
  ${READINGS.map((table) => `union all select date from live.${table}`).join('\n  ')}
)`;

/** The day of each upload. Where the file leaves it out, it is computed again, in six times the time. */
const selectUploads = ({ columns }: Table) =>
  columns.some(({ name }) => name === 'created_day')
    ? 'select created_day as day from all_videos'
    : `select ${startOfCreation('day')} as day from live.video v`;

const MONTHS_OF_QUARTER = 3;
const FRIDAY = 5;
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function describeDay(date: string): Omit<DateRow, 'starts_at' | 'ends_at'> {
  const { year, month, day: dayOfMonth, dayOfWeek: weekday, yearOfWeek, weekOfYear } = parseDay(date);
  return {
    day: date,
    day_at: `${date} 00:00:00`,
    time: Date.UTC(year, month - 1, dayOfMonth) / SECOND_MS,
    year,
    quarter: Math.ceil(month / MONTHS_OF_QUARTER),
    month,
    month_start: `${date.slice(0, 'YYYY-MM-'.length)}01`,
    iso_year: yearOfWeek ?? year,
    iso_week: weekOfYear ?? 1,
    week_start: addDays(date, 1 - weekday),
    day_of_month: dayOfMonth,
    weekday,
    weekday_name: WEEKDAYS[weekday - 1] ?? null,
    is_weekend: weekday > FRIDAY ? 1 : 0,
  };
}
