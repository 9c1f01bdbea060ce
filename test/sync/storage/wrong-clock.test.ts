/** A clock that was wrong once: none of its values becomes history. */
import { describe, expect, it } from 'vitest';
import { createCalendar } from '../../../src/lib/calendar.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { storageRecord } from '../../support/fixtures/service-responses.ts';
import {
  openStorageAccount,
  type DayQuery,
  type StorageAccountOptions,
} from '../../support/servers/storage-account.ts';
import { HOUR_MS, MINUTE_MS, DAY_MS } from '../../../src/lib/clock.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
/** Noon of 2026-03-10 in Seoul. */
const NOON = Date.parse('2026-03-10T03:00Z');
const SEOUL = createCalendar('Asia/Seoul');
const RULES = { since: '2026-03-01' };

type Options = Partial<StorageAccountOptions> & { isDated?: boolean; missing?: ReadonlySet<string> };

/**
 * An account of a service with a separate clock: it has the days up to its own today, which is live (figure
 * 7, past days 5).
 */
async function openAt({ isDated = true, missing = new Set(), ...given }: Options = {}) {
  const clock = createVirtualClock(NOON);
  /** How far the machine's clock is ahead of the service's. */
  const machine = { ahead: 0 };
  const serviceNow = () => clock.now() - machine.ahead;
  const answer = ({ days }: DayQuery) => {
    const today = SEOUL.dayAt(serviceNow());
    return days
      .filter((day) => day >= '2026-02-01' && day <= today && !missing.has(day))
      .map((day) => storageRecord(day, day === today ? 7 : 5));
  };
  const date = () => (isDated ? serviceNow() : null);
  const account = await openStorageAccount({ answer, date, clock, rules: RULES, ...given });
  /** Runs at this moment of the service, with a machine that is ahead by this time. */
  const runAt = (moment: number, ahead = 0) => {
    machine.ahead = ahead;
    return account.runAt(moment + ahead);
  };
  const booked = () => account.days().filter(([, state]) => state === 'booked');
  return { account, machine, runAt, booked };
}

describe.each([10 * HOUR_MS, DAY_MS, 3 * DAY_MS, 8 * DAY_MS, 30 * DAY_MS, 100 * DAY_MS, 73 * 365 * DAY_MS])(
  'one run %d ms ahead',
  (ahead) => {
    it.each([true, false])('books no live figure and leaves no future gap (dated: %s)', async (isDated) => {
      const { account, runAt, booked } = await openAt({ isDated });
      await runAt(NOON);
      const before = booked();
      const requests = account.requestedRanges.length;
      await runAt(NOON + HOUR_MS, ahead);
      expect(account.requestedRanges.length - requests).toBeLessThanOrEqual(5);
      await runAt(NOON + 2 * HOUR_MS);
      expect(booked()).toEqual(before);
      expect(account.rows('select * from storage_gap')).toEqual([]);
      expect(account.days().at(-1)).toEqual(['2026-03-10', 'live', 7]);
      for (const day of [1, 2]) await runAt(NOON + day * DAY_MS);
      expect(booked().every(([, , figure]) => figure === 5)).toBe(true);
      expect(booked().at(-1)?.[0]).toBe('2026-03-11');
    });
  },
);

