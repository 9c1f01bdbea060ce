/** The rows of `dates`. */
import type { Database } from '../../database/sqlite.ts';
import { createCalendar, parseDay } from '../../lib/calendar.ts';
import { fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import type { Table } from '../mart.ts';
import { startOfCreation } from './video-columns.ts';

/**
 * Whole years, from the year of the first upload or fact to the year of the last fact. Reads `state_span`, `allVideos` and
 * the live file.
 */
export function* createDateRows(
  db: Database,
  allVideos: Table,
  { timezone, today }: { timezone: string; today: string },
): Generator<(string | number)[]> {
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
    yield [...formatDay(day), toTimestamp(startsAt), toTimestamp(endsAt)];
}

/** The first time of a state or walk, the first upload since 2000, the first and the last day of storage. */
const selectFacts = (allVideos: Table) => `select
  (select min(time) from (
    select min(since) || ':00' as time from state_span
    union all select min(first_walked_at) from live.package
  )), (select min(day) from (${selectUploads(allVideos)}) where day >= '2000-01-01'),
  min(date), max(date)
from (
  select date from live.storage_day
  union all select date from live.storage_gap
  union all select date from live.storage_reading
)`;

/** The day of each upload. Where the file leaves its column out, it is computed again, which takes six times as long. */
const selectUploads = ({ columns }: Table) =>
  columns.some(({ name }) => name === 'created_day')
    ? 'select created_day as day from all_videos'
    : `select ${startOfCreation(10)} as day from live.video v`;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function formatDay(day: string): (string | number)[] {
  const { year, month, day: dayOfMonth, dayOfWeek: weekday, yearOfWeek, weekOfYear } = parseDay(day);
  return [
    ...[day, `${day} 00:00:00`, Date.UTC(year, month - 1, dayOfMonth) / 1000],
    ...[year, Math.ceil(month / 3), month, `${day.slice(0, 8)}01`],
    ...[yearOfWeek ?? year, weekOfYear ?? 1, addDays(day, 1 - weekday)],
    ...[dayOfMonth, weekday, WEEKDAYS[weekday - 1] ?? '', weekday > 5 ? 1 : 0],
  ];
}
