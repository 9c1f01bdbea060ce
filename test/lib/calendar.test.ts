import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCalendar, daysBetween } from '../../src/lib/calendar.ts';
import { addDays } from '../../src/lib/days.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

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
