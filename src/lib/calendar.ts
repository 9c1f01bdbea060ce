import { Temporal } from 'temporal-polyfill';

/** The service's calendar: which day a moment falls on, and when a day begins there. Days are `yyyy-mm-dd`. */
export interface Calendar {
  readonly timezone: string;
  /** The day that the moment (milliseconds since 1970) falls on. */
  dayAt(ms: number): string;
  /** The first moment of the day in milliseconds since 1970; not always midnight (daylight-saving zones). */
  startOf(day: string): number;
}

/** Throws RangeError where the zone is not an IANA time zone. */
export function createCalendar(timezone: string): Calendar {
  Temporal.Now.instant().toZonedDateTimeISO(timezone);
  return {
    timezone,
    dayAt: (ms) =>
      Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString(),
    startOf: (day) => Temporal.PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds,
  };
}

/** The day `count` days after (or, negative, before) `day`. */
export function addDays(day: string, count: number): string {
  return Temporal.PlainDate.from(day).add({ days: count }).toString();
}

/** How many days `to` is after `from`. */
export function daysBetween(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to, { largestUnit: 'day' }).days;
}

/** What a calendar says of a day; weekdays count from 1, which is Monday, and ISO weeks belong to the year of their Thursday. */
export interface DayParts {
  year: number;
  month: number;
  dayOfMonth: number;
  weekday: number;
  isoYear: number;
  isoWeek: number;
}

/** The parts of a day (`yyyy-mm-dd`). */
export function partsOf(day: string): DayParts {
  const { year, month, day: dayOfMonth, dayOfWeek, yearOfWeek, weekOfYear } = Temporal.PlainDate.from(day);
  return {
    year,
    month,
    dayOfMonth,
    weekday: dayOfWeek,
    isoYear: yearOfWeek ?? year,
    isoWeek: weekOfYear ?? 1,
  };
}
