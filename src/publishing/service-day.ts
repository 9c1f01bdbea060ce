/** The day of the service's calendar of many times, without the library that the calendar needs. */

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
