/** The day of the service's calendar of many times, without the library that the calendar needs. */
import { DAY_MS, MINUTE_MS } from '../lib/clock.ts';

/** Before the first time of a live file. */
const START = Date.UTC(2000, 0);

/** What SQLite adds to a time of a zone that has had the same offset until `now` (ms), such as `540 minutes`; null for any other zone. */
export function findFixedOffset(timeZone: string, now: number): string | null {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const offsets = new Set<number>();
  for (let time = START; time < now + DAY_MS && offsets.size < 2; time += 7 * DAY_MS)
    offsets.add(Date.parse(`${format.format(time).replace(' ', 'T')}Z`) - time);
  const [offset = 0] = offsets;
  return offsets.size === 1 ? `${offset / MINUTE_MS} minutes` : null;
}

/** Returns a function from a time (`YYYY-MM-DD HH:MM:SS`, UTC) to its day (`YYYY-MM-DD`). It remembers each minute. */
export function createServiceDay(timeZone: string): (time: string) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  const days = new Map<string, string>();
  return (time) => {
    const minute = time.slice(0, 16);
    let day = days.get(minute);
    if (day === undefined) {
      day = format.format(Date.parse(`${minute.replace(' ', 'T')}Z`));
      days.set(minute, day);
    }
    return day;
  };
}
