/**
 * The kinds of values of a config. The message of each is the phrase after `expected`:
 * `-1 is not valid; expected a whole number from 1 up`.
 */
import { isIP } from 'node:net';
import * as z from 'zod';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { isDay } from '../lib/days.ts';
import { decodePercent } from '../lib/http/proxies.ts';
import { SHORTEST_SECRET } from '../lib/redact.ts';
import { expandCron, findCronProblem } from './cron.ts';

/** Text that passes the test. */
const text = (expected: string, passes: (value: string) => boolean) =>
  z.string(expected).refine(passes, expected);

/** A whole number from `least` up to `most`. */
export function integer(least: number, expected = `a whole number from ${least} up`, most?: number) {
  const field = z.int(expected).min(least, expected);
  return most === undefined ? field : field.max(most, expected);
}

/** The limit of a budget window; null: no limit. */
export const requestsOrNull = integer(1, 'a whole number from 1 up, or null').nullable();

const FRACTION = 'a number from 0 to 1';
export const fraction = z.number(FRACTION).min(0, FRACTION).max(1, FRACTION);

const UNITS = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: SECOND_MS, ms: 1 } as const;
const DURATION = /^(\d+)(ms|s|m|h|d)$/;

/**
 * Milliseconds of a duration such as `500ms`, `90s`, `2m`, `1h` or `7d`; null if it is no duration, or beyond
 * 2^53.
 */
export function parseDuration(text: string): number | null {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || unit === undefined) return null;
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS];
  return Number.isSafeInteger(ms) ? ms : null;
}

/** A duration with its unit, as milliseconds, from `least` up to `most`. */
function durationBetween(expected: string, least = 0, most = Infinity) {
  return text(expected, (value) => {
    const ms = parseDuration(value) ?? -1;
    return ms >= least && ms <= most;
  }).transform((value) => parseDuration(value) ?? 0);
}

export const duration = durationBetween('a whole number with its unit: 500ms, 90s, 2m, 1h or 7d');

/**
 * A time after which something is given up: never at once, and never later than a timer of Node or PostgreSQL
 * can.
 */
export const wait = durationBetween('a time from 1ms to 24d, such as 90s, 2m or 1h', 1, 24 * UNITS.d);

/** How long files stay that were replaced: queries under way still read them. */
export const keepTime = durationBetween('a time of 1h or more, such as 6h or 3d', UNITS.h);

/** Numbers are read as text (see source.ts), so editors must accept them. */
const ALSO_NUMBERS = { type: ['string', 'number'] };

/** A duration, or 0, which needs no unit. */
export const durationOrZero = text(
  '0, or a whole number with its unit: 90s, 2m, 1h or 7d',
  (value) => value === '0' || parseDuration(value) !== null,
)
  .meta(ALSO_NUMBERS)
  .transform((value) => parseDuration(value) ?? 0);

/** A key: on one line, and long enough to be taken out of any text. Never printed. */
export const key = text(
  `a key of at least ${SHORTEST_SECRET} characters on one line; for a variable write \${NAME}`,
  (value) => value.length >= SHORTEST_SECRET && /^(?!\$\w+$)\S[^\r\n]*\S$/.test(value),
).meta(ALSO_NUMBERS);

/** A name that is shown to others. */
export const lineOfText = text('a text on one line (100 characters at most)', (value) =>
  /^\S(?:[^\r\n]{0,98}\S)?$/.test(value),
).meta(ALSO_NUMBERS);

/** Keys of the server guard it alone: short ones can be guessed. */
const SERVER_KEY_LENGTH = 16;

/** A key that gives access to the server. */
export const serverKey = key.refine((value) => value.length >= SERVER_KEY_LENGTH, {
  message: `a key of at least ${SERVER_KEY_LENGTH} characters, such as openssl rand -hex 16 prints`,
});

/** Any text that is not empty. */
export function nonEmptyText(expected: string) {
  return text(expected, (value) => value.trim() !== '').meta(ALSO_NUMBERS);
}

