import { Cron } from 'croner';

const VALUE = String.raw`(?:\d{1,2}|[a-z]{3})`;
const PART = String.raw`(?:\*(?:/\d{1,2})?|${VALUE}|${VALUE}-${VALUE}(?:/\d{1,2})?)`;
const FIELD = new RegExp(`^${PART}(?:,${PART})*$`, 'i');

/**
 * True for a cron expression of five fields in the plain dialect: numbers, three-letter names, `*`, `,`, `-`
 * and `/`. Cron libraries read anything beyond it each in its own way, and two of them read ours.
 */
export function isPlainCron(text: string): boolean {
  const fields = text.split(' ');
  if (fields.length !== 5 || !fields.every((field) => FIELD.test(field))) return false;
  // A day that no month has (31 2) is only noticed where no weekday stands beside it.
  return parses(text) && parses([...fields.slice(0, 4), '*'].join(' '));
}

function parses(text: string): boolean {
  try {
    return new Cron(text, { timezone: 'UTC', paused: true }).nextRun() !== null;
  } catch {
    return false;
  }
}
