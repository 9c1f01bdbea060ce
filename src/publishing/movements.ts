/** The pass over all states of all videos, and the calendar that spans what it finds. */
import type Database from 'better-sqlite3';
import { createCalendar, toDayParts } from '../lib/calendar.ts';
import { fromTimestamp, toTimestamp } from '../lib/clock.ts';
import { addDays } from '../lib/days.ts';
import { createWorking, fillWorking, insertAll } from './mart.ts';
import { dates } from './marts/dates.ts';
import { dayStart, movementByDay, stateSpan } from './marts/movement-sql.ts';
import type { PublishRequest } from './publish-request.ts';

/** The tables made here, in this order; `dates` is filled after the first. */
export const TALLIED = [stateSpan, dayStart, movementByDay] as const;

/** Makes the tables of `TALLIED` in that schema, and fills `dates`, which is there. The live file is attached as `live`. */
export function makeTally(db: Database.Database, order: PublishRequest, schema: 'main' | 'temp'): void {
  for (const table of TALLIED) {
    db.exec(createWorking(table, schema));
    db.exec(fillWorking(table));
    if (table === stateSpan) insertAll(db, dates, dateRows(spanOf(db, order), order.timezone));
  }
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The rows of `dates`: whole years, from the one before the first fact to the one of the last. */
function* dateRows(
  [first, last]: readonly [string, string],
  timezone: string,
): Generator<(string | number)[]> {
  const [begin, end] = [`${Number(first.slice(0, 4)) - 1}-01-01`, `${last.slice(0, 4)}-12-31`];
  for (const { day, startsAt, endsAt } of createCalendar(timezone).days(begin, end))
    yield [...cellsOf(day), toTimestamp(startsAt), toTimestamp(endsAt)];
}

function cellsOf(day: string): (string | number)[] {
  const { year, month, dayOfMonth, weekday, isoYear, isoWeek } = toDayParts(day);
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

/** The days of the first and the last fact there is; today is one. */
function spanOf(db: Database.Database, { timezone, today }: PublishRequest): [string, string] {
  const facts = db.prepare(FACTS).raw().get() as (string | null)[];
  const [moment = null, ...days] = facts;
  const seen = moment === null ? null : createCalendar(timezone).dayAt(fromTimestamp(moment));
  const sorted = [seen, ...days, today].filter((day) => day !== null).sort();
  return [sorted[0] ?? today, sorted.at(-1) ?? today];
}

const FACTS = `select
  (select min(moment) from (
    select min(since) || ':00' as moment from state_span
    union all select min(first_walked_at) from live.package
  )), min(date), max(date)
from (
  select date from live.storage_day
  union all select date from live.storage_gap
  union all select date from live.storage_reading
)`;
