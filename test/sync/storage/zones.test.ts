import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/lib/days.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { everyDay, openStorageAccount } from '../../support/servers/storage-account.ts';

/**
 * Days that are not 24 hours long, or do not begin at midnight: the zone, the day, its first moment, its
 * length in hours.
 */
const ODD_DAYS: [zone: string, day: string, start: string, hours: number][] = [
  ['Asia/Seoul', '2026-03-10', '2026-03-09T15:00Z', 24],
  ['America/New_York', '2026-03-08', '2026-03-08T05:00Z', 23],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00Z', 25],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00Z', 23],
  ['Africa/Cairo', '2026-10-29', '2026-10-28T21:00Z', 25],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00Z', 23],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00Z', 24.5],
  ['Asia/Kathmandu', '2026-03-10', '2026-03-09T18:15Z', 24],
];

describe.each(ODD_DAYS)('in %s, %s', (timezone, day, start, hours) => {
  const startMs = Date.parse(start);
  const endMs = startMs + hours * HOUR_MS;
  const before = addDays(day, -1);
  const after = addDays(day, 1);

  it('is live from its first to its last moment, and booked when it is over for the settling time', async () => {
    let figure = 0;
    const account = await openStorageAccount({
      answer: everyDay(() => ++figure),
      timezone,
      rules: { since: before },
    });
    const states = async (moment: number) => {
      await account.runAt(moment);
      return account.days().map(([date, state]) => `${date} ${state}`);
    };
    expect(await states(startMs - 1)).toEqual([`${before} live`]);
    expect(await states(startMs)).toEqual([`${before} live`, `${day} live`]);
    expect(await states(startMs + HOUR_MS - 1)).toEqual([`${before} live`, `${day} live`]);
    expect(await states(startMs + HOUR_MS)).toEqual([`${before} booked`, `${day} live`]);
    expect(await states(endMs - 1)).toEqual([`${before} booked`, `${day} live`]);
    expect(await states(endMs + HOUR_MS - 1)).toEqual([`${before} booked`, `${day} live`, `${after} live`]);
    expect(await states(endMs + HOUR_MS)).toEqual([`${before} booked`, `${day} booked`, `${after} live`]);
    expect(account.requestedRanges.every((range) => range >= before)).toBe(true);
  });
});

describe('in Pacific/Apia', () => {
  it('the skipped day is never booked, and the days around it are', async () => {
    const never = '2011-12-30';
    const account = await openStorageAccount({
      answer: everyDay((date) => (date === never ? null : 5)),
      timezone: 'Pacific/Apia',
      rules: { since: '2011-12-28', recheckDays: 0 },
    });
    for (const moment of [
      '2011-12-29T12:00Z',
      '2011-12-30T09:59Z',
      '2011-12-30T10:00Z',
      '2011-12-30T11:00Z',
      '2011-12-31T12:00Z',
    ]) {
      await account.runAt(moment);
    }
    expect(account.days().map(([date, state]) => [date, state])).toEqual([
      ['2011-12-28', 'booked'],
      ['2011-12-29', 'booked'],
      ['2011-12-31', 'booked'],
      ['2012-01-01', 'live'],
    ]);
  });
});
