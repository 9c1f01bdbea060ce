/** A day is over when the service itself has a later one: a wrong `timezone` in the config books no live figure. */
import { describe, expect, it } from 'vitest';
import { createCalendar } from '../../../src/lib/calendar.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { addDays } from '../../../src/lib/days.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
import { readHealth } from '../../support/fixtures/health-report.ts';
import { storageRecord } from '../../support/fixtures/service-responses.ts';
import { openStorageAccount, type DayQuery } from '../../support/servers/storage-account.ts';

const NOON = Date.parse('2026-03-10T03:00Z');

interface Place {
  /** The time zones of the service and of the config. */
  service: string;
  config: string;
  /** What the service returns for a day that has not begun: 0, the figures of the day in progress, or nothing. */
  future?: 'nothing' | 'zero' | 'copy';
  /** It returns a day only after its end. */
  isLate?: boolean;
  isDated?: boolean;
  settleMs?: number;
  /** The figure at a moment; by default it grows each hour. */
  figureAt?: (ms: number) => number;
}

/** A service whose figure of a past day is that at its end, and of the day in progress that of now. */
async function openPlace(place: Place) {
  const { future = 'nothing', isLate = false, figureAt = (ms: number) => Math.floor(ms / HOUR_MS) } = place;
  const clock = createVirtualClock(NOON);
  const calendar = createCalendar(place.service);
  const finalOf = (day: string) => figureAt(calendar.startOf(addDays(day, 1)) - 1);
  const answer = ({ days }: DayQuery) =>
    days.flatMap((day): Record<string, unknown>[] => {
      const now = clock.now();
      const today = calendar.dayAt(now);
      if (day < today) return [storageRecord(day, finalOf(day))];
      if (isLate || (day > today && future === 'nothing')) return [];
      return [storageRecord(day, day > today && future === 'zero' ? 0 : figureAt(now))];
    });
  const options = { answer, clock, silent: true, timezone: place.config, isDated: place.isDated ?? true };
  const account = await openStorageAccount({
    ...options,
    rules: { since: '2026-03-08', settleMs: place.settleMs ?? HOUR_MS },
  });
  const wrong = () =>
    account.days().filter(([day, state, figure]) => state === 'booked' && figure !== finalOf(day));
  /** When each day was booked, in hours after its end by the service. */
  const bookedAfter = () =>
    account
      .rows(`select date, observed_at from storage_day where state = 'booked' order by date`)
      .map((row) => {
        const at = Date.parse(`${String(row['observed_at']).replace(' ', 'T')}Z`);
        return (at - calendar.startOf(addDays(String(row['date']), 1))) / HOUR_MS;
      });
  const runHourly = async (hours: number, every = 1) => {
    const from = clock.now();
    for (let hour = 0; hour <= hours; hour += every) await account.runAt(from + hour * HOUR_MS);
  };
  return { account, clock, wrong, bookedAfter, runHourly };
}

const ZONES: [service: string, config: string][] = [
  ['America/New_York', 'Asia/Seoul'],
  ['Asia/Seoul', 'UTC'],
];

describe.each(ZONES)('a service in %s, with %s in the config', (service, config) => {
  it.each([
    ['nothing', true],
    ['nothing', false],
    ['zero', false],
    ['copy', false],
  ] as const)(
    'has each day booked as it ended, where a day to come is %s (dated: %s)',
    async (future, isDated) => {
      const { wrong, bookedAfter, runHourly } = await openPlace({ service, config, future, isDated });
      await runHourly(60);
      expect(wrong()).toEqual([]);
      expect(bookedAfter().length).toBeGreaterThanOrEqual(3);
      expect(
        bookedAfter()
          .slice(2)
          .every((hours) => hours <= 25),
      ).toBe(true);
    },
  );

  it('has each day booked as it ended, where the service returns it only then', async () => {
    const isDated = service === 'America/New_York';
    const place = await openPlace({ service, config, isDated, isLate: true });
    await place.runHourly(80);
    expect(place.wrong()).toEqual([]);
    expect(place.bookedAfter().length).toBeGreaterThanOrEqual(3);
    expect(place.account.rows('select * from storage_gap')).toEqual([]);
  });
});

describe('a day of a config with the right time zone', () => {
  const right = { service: 'Asia/Seoul', config: 'Asia/Seoul' };

  it.each([
    ['each hour', (ms: number) => Math.floor(ms / HOUR_MS)],
    ['never', () => 500],
    ['only at noon', (ms: number) => 500 + Math.floor((ms - NOON) / (24 * HOUR_MS))],
    ['only half an hour before midnight', (ms: number) => 500 + Math.floor((ms / HOUR_MS + 9.5) / 24)],
  ])('is booked as soon as it is settled, where the account changes %s', async (_what, figureAt) => {
    const { wrong, bookedAfter, runHourly } = await openPlace({ ...right, figureAt });
    await runHourly(60);
    expect([wrong(), bookedAfter().slice(-2)]).toEqual([[], [1, 1]]);
  });

  it('is booked by the one run of the next night, where nothing changes at night', async () => {
    const figureAt = (ms: number) => 500 + Math.floor((ms - NOON) / (24 * HOUR_MS));
    const { clock, wrong, bookedAfter, runHourly } = await openPlace({ ...right, figureAt });
    clock.advance(15 * HOUR_MS);
    await runHourly(72, 24);
    expect([wrong(), bookedAfter().slice(-3)]).toEqual([[], [3, 3, 3]]);
  });
});

describe('status', () => {
  const gapsOf = ({ account }: Awaited<ReturnType<typeof openPlace>>) =>
    readHealth(account).items.filter(({ kind }) => kind === 'gap');

  it.each([
    ['nothing', '5 to 9 hours'],
    ['zero', 'at least 5 hours'],
    ['copy', 'at least 5 hours'],
  ] as const)(
    'names the time zone of the config while the service lags behind it (a day to come is %s)',
    async (future, hours) => {
      const place = await openPlace({ service: 'UTC', config: 'Asia/Seoul', future, isDated: false });
      await place.runHourly(36); // the second midnight in Seoul
      expect(gapsOf(place)).toEqual([]);
      await place.runHourly(5);
      const [found, ...others] = gapsOf(place);
      expect(others).toEqual([]);
      expect(found).toMatchObject({ message: 'Storage of main: 1 day to be read a second time' });
      expect(found?.details).toEqual([
        `2026-03-11  the service has no later day: its days end ${hours} after those of Asia/Seoul; check timezone in the config (since 2026-03-11 15:00:00 UTC)`,
      ]);
      await place.runHourly(6);
      expect(gapsOf(place)).toEqual([]);
    },
  );

  it('has nothing to say of a service that returns no day before its end, nor of a long time to settle', async () => {
    const late = await openPlace({ service: 'Asia/Seoul', config: 'Asia/Seoul', isLate: true });
    await late.runHourly(40);
    expect(gapsOf(late)).toEqual([]);
    const slow = await openPlace({ service: 'Asia/Seoul', config: 'Asia/Seoul', settleMs: 30 * HOUR_MS });
    await slow.runHourly(40);
    expect(gapsOf(slow)).toEqual([]);
  });
});
