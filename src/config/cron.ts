/** Cron expressions of the config: the plain dialect of five fields, `@hourly` and its kind, and what is wrong with another. */
import { Cron } from 'croner';

const NAMED: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

const FIELDS = [
  'a minute (first field) from 0 to 59',
  'an hour (second field) from 0 to 23',
  'a day of the month (third field) from 1 to 31',
  'a month (fourth field) from 1 to 12 or JAN to DEC',
  'a day of the week (fifth field) from 0 to 7 or SUN to SAT',
];
const EXAMPLE = 'such as "0 * * * *"';
const ORDER = `minute, hour, day of the month, month, day of the week, ${EXAMPLE}`;

const CRON_VALUE = String.raw`(?:\d{1,2}|[a-z]{3})`;
const CRON_PART = String.raw`(?:\*(?:/\d{1,2})?|${CRON_VALUE}|${CRON_VALUE}-${CRON_VALUE}(?:/\d{1,2})?)`;
const CRON_FIELD = new RegExp(`^${CRON_PART}(?:,${CRON_PART})*$`, 'i');

/** The expression with five fields and single spaces; `@hourly` and its kind are written out. */
export function expandCron(text: string): string {
  const trimmed = text.trim();
  return NAMED[trimmed.toLowerCase()] ?? trimmed.split(/\s+/).join(' ');
}

/**
 * What is expected in place of the expression, without any part of it; null for a good one. The plain dialect has numbers,
 * three-letter names, `*`, `,`, `-` and `/`: cron libraries differ in anything beyond it, and two of them read ours.
 */
export function findCronProblem(text: string): string | null {
  const fields = expandCron(text).split(' ');
  if (fields[0]?.startsWith('@')) return `one of ${Object.keys(NAMED).join(', ')}, or five fields: ${ORDER}`;
  if (fields.length !== FIELDS.length) {
    const seconds = fields.length === 6 ? ' (there is no field for seconds)' : '';
    return `a cron expression of five fields, not ${fields.length}: ${ORDER}${seconds}`;
  }
  const wrong = FIELDS.find((_, index) => !isField(fields[index] ?? '', index));
  if (wrong !== undefined) return `${wrong}; or *, lists (1,2), ranges (1-5) and steps (*/10)`;
  // Only without a weekday does croner notice a day that no month has (31 2).
  const runs = parses(fields) && parses([...fields.slice(0, 4), '*']);
  return runs ? null : 'a day that the month has, in the third and fourth field';
}

function isField(field: string, index: number): boolean {
  return CRON_FIELD.test(field) && parses(FIELDS.map((_, other) => (other === index ? field : '*')));
}

function parses(fields: readonly string[]): boolean {
  try {
    return new Cron(fields.join(' '), { timezone: 'UTC', paused: true }).nextRun() !== null;
  } catch {
    return false;
  }
}
