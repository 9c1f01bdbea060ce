import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, readTime } from '../../src/lib/days.ts';
import { fromTimestamp, systemClock, toTimestamp } from '../../src/lib/clock.ts';
import { createCalendar, daysBetween } from '../../src/lib/calendar.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

describe('a time that another program wrote', () => {
  it.each([
    ['2026-01-02 03:04:05.6', '2026-01-02 03:04:05'],
    ['2026-01-02 03:04:05', '2026-01-02 03:04:05'],
    ['2026-01-02 03:04:05.9999999', '2026-01-02 03:04:05'],
    ['2026-01-02T03:04:05', '2026-01-02 03:04:05'],
    ['2026-01-02t03:04:05,6', '2026-01-02 03:04:05'],
    ['2026-01-02 03:04', '2026-01-02 03:04:00'],
    [' \t2026-01-02  03:04:05\r\n', '2026-01-02 03:04:05'],
    ['2024-02-29 00:00:00.0', '2024-02-29 00:00:00'],
    ['2026-01-02T03:04:05Z', '2026-01-02 03:04:05'],
    ['2026-01-02 03:04:05 utc', '2026-01-02 03:04:05'],
    ['2026-01-02T03:04:05.123456+09:00', '2026-01-01 18:04:05'],
    ['2026-01-02 03:04:05 +0900', '2026-01-01 18:04:05'],
    ['2026-01-02T03:04-03', '2026-01-02 06:04:00'],
    ['2026-01-01T00:00-0930', '2026-01-01 09:30:00'],
    ['1900-01-01 00:00:00.0', '1900-01-01 00:00:00'],
    ['2261-12-31 23:59:59.9', '2261-12-31 23:59:59'],
  ])('is read, with a zone in UTC: %j', (text, time) => {
    expect(readTime(text)).toBe(time);
  });

  it.each([
    '',
    ' ',
    'yesterday',
    'now',
    '2026-01-02',
    '02/01/2026',
    '02/01/2026 03:04:05',
    '2026/01/02 03:04:05',
    '1767322800',
    '1767322800000',
    '2461042.5',
    '20260102T030405Z',
    '2026-W01-5T03:04',
    '12:00',
    '2026',
    '0000-00-00 00:00:00',
    '2026-00-10 00:00:00',
    '2026-13-01 00:00:00',
    '2026-01-32 00:00:00',
    '2026-02-30 00:00:00.0',
    '2026-02-29T00:00Z',
    '2026-04-31 00:00:00',
    '1900-02-29 00:00:00.0',
    '2026-01-02 24:00:00',
    '2026-01-02 03:60:00',
    '2026-01-02 03:04:60',
    '2026-1-2 3:04:05',
    '0001-01-01T00:00:00Z',
    '0050-01-01 00:00:00',
    '1899-12-31 23:59:59.9',
    '2262-01-01 00:00:00.0',
    '9999-12-31T23:59:59-14:00',
    '+02026-01-02 03:04:05',
    '2026-01-02 03:04:05 PM',
    '2026-01-02 03:04:05 KST',
    '2026-01-02 03:04:05+9',
    '2026-01-02 03:04:05+15:00',
    '2026-01-02 03:04:05.',
    '2026-01-02 03:04:05.1.2',
    '2026-01-02 03:04:05\0',
    '２０２６-01-02 03:04:05',
  ])('is not read where it names no moment: %j', (text) => {
    expect(readTime(text)).toBeNull();
  });

  it('is known by its usual form on every day that exists, and on no other', () => {
    const days = new Set<string>();
    for (let day = '1999-12-01'; day < '2005-02-01'; day = addDays(day, 1)) days.add(day);
    const two = (least: number, most: number) =>
      fc.integer({ min: least, max: most }).map((value) => String(value).padStart(2, '0'));
    const written = fc.tuple(fc.constantFrom('2000', '2001', '2003', '2004'), two(0, 13), two(0, 32));
    fc.assert(
      fc.property(written, (parts) => {
        expect(readTime(`${parts.join('-')} 12:00:00.0`) !== null).toBe(days.has(parts.join('-')));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is rejected in a moment, however long it is', () => {
    const started = performance.now();
    for (const part of [' ', '1', '\t\n', '.1', 'Z'])
      expect(readTime(`2026-01-02 03:04:05.${part.repeat(500_000)}x`)).toBeNull();
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('the system clock', () => {
  it('ends a wait when the signal aborts, with the reason of the signal', async () => {
    const reason = new Error('stopped');
    const controller = new AbortController();
    const waiting = systemClock.sleep(3_600_000, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(systemClock.sleep(0, controller.signal)).rejects.toBe(reason);
  });

  it('leaves no listener at the signal when a wait is over', async () => {
    const controller = new AbortController();
    const waiting = systemClock.sleep(1, controller.signal);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    await waiting;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('a timestamp', () => {
  it('is a moment in UTC to the second, as text that sorts', () => {
    expect(toTimestamp(Date.parse('2026-03-09T15:04:05.999Z'))).toBe('2026-03-09 15:04:05');
    expect(toTimestamp(0)).toBe('1970-01-01 00:00:00');
    expect(fromTimestamp('2026-03-09 15:04:05')).toBe(Date.parse('2026-03-09T15:04:05Z'));
  });

  it('parses back to its moment without the milliseconds, and preserves the order', () => {
    const ms = fc.nat(4_000_000_000_000);
    const property = fc.property(ms, ms, (one, other) => {
      expect(fromTimestamp(toTimestamp(one))).toBe(Math.floor(one / 1000) * 1000);
      if (one <= other) expect(toTimestamp(one) <= toTimestamp(other)).toBe(true);
    });
    fc.assert(property);
  });
});

const ZONES = [
  'UTC',
  'Asia/Seoul',
  'America/New_York',
  'Africa/Cairo',
  'Pacific/Apia',
  'Australia/Lord_Howe',
];
const moment = fc.integer({ min: toMs('2000-01-01T00:00Z'), max: toMs('2035-01-01T00:00Z') });
const day = moment.map((ms) => new Date(ms).toISOString().slice(0, 10));

describe('a calendar', () => {
  it('returns the day of its zone for a moment', () => {
    const at = toMs('2026-03-09T15:00:00Z');
    expect(createCalendar('Asia/Seoul').dayAt(at)).toBe('2026-03-10');
    expect(createCalendar('Asia/Seoul').dayAt(at - 1)).toBe('2026-03-09');
    expect(createCalendar('America/New_York').dayAt(at)).toBe('2026-03-09');
    expect(createCalendar('Pacific/Kiritimati').dayAt(at)).toBe('2026-03-10');
  });

  it('puts every moment between the beginning of its day and that of the next', () => {
    const property = fc.property(fc.constantFrom(...ZONES), moment, (zone, ms) => {
      const calendar = createCalendar(zone);
      const date = calendar.dayAt(ms);
      expect(calendar.startOf(date)).toBeLessThanOrEqual(ms);
      expect(calendar.startOf(addDays(date, 1))).toBeGreaterThan(ms);
      expect(calendar.dayAt(calendar.startOf(date))).toBe(date);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('has a name, and rejects a zone that does not exist', () => {
    expect(createCalendar('Asia/Seoul').timezone).toBe('Asia/Seoul');
    expect(() => createCalendar('Asia/Atlantis')).toThrow(RangeError);
  });
});

describe('days', () => {
  it('are counted across months, leap days and daylight saving', () => {
    expect(addDays('2026-02-28', 1)).toBe('2026-03-01');
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(addDays('2026-03-10', 0)).toBe('2026-03-10');
    expect(daysBetween('2026-01-01', '2027-01-01')).toBe(365);
    expect(daysBetween('2026-03-10', '2026-03-09')).toBe(-1);
  });

  it('are as far apart as they were moved', () => {
    const property = fc.property(day, fc.integer({ min: -1000, max: 1000 }), (date, count) => {
      expect(daysBetween(date, addDays(date, count))).toBe(count);
      expect(addDays(addDays(date, count), -count)).toBe(date);
    });
    fc.assert(property);
  });
});
