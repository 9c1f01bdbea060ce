import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRetryAfter, readTime } from '../../../src/service/client/header-times.ts';

const now = Date.parse('2026-03-01T09:00:00Z');
const read = (value: string | string[] | undefined) => readRetryAfter({ 'retry-after': value }, now);

describe('Retry-After', () => {
  it('is read as whole seconds and as a date', () => {
    const dates = fc.date({
      min: new Date(now - 10 ** 9),
      max: new Date(now + 10 ** 11),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), dates, (seconds, date) => {
        expect(read(` ${seconds} `)).toBe(seconds * 1000);
        const second = Math.floor(date.getTime() / 1000) * 1000;
        expect(read(date.toUTCString())).toBe(Math.max(0, second - now));
        expect(read(date.toISOString())).toBe(Math.max(0, date.getTime() - now));
      }),
    );
  });

  it.each([
    ['seconds with a fraction, rounded up', '4.1'],
    ['the form of HTTP', 'Sun, 01 Mar 2026 09:00:05 GMT'],
    ['without its comma', 'Sun 01 Mar 2026 09:00:05 GMT'],
    ['without the name of the day', '1 Mar 2026 09:00:05 UTC'],
    ['with the zone of a mail', 'Sun, 01 Mar 2026 18:00:05 +0900'],
    ['RFC 850', 'Sunday, 01-Mar-26 09:00:05 GMT'],
    ['asctime', 'Sun Mar  1 09:00:05 2026'],
    ['asctime with two digits', 'Sun Mar 01 09:00:05 2026'],
    ['ISO 8601 in UTC', '2026-03-01T09:00:05Z'],
    ['ISO 8601 in small letters', '2026-03-01t09:00:05.000z'],
    ['ISO 8601 with a zone', '2026-03-01T18:00:05+09:00'],
    ['ISO 8601 with a zone without a colon', '2026-03-01T04:30:05-0430'],
    ['ISO 8601 with a zone of hours', '2026-03-01T18:00:05+09'],
    ['ISO 8601 without a zone', '2026-03-01T09:00:05'],
    ['ISO 8601 with a space', '2026-03-01 09:00:05'],
    ['a list of seconds', '5, 600'],
    ['a list of dates', 'Sun, 01 Mar 2026 09:00:05 GMT, Sun, 01 Mar 2026 10:00:00 GMT'],
    ['a list whose first place is empty', ', 5'],
  ])('may be %s: %s', (_what, value) => expect(read(value)).toBe(5_000));

  it('counts by its first value where it came several times', () => {
    expect(read(['5', '9'])).toBe(5_000);
    expect(read(['Sun, 01 Mar 2026 09:00:05 GMT', '9'])).toBe(5_000);
  });

  it('asks for no time where its date is over', () => {
    expect(read('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(0);
    expect(read('Sun Nov  6 08:49:37 1994')).toBe(0);
  });

  const UNREADABLE = [
    '',
    '-1',
    '1e3',
    '0x10',
    '5 s',
    '+5',
    'NaN',
    'Infinity',
    'soon',
    'soon, 600',
    '99999999999',
    '2026-03-01',
    '2026-13-01T09:00:05Z',
    '2026-03-01T99:00:05Z',
    'Sun, 99 Foo 2026 GMT',
    'on Sun, 01 Mar 2026 09:00:05 GMT',
    'Sun, 01 Mar 2026 09:00:05 GMT+1',
    'Sun, 01 Foo 2026 09:00:05 GMT',
  ];
  it.each([undefined, ...UNREADABLE])('is unread where it is "%s"', (value) =>
    expect(read(value)).toBeNull(),
  );

  it('is unread or a finite number from 0 up for any text', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const ms = read(value) ?? 0;
        expect(Number.isFinite(ms) && ms >= 0).toBe(true);
      }),
    );
  });
});

it('the time of a response is the same in each form of a date, whatever the zone of the machine', () => {
  const forms = [
    'Sun, 01 Mar 2026 09:00:00 GMT',
    'Sunday, 01-Mar-26 09:00:00 GMT',
    'Sun Mar  1 09:00:00 2026',
  ];
  for (const date of forms) expect(readTime({ date })).toBe(now);
});
