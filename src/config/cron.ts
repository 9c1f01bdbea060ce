/**
 * Cron expressions of the config: the plain dialect of five fields, `@hourly` and its kind, and what is wrong
 * with another.
 */
import { findWrongField } from '../lib/cron-ticks.ts';

const NAMED: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

const ORDER = 'minute, hour, day of the month, month, day of the week, such as "0 * * * *"';
const FORM = 'or *, lists (1,2), ranges (1-5) and steps (*/10)';
const EXPECTED = [
  'a minute (first field) from 0 to 59',
  'an hour (second field) from 0 to 23',
  'a day of the month (third field) from 1 to 31 that the month has',
  'a month (fourth field) from 1 to 12 or JAN to DEC',
  'a day of the week (fifth field) from 0 to 7 or SUN to SAT',
];

const VALUE = String.raw`(?:\d{1,2}|[a-z]{3})`;
const PART = String.raw`(?:\*(?:/\d{1,2})?|${VALUE}|${VALUE}-${VALUE}(?:/\d{1,2})?)`;
const FIELD = new RegExp(`^${PART}(?:,${PART})*$`, 'i');

/** The expression with five fields and single spaces; `@hourly` and its kind are written out. */
export function expandCron(text: string): string {
  const trimmed = text.trim();
  return NAMED[trimmed.toLowerCase()] ?? trimmed.split(/\s+/).join(' ');
}

/**
 * What is expected in place of the expression, without any part of it; null for a good one. The plain dialect
 * has numbers, three-letter names, `*`, `,`, `-` and `/`: cron libraries differ in anything beyond it.
 */
export function findCronProblem(text: string): string | null {
  const expression = expandCron(text);
  const fields = expression.split(' ');
  if (expression.startsWith('@')) return `one of ${Object.keys(NAMED).join(', ')}, or five fields: ${ORDER}`;
  if (fields.length !== 5) return `a cron expression of five fields, not ${fields.length}: ${ORDER}`;
  const unreadable = fields.findIndex((field) => !FIELD.test(field));
  const wrong = unreadable < 0 ? findWrongField(expression) : unreadable;
  return wrong === null ? null : `${EXPECTED[wrong]}; ${FORM}`;
}
