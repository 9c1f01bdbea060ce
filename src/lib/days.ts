/** The length of a day, where no clock is changed. */
export const DAY_MS = 86_400_000;

/** The day (`yyyy-mm-dd`) that is `count` days after (or, negative, before) `day`. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}
