/** The times in the headers of a response. Pure. */
import type { Dispatcher } from 'undici';
import { SECOND_MS } from '../../lib/clock.ts';

type Headers = Dispatcher.ResponseData['headers'];

/**
 * The time of a response in milliseconds since 1970: its `Date`, and the `Age` of one that a cache stored;
 * null without a readable date.
 */
export function readTime({ date, age }: Headers): number | null {
  const [time, seconds] = [parseDate([date].flat()[0] ?? ''), Number([age].flat()[0] ?? 0)];
  return time === null ? null : time + (seconds > 0 ? seconds * SECOND_MS : 0);
}

/**
 * Matches the first of several values, which commas separate. The comma after the name of a day belongs to
 * it.
 */
const FIRST_VALUE = /^[\s,]*((?:[a-z]+,)?[^,]*)/i;

/**
 * Milliseconds that `Retry-After` asks for, given as seconds or as a date; null if it is neither. `now`
 * (milliseconds since 1970) is the response's own time if it has one: then both are of the same clock.
 */
export function readRetryAfter({ 'retry-after': header }: Headers, now: number): number | null {
  const value = FIRST_VALUE.exec([header].flat().join(','))?.[1]?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d+)?$/.test(value)) return Math.ceil(Number(value)) * SECOND_MS;
  const date = parseDate(value);
  return date === null ? null : Math.max(0, date - now);
}

/** The three forms of HTTP (RFC 9110 5.6.7), and ISO 8601. */
const DATES = [
  /^(?:[a-z]{3,9},? )?\d{1,2}[ -][a-z]{3}[ -](?:\d\d){1,2} [\d:]{8} (?:GMT|UTC|[+-]\d{4})$/i,
  /^[a-z]{3} [a-z]{3} {1,2}\d{1,2} [\d:]{8} \d{4}$/i,
  /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d(?::?\d\d)?)?$/i,
];

/** Milliseconds since 1970 of a date, in UTC if it has no zone; null for any other text. */
function parseDate(text: string): number | null {
  if (!DATES.some((form) => form.test(text))) return null;
  const zone = /(?:[a-z]|[+-]\d\d(?::?\d\d)?)$/i.test(text) ? '' : 'Z';
  const time = Date.parse(text.replace(/(?<=\d)t/i, ' ') + zone);
  return Number.isNaN(time) ? null : time; // the text has the form of a date that does not exist
}