/** A character between tags: one that is no part of a word, and that JSON does not escape. */
export const separator = text(
  'one punctuation mark, symbol or blank, in quotes, such as "|"; but neither " nor \\',
  (value) => /^(?!["\\])[\p{P}\p{S}\p{Zs}]$/u.test(value),
);

/** A field of a video that may be left out. */
export const excludedField = text(
  'a field of a video other than id',
  (value) => !['', 'id'].includes(value.trim()),
);

/** The name of an account or a target, usable in a metric, a file name and a command line. */
export const accountName = text('letters, digits, - and _, with a letter or a digit first', (value) =>
  /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(value),
).meta(ALSO_NUMBERS);

/** A schema of PostgreSQL that needs no quotes and is not one of its own. */
export const schemaName = text(
  'a name of small letters, digits and _ (63 at most), with a letter or _ first, but not pg_… or information_schema',
  (value) => /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/.test(value),
);

/** A role of PostgreSQL, under the name that it has without quotes. */
export const roleName = text(
  'the name of a role (63 bytes at most)',
  (value) => /^[^\0\r\n"]+$/.test(value) && Buffer.byteLength(value) <= 63,
);

/** Headers that HTTP uses itself. */
const TAKEN =
  /^(?:accept(?:-encoding)?|connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;
export const headerName = text(
  'the name of an HTTP header such as x-api-key, and not one that HTTP itself uses',
  (value) => /^[\w!#$%&'*+.^`|~-]+$/.test(value) && !TAKEN.test(value),
);

/** A header has bytes, not characters: Latin-1 without control characters (RFC 9110 5.5). */
export const HEADER_VALUE = /^[\t -~\x80-\xff]*$/;
export const HEADER_KEY = 'a key that an HTTP header can carry, without typographic quotes and the like';
export const headerKey = key.refine((value) => HEADER_VALUE.test(value), HEADER_KEY);

/** A host name or an address to listen on. */
export const host = text('a host name or an address such as 127.0.0.1', (value) => /^\S+$/.test(value));

const PROXIES = 'true, false, or the addresses of proxies such as [127.0.0.1, 10.0.0.0/8]';
const proxyAddress = text(PROXIES, (value) => {
  const [, address = '', bits = '1'] = /^([^/]+)(?:\/([1-9]\d{0,2}))?$/.exec(value) ?? [];
  return isIP(address) !== 0 && !address.includes('%') && Number(bits) <= (isIP(address) === 4 ? 32 : 128);
});

/** Whose `x-forwarded-for` counts. One address is a list of one. */
export const trustProxy = z.union(
  [z.boolean(), z.array(proxyAddress), proxyAddress.transform((address) => [address])],
  PROXIES,
);

const path = (what: string, isOther: RegExp) =>
  text(
    `the path of a ${what}, absolute or relative to this one (for ~ write \${HOME})`,
    (value) => value.trim() !== '' && !isOther.test(value),
  );

export const filePath = path('file', /^[~$]|\/$|\0/);
export const folderPath = path('folder', /^[~$]|\0/);

/** `s3://BUCKET/PREFIX`, in characters that need no encoding in an address, and have no meaning in a glob. */
const S3_PLACE = /^s3:\/\/([\w.-]{3,222})((?:\/[\w.=-]+)*)\/?$/;
const S3_FORM =
  's3://BUCKET/PREFIX of letters, digits, - _ . and =; the address of the store itself is `endpoint:`, the login `access_key_id:` and `secret_access_key:`';

/** Bucket and prefix of `s3://BUCKET/PREFIX`; null if it is no such place. */
export function parseS3Place(text: string): { bucket: string; prefix: string } | null {
  const [, bucket, prefix = ''] = S3_PLACE.exec(text) ?? [];
  const isPlain = !prefix.split('/').some((part) => part === '.' || part === '..');
  return bucket === undefined || !isPlain ? null : { bucket, prefix: prefix.slice(1) };
}

export const s3Place = text(S3_FORM, (value) => parseS3Place(value) !== null);

/** A folder whose files readers name by patterns, each on a line of a list. */
export const lakeFolder = text(
  'the path of a folder, absolute or relative to this one (for ~ write ${HOME}; for a bucket s3: in place of folder:), without * ? [ ] { } or line breaks',
  (value) => value.trim() !== '' && !/^~|^[a-z0-9]+:\/\/|[\0\r\n*?[\]{}]/i.test(value),
);

export const region = text('a region such as eu-central-1', (value) => /^[A-Za-z0-9-]+$/.test(value));

/** The address of an S3-compatible store; its own path begins with the bucket. */
export const endpoint = text(
  'the address of the store without a path, such as https://s3.example.test:9000',
  (value) => isPlainAddress(value) && new URL(value).pathname === '/',
).transform(withoutSlash);

/** The address before the service's own paths, without a slash at its end. */
export const baseUrl = text(
  'an http(s) address without query, fragment or credentials, before /info/v1 or /report/stats: vodhouse adds the path of the operation',
  (value) => isPlainAddress(value) && !/\/(?:info\/v1|report\/stats)(?:\/|$)/.test(value),
).transform(withoutSlash);

/** True for an http(s) address without query, fragment or credentials. */
function isPlainAddress(value: string): boolean {
  const url = parseUrl(value);
  return url !== null && !/[?#]/.test(value) && url.username + url.password === '';
}

export const url = text('an http(s) address', (value) => parseUrl(value) !== null);

/**
 * The address of a proxy that speaks HTTP or HTTPS, perhaps with a name and a password, both percent-encoded.
 */
export function isProxyAddress(value: string): boolean {
  const url = parseUrl(value);
  if (url === null || url.pathname !== '/' || /[?#]/.test(value)) return false;
  const login = url.username + url.password;
  const isEncoded = !login.includes('%') || decodePercent(login) !== login;
  return isEncoded && (url.username === '') === (url.password === '');
}

/** The address of a proxy; `none` for no proxy, also if the environment has one. */
export const proxy = text(
  'an http(s) address such as http://proxy.example.test:3128, or none (no proxy, whatever the environment says)',
  (value) => value === 'none' || isProxyAddress(value),
);

function withoutSlash(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
}

function parseUrl(value: string): URL | null {
  return /^https?:\/\/[^/\s][^\s\\]*$/i.test(value) && URL.canParse(value) ? new URL(value) : null;
}

export const day = text('a day such as 2026-01-31', isDay);

/** An IANA time zone. Offsets are rejected: they have no daylight saving, and Node 20 and 22 differ. */
export const timezone = text('an IANA time zone such as Asia/Seoul', (timeZone) => {
  try {
    return /^[A-Za-z]/.test(timeZone) && new Intl.DateTimeFormat('en', { timeZone }) instanceof Object;
  } catch {
    return false;
  }
});

/** A cron expression of five fields, or `@hourly` and its kind, which are written out. */
export const cron = z
  .string('a cron expression such as "0 * * * *"')
  .superRefine((value, context) => {
    const expected = findCronProblem(value);
    if (expected !== null) context.addIssue({ code: 'custom', message: expected, input: value });
  })
  .transform(expandCron);
