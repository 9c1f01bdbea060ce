/** Cron evaluated slowly, by trying every minute: the reference for libraries. */
import { MINUTE_MS, DAY_MS } from '../../../src/lib/clock.ts';
const PATIENCE_DAYS = 70;

/**
 * The first minute from `from` on, in the direction of `step` (1 or -1), that the expression of five fields
 * matches in UTC; null where there is none for 70 days. Where a day and a weekday are set, either is enough.
 */
export function findByTrying(expression: string, from: number, step: 1 | -1): number | null {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = expression.split(' ');
  const isMinute = within(minutes, 0, 59);
  const isHour = within(hours, 0, 23);
  const isMonthDay = within(days, 1, 31);
  const isMonth = within(months, 1, 12);
  const isWeekday = within(weekdays, 0, 6);
  const isEither = days !== '*' && weekdays !== '*';

  function isDay(date: Date): boolean {
    const [one, other] = [isMonthDay(date.getUTCDate()), isWeekday(date.getUTCDay())];
    return isMonth(date.getUTCMonth() + 1) && (isEither ? one || other : one && other);
  }

  let at = from;
  while (Math.abs(at - from) < PATIENCE_DAYS * DAY_MS) {
    const date = new Date(at);
    const isFound = isDay(date) && isHour(date.getUTCHours()) && isMinute(date.getUTCMinutes());
    if (isFound) return at;
    at = isDay(date) ? at + step * MINUTE_MS : edgeOfNextDay(at, step);
  }
  return null;
}

/** The first minute of the day after, or the last minute of the day before. */
function edgeOfNextDay(at: number, step: 1 | -1): number {
  const midnight = Math.floor(at / DAY_MS) * DAY_MS;
  return step === 1 ? midnight + DAY_MS : midnight - MINUTE_MS;
}

/** Whether the field matches this value. */
function within(field: string, least: number, most: number): (value: number) => boolean {
  const named = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [from = '', to = from] = range === '*' ? [String(least), String(most)] : range.split('-');
    for (let value = Number(from); value <= Number(to); value += Number(step)) named.add(value);
  }
  return (value) => named.has(value);
}
