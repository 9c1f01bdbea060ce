/** The service's calendar. */
import { Temporal } from 'temporal-polyfill';
import { DAY_MS } from './clock.ts';
import { addDays } from './days.ts';

export type Calendar = ReturnType<typeof createCalendar>;

/**
 * The service's calendar: which day a moment falls on, and when a day begins there. Days are `yyyy-mm-dd`,
 * moments milliseconds since 1970. Throws RangeError if the zone is not an IANA time zone.
 */
export function createCalendar(timezone: string) {
  Temporal.Now.instant().toZonedDateTimeISO(timezone);
  const startOf = (day: string) => Temporal.PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds;
  return {
    timezone,
    dayAt: (ms: number): string =>
      Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString(),
    /** The first moment of the day; not always midnight (daylight-saving zones). */
    startOf,
    /** The days from `first` to `last`, each with its first moment and that of the next one. */
    *days(first: string, last: string) {
      const showTime = createClock(timezone);
      let startsAt = startOf(first);
      for (let day = first; day <= last;) {
        const next = addDays(day, 1);
        const usual = startsAt + DAY_MS;
        // the clock is asked first, which takes a tenth of the time of `startOf`
        const endsAt = showTime(usual) === `${next} 00:00:00` ? usual : startOf(next);
        yield { day, startsAt, endsAt };
        [day, startsAt] = [next, endsAt];
      }
    },
  };
}

/** Returns what the clock of a zone shows at a moment: `YYYY-MM-DD HH:MM:SS`. */
export function createClock(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (ms) => format.format(ms);
}

/**
 * True for two names of the same time zone (`Asia/Calcutta`, `Asia/Kolkata`). Throws RangeError for an
 * unknown one.
 */
export function isSameZone(one: string, other: string): boolean {
  const moment = Temporal.Instant.fromEpochMilliseconds(0);
  return moment.toZonedDateTimeISO(one).equals(moment.toZonedDateTimeISO(other));
}

/** How many days `to` is after `from`. */
export function daysBetween(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to, { largestUnit: 'day' }).days;
}