describe('a clock that the responses contradict', () => {
  it.each([-30 * DAY_MS, -DAY_MS, -11 * MINUTE_MS, 11 * MINUTE_MS, 3 * DAY_MS])(
    'by %d ms makes the run partial, and times are those of the service',
    async (ahead) => {
      const { account, runAt, booked } = await openAt();
      const summary = await runAt(NOON, ahead);
      expect(summary).toMatchObject({
        status: 'partial',
        storage: [{ booked: 0, live: true, missed: 0 }],
        clock: { isMachineOff: true, mayPrune: false },
      });
      expect(summary.failures[0]?.message).toMatch(
        /^account main: the machine's clock is .* (ahead of|behind) the service's; nothing was booked/,
      );
      const [run] = account.rows('select started_at, clock_offset_ms from run');
      expect(run?.['started_at']).toMatch(/^2026-03-10 0(3:00:00|2:59:59)/);
      expect(Math.abs((run?.['clock_offset_ms'] as number) + ahead)).toBeLessThan(1000);
      expect(account.rows('select date, mov_org_cnt from storage_reading')).toEqual([
        { date: '2026-03-10', mov_org_cnt: 7 },
      ]);
      const [reading] = account.rows('select observed_at from storage_reading');
      expect(reading?.['observed_at']).toMatch(/^2026-03-10 03:00:0/);
      expect(await runAt(NOON + HOUR_MS)).toMatchObject({ status: 'succeeded' });
      expect(booked()).toHaveLength(9);
    },
  );

  it('by no more than 10 minutes books normally, with a warning above 2 minutes', async () => {
    for (const [ahead, warned] of [
      [9.9 * MINUTE_MS, true],
      [-9.9 * MINUTE_MS, true],
      [110_000, false],
    ] as const) {
      const { account, runAt, booked } = await openAt();
      expect(await runAt(NOON, ahead)).toMatchObject({ status: 'succeeded' });
      expect(booked()).toHaveLength(9);
      await runAt(NOON + 1000, ahead);
      const warnings = account.log.filter((line) => line.includes("the machine's clock is"));
      expect(warnings).toHaveLength(warned ? 1 : 0);
    }
  });

  it('by less than that books no day that is not over by the date of the response', async () => {
    const { runAt, booked } = await openAt({ rules: { ...RULES, settleMs: 0 } });
    const midnight = Date.parse('2026-03-10T15:00Z');
    await runAt(midnight - 8 * MINUTE_MS, 9.5 * MINUTE_MS);
    expect(booked().at(-1)?.[0]).toBe('2026-03-09');
    await runAt(midnight + MINUTE_MS);
    expect(booked().at(-1)).toEqual(['2026-03-10', 'booked', 5]);
  });

  it('and that is corrected while a request waits books no live figure', async () => {
    const clock = createVirtualClock(NOON + DAY_MS);
    const account = await openStorageAccount({
      clock,
      rules: RULES,
      date: () => clock.now(),
      answer: ({ days }) => {
        clock.set(NOON + account.requestedRanges.length * 1000);
        return days
          .filter((day) => day <= '2026-03-10')
          .map((day) => storageRecord(day, day === '2026-03-10' ? 7 : 5));
      },
    });
    await account.runAt(NOON + DAY_MS);
    expect(account.days().at(-1)).toEqual(['2026-03-10', 'live', 7]);
    const named = { videos: false, storageDays: { from: '2026-03-08', to: '2026-03-10' } };
    await account.runAt(NOON + DAY_MS, named);
    expect(account.days().at(-1)).toEqual(['2026-03-10', 'live', 7]);
  });

  it('by one response alone causes another request, and is accepted where the next one agrees with it', async () => {
    const { account, runAt, booked } = await openAt();
    await runAt(NOON);
    const odd = await openAt({
      date: (number) => (number === 2 ? NOON + 400 * DAY_MS : odd.account.clock.now()),
    });
    expect(await odd.runAt(NOON)).toMatchObject({ status: 'succeeded', requests: 3 });
    expect(odd.booked()).toEqual(booked());
    const newest = 'select max(observed_at) as at from storage_reading';
    expect(odd.account.rows(newest)[0]?.['at']).toMatch(/^2026-03-10/);
    expect(account.rows(newest)[0]?.['at']).toMatch(/^2026-03-10/);
  });

  it('gives up no gap, and deletes nothing by its age', async () => {
    const { account, runAt } = await openAt({
      missing: new Set(['2026-03-05']),
      retention: { requestsDays: 35, runsDays: 90 },
      rules: { ...RULES, giveUpDays: 2 },
    });
    await runAt(NOON);
    const requests = () => account.rows('select count(*) as n from request')[0]?.['n'] as number;
    const before = requests();
    for (const days of [8, 40, 100]) await runAt(NOON, days * DAY_MS);
    expect(account.rows('select date, given_up_at, requested_days from storage_gap')).toEqual([
      { date: '2026-03-05', given_up_at: null, requested_days: 1 },
    ]);
    expect(account.rows('select count(*) as n from run')).toEqual([{ n: 4 }]);
    expect(requests()).toBeGreaterThan(before);
  });

  it('does not allow the budget of a day to be spent again', async () => {
    const { account, runAt } = await openAt({ limits: { perDay: 6, maxWaitMs: 0 } });
    await runAt(NOON);
    for (let each = 0; each < 8; each++) await runAt(NOON, 100 * DAY_MS);
    const sent = account.rows(`select count(*) as n from request where at_ms < ${NOON + DAY_MS}`);
    expect(sent[0]?.['n']).toBeLessThanOrEqual(6);
  });
});

describe('a file whose newest moment is ahead of the clock', () => {
  const openAhead = async (isDated: boolean) => {
    const opened = await openAt({
      isDated,
      missing: new Set(['2026-03-08']),
      retention: { requestsDays: 1, runsDays: 1 },
      rules: { ...RULES, giveUpDays: 2 },
    });
    await opened.runAt(NOON - 3 * DAY_MS);
    await opened.runAt(NOON);
    execute(opened.account.path, "update run set started_at = '2099-01-01 00:00:00' where run_id = 2");
    return opened;
  };
  const gaps = 'select given_up_at from storage_gap';
  const runs = 'select run_id from run order by run_id';

  it('causes a warning, and neither gives up nor deletes', async () => {
    const { account, runAt } = await openAhead(false);
    for (const day of [1, 2, 3]) await runAt(NOON + day * DAY_MS);
    expect(account.log.join('')).toContain(
      'the newest moment in the warehouse, 2099-01-01 00:00:00 UTC, lies ahead',
    );
    expect(account.rows(gaps)).toEqual([{ given_up_at: null }]);
    expect(account.rows(runs)).toHaveLength(4); // the first was deleted before
  });

  it('recovers with a run whose responses confirm the clock: the next one gives up and deletes again', async () => {
    const { account, runAt } = await openAhead(true);
    await runAt(NOON + DAY_MS);
    expect(account.rows(gaps)).toEqual([{ given_up_at: null }]);
    expect(account.rows(runs)).toHaveLength(2);
    expect(account.rows("select count(*) as n from run where started_at > '2026-04-01'")).toEqual([{ n: 0 }]);
    await runAt(NOON + 3 * DAY_MS);
    expect(account.rows(gaps)).toEqual([{ given_up_at: '2026-03-13 03:00:00' }]);
    expect(account.rows(runs)).toHaveLength(1);
  });
});

describe('a response without `Date` that has yesterday and not today', () => {
  it('is no proof that yesterday is over: it waits until a later day is returned', async () => {
    const { account, runAt, booked } = await openAt({ isDated: false });
    await runAt(NOON - DAY_MS, DAY_MS);
    expect(booked().at(-1)?.[0]).toBe('2026-03-08');
    expect(account.rows('select date, reason from storage_gap')).toEqual([
      { date: '2026-03-09', reason: 'unconfirmed' },
    ]);
    await runAt(NOON + 1000);
    expect(booked().at(-1)).toEqual(['2026-03-09', 'booked', 5]);
    expect(account.rows('select * from storage_gap')).toEqual([]);
  });
});
