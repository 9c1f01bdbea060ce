/** A clock that was wrong once: none of its values becomes history. */
import { describe, expect, it } from 'vitest';
import { createCalendar } from '../../../src/lib/calendar.ts';
import { readHealth } from '../../support/fixtures/health-report.ts';
import { storageRecord } from '../../support/fixtures/service-responses.ts';
import {
  openStorageAccount,
  type DayQuery,
  type StorageAccountOptions,
} from '../../support/servers/storage-account.ts';
import { HOUR_MS, MINUTE_MS, DAY_MS } from '../../../src/lib/clock.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
import { transact } from '../../../src/database/transaction.ts';
import { acknowledgeDrift } from '../../../src/warehouse/statements/drift.ts';
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

describe.each([10 * HOUR_MS, 3 * DAY_MS, 73 * 365 * DAY_MS])('one run %d ms ahead', (ahead) => {
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
});

describe('a clock that the responses contradict', () => {
  it.each([-30 * DAY_MS, -DAY_MS, -11 * MINUTE_MS, 11 * MINUTE_MS, 3 * DAY_MS])(
    'by %d ms books nothing, and the run is partial',
    async (ahead) => {
      const { account, runAt, booked } = await openAt();
      const summary = await runAt(NOON, ahead);
      expect(summary).toMatchObject({ status: 'partial', storage: [{ booked: 0, missed: 0 }] });
      expect(summary.failures).toMatchObject([{ account: 'main', kind: 'clock', untilMs: null }]);
      const [run] = account.rows('select clock_offset_ms from run');
      expect(Math.abs((run?.['clock_offset_ms'] as number) + ahead)).toBeLessThan(1000);
      expect(account.rows('select * from storage_gap')).toEqual([]);
      expect(await runAt(NOON + HOUR_MS)).toMatchObject({ status: 'succeeded' });
      expect(booked()).toHaveLength(9);
    },
  );

  it('by less than that books no day that is not over by the date of the response', async () => {
    const { runAt, booked } = await openAt({ rules: { ...RULES, settleMs: 0 } });
    const midnight = Date.parse('2026-03-10T15:00Z');
    await runAt(midnight - 8 * MINUTE_MS, 9.5 * MINUTE_MS);
    expect(booked().at(-1)?.[0]).toBe('2026-03-09');
    await runAt(midnight + MINUTE_MS);
    expect(booked().at(-1)).toEqual(['2026-03-10', 'booked', 5]);
  });

  it('by one response alone books nothing in that run, and the next run does', async () => {
    const odd = await openAt({
      date: (number) => (number === 1 ? NOON + 400 * DAY_MS : odd.account.clock.now()),
    });
    expect(await odd.runAt(NOON)).toMatchObject({ status: 'partial', requests: 1 });
    expect(odd.booked()).toEqual([]);
    expect(await odd.runAt(NOON + MINUTE_MS)).toMatchObject({ status: 'succeeded' });
    expect(odd.booked()).toHaveLength(9);
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
});

describe('a service whose responses have no `Date`', () => {
  const options = {
    isDated: false,
    missing: new Set(['2026-03-05']),
    retention: { requestsDays: 1, runsDays: 1 },
    rules: { ...RULES, giveUpDays: 3 },
  };
  const GAPS = 'select given_up_at, requested_days from storage_gap';

  it('gives up gaps, and deletes by age, by the clock of the machine', async () => {
    const { account, runAt } = await openAt(options);
    for (const day of [0, 1, 2, 3]) await runAt(NOON + day * DAY_MS);
    expect(account.rows(GAPS)).toEqual([{ given_up_at: '2026-03-12 03:00:00', requested_days: 3 }]);
    // the age is counted from the start of the run before the last one
    expect(account.rows('select run_id from run')).toEqual([{ run_id: 2 }, { run_id: 3 }, { run_id: 4 }]);
    const requests = account.rows('select min(run_id) as first, max(run_id) as last from request');
    expect(requests).toEqual([{ first: 2, last: 4 }]);
  });

  it.each([DAY_MS, 40 * DAY_MS, 73 * 365 * DAY_MS])(
    'has nothing deleted or given up for ever by one run that is %d ms ahead',
    async (ahead) => {
      const missing = new Set(options.missing);
      const { account, runAt, booked } = await openAt({
        ...options,
        missing,
        rules: { ...RULES, giveUpDays: 2 },
      });
      await runAt(NOON);
      await runAt(NOON + HOUR_MS, ahead);
      expect(account.rows('select run_id from run')).toHaveLength(2);
      missing.clear();
      for (const hours of [2, 24 * 31]) await runAt(NOON + hours * HOUR_MS);
      expect(account.rows('select count(*) as n from request where run_id = 1')).not.toEqual([{ n: 0 }]);
      expect(booked().map(([day]) => day)).toContain('2026-03-05');
    },
  );

  it('has a note in `status`, until it is acknowledged or responses have one', async () => {
    const notes = () =>
      readHealth(account)
        .items.filter(({ kind }) => kind === 'drift')
        .map(({ message }) => message);
    const { account, runAt } = await openAt(options);
    await runAt(NOON);
    await runAt(NOON + HOUR_MS);
    const note = "Responses of main have no Date header, so that nothing confirms the machine's clock";
    expect(notes()).toEqual([note]);
    const named = { account: 'main', stream: 'videos', field: 'Date', kind: 'missing' } as const;
    transact(account.pipeline.warehouse.db, (tx) =>
      acknowledgeDrift(tx, { ...named, at: '2026-03-10 05:00:00' }),
    );
    await runAt(NOON + 2 * HOUR_MS);
    expect(notes()).toEqual([]);
  });

  it('has none where one response of the run has a date, or where no response came', async () => {
    const some = await openAt({ date: (number) => (number === 1 ? NOON : null) });
    await some.runAt(NOON);
    const none = await openAt({ isDated: false, answer: () => 'drop' });
    await none.runAt(NOON);
    for (const { account } of [some, none]) expect(account.rows('select * from drift')).toEqual([]);
  });
});

describe('a response without `Date` that has yesterday and not today', () => {
  it('is no proof that yesterday is over: it waits until a later day is returned', async () => {
    const { account, runAt, booked } = await openAt({ isDated: false });
    await runAt(NOON - DAY_MS, DAY_MS);
    expect(booked().at(-1)).toEqual(['2026-03-08', 'booked', 5]);
    expect(account.rows('select * from storage_gap')).toEqual([]);
    await runAt(NOON + 1000);
    expect(booked().at(-1)).toEqual(['2026-03-09', 'booked', 5]);
    expect(account.rows('select * from storage_gap')).toEqual([]);
  });
});
