/** Days as `yyyy-mm-dd`. */
import { DAY_MS } from './clock.ts';

/** The day (`yyyy-mm-dd`) that is `count` days after (or, negative, before) `day`. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** True for an existing calendar date in the form `yyyy-mm-dd`. */
export function isDay(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** Each day of the range, in order. */
export function listDays({ from, to }: DayRange): string[] {
  const days = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The days from `from` to `to`, both included. */
export interface DayRange {
  from: string;
  to: string;
}
