/** A clock that was wrong once: nothing of it becomes history. */
import { describe, expect, it } from 'vitest';
import { createCalendar } from '../../../src/lib/calendar.ts';
import { storageRecord } from '../../support/service-answers.ts';
import {
  HOUR_MS,
  openStorageAccount,
  type DayQuestion,
  type StorageAccountOptions,
} from '../../support/storage-account.ts';

const DAY_MS = 24 * HOUR_MS;
const NOON = Date.parse('2026-03-10T03:00Z');
const SEOUL = createCalendar('Asia/Seoul');
const RULES = { since: '2026-03-01' };

/** A service with a clock of its own, which stands at `now`: it knows the days up to its today, which is live (7). */
function serviceAt(state: { now: number }) {
  return ({ days }: DayQuestion) => {
    const today = SEOUL.dayAt(state.now);
    return days
      .filter((day) => day >= '2026-02-01' && day <= today)
      .map((day) => storageRecord(day, day === today ? 7 : 5));
  };
}

async function openAt(options: Partial<StorageAccountOptions> & { isDated?: boolean } = {}) {
  const service = { now: NOON };
  const { isDated = true, ...given } = options;
  const account = await openStorageAccount({
    answer: serviceAt(service),
    date: () => (isDated ? service.now : null),
    rules: RULES,
    ...given,
  });
  return { account, service };
}

const booked = (account: Awaited<ReturnType<typeof openAt>>['account']) =>
  account.days().filter(([, state]) => state === 'booked');

describe.each([10 * HOUR_MS, DAY_MS, 3 * DAY_MS, 8 * DAY_MS, 30 * DAY_MS, 100 * DAY_MS, 73 * 365 * DAY_MS])(
  'one run %d ms ahead',
  (ahead) => {
    it.each([true, false])('books no live figure and leaves no gap to come (dated: %s)', async (isDated) => {
      const { account, service } = await openAt({ isDated });
      await account.runAt(NOON);
      const before = booked(account);
      const asked = account.asked.length;
      service.now += HOUR_MS;
      await account.runAt(service.now + ahead);
      expect(account.asked.length - asked).toBeLessThanOrEqual(5);
      service.now += HOUR_MS;
      await account.runAt(service.now);
      expect(booked(account)).toEqual(before);
      expect(account.rows('select * from storage_gap')).toEqual([]);
      expect(account.days().at(-1)).toEqual(['2026-03-10', 'live', 7]);
      for (const day of [1, 2]) {
        service.now = NOON + day * DAY_MS;
        await account.runAt(service.now);
      }
      expect(booked(account).every(([, , figure]) => figure === 5)).toBe(true);
      expect(booked(account).at(-1)?.[0]).toBe('2026-03-11');
    });
  },
);

describe('a clock that the answers contradict', () => {
  it.each([-30 * DAY_MS, -DAY_MS, -11 * 60_000, 11 * 60_000, 3 * DAY_MS])(
    'by %d ms makes the run partial, and times are those of the service',
    async (off) => {
      const { account, service } = await openAt();
      const summary = await account.runAt(service.now + off);
      expect(summary).toMatchObject({ status: 'partial', storage: [{ booked: 0, live: true, missed: 0 }] });
      expect(summary.failures[0]?.message).toMatch(
        /^account main: the machine's clock is .* (ahead of|behind) the service's; nothing was booked/,
      );
      const [run] = account.rows('select started_at, finished_at, clock_offset_ms, status from run');
      expect(run).toMatchObject({ started_at: '2026-03-10 03:00:00', finished_at: '2026-03-10 03:00:00' });
      expect(run?.['clock_offset_ms']).toBe(-off);
      expect(account.rows('select observed_at, date, mov_org_cnt from storage_reading')).toEqual([
        { observed_at: '2026-03-10 03:00:00', date: '2026-03-10', mov_org_cnt: 7 },
      ]);
      const right = await account.runAt(service.now + HOUR_MS);
      service.now += HOUR_MS;
      expect(right.status === 'partial' || right.status === 'succeeded').toBe(true);
    },
  );

  it('by no more than 10 minutes books as ever, with a warning above 2 minutes', async () => {
    for (const [off, warned] of [
      [9.9 * 60_000, true],
      [-9.9 * 60_000, true],
      [110_000, false],
    ] as const) {
      const { account, service } = await openAt();
      expect(await account.runAt(service.now + off)).toMatchObject({ status: 'succeeded' });
      expect(booked(account)).toHaveLength(9);
      await account.runAt(service.now + off);
      expect(account.log.filter((line) => line.includes("the machine's clock is")).length).toBe(
        warned ? 1 : 0,
      );
    }
  });

  it('by one answer alone is asked again, and believed where the next one agrees with it', async () => {
    let odd = 2;
    const { account } = await openAt({ date: (number) => (number === odd ? NOON + 400 * DAY_MS : NOON) });
    expect(await account.runAt(NOON)).toMatchObject({ status: 'succeeded', requests: 3 });
    expect(booked(account)).toHaveLength(9);
    odd = 4;
    await account.runAt(NOON + HOUR_MS / 12);
    const times = account.rows('select max(observed_at) as at from storage_reading');
    expect(times).toEqual([{ at: '2026-03-10 03:05:00' }]);
  });

  it('gives up no gap, and deletes nothing by its age', async () => {
    const missing = new Set(['2026-03-05']);
    const state = { now: NOON };
    const answer = (question: DayQuestion) =>
      serviceAt(state)(question).filter((record) => !missing.has(String(record['date'])));
    const retention = { requestsDays: 35, runsDays: 90 };
    const { account } = await openAt({
      answer,
      date: () => state.now,
      retention,
      rules: { ...RULES, giveUpDays: 2 },
    });
    await account.runAt(NOON);
    const requests = account.rows('select count(*) as n from request')[0]?.['n'] as number;
    for (const days of [8, 40, 100]) await account.runAt(NOON + days * DAY_MS);
    expect(account.rows('select date, given_up_at, asked_days from storage_gap')).toEqual([
      { date: '2026-03-05', given_up_at: null, asked_days: 1 },
    ]);
    expect(account.rows('select count(*) as n from run')).toEqual([{ n: 4 }]);
    expect(account.rows('select count(*) as n from request')[0]?.['n']).toBeGreaterThan(requests);
  });

  it('does not let the budget of a day be spent again', async () => {
    const { account, service } = await openAt({ limits: { perDay: 6, maxWaitMs: 0 } });
    await account.runAt(NOON);
    for (let each = 0; each < 8; each++) await account.runAt(service.now + 100 * DAY_MS);
    const sent = account.rows(`select count(*) as n from request where at_ms < ${NOON + DAY_MS}`);
    expect(sent[0]?.['n']).toBeLessThanOrEqual(6);
  });
});

describe('a file whose newest moment lies ahead of the clock', () => {
  it('is told of, and neither gives up nor deletes until the clock has passed it', async () => {
    const { account, service } = await openAt({
      isDated: false,
      retention: { requestsDays: 1, runsDays: 1 },
      rules: { ...RULES, giveUpDays: 0 },
      answer: (question) => serviceAt(service)(question).filter((record) => record['date'] !== '2026-03-08'),
    });
    service.now = NOON + 3 * DAY_MS;
    await account.runAt(service.now);
    service.now = NOON;
    await account.runAt(NOON);
    expect(account.log.join('')).toContain(
      'the newest moment in the warehouse, 2026-03-13 03:00:00 UTC, lies ahead',
    );
    expect(account.rows('select count(*) as n from run')).toEqual([{ n: 2 }]);
  });
});

describe('an answer without `Date` that tells yesterday and not today', () => {
  it('is no proof that yesterday is over: it waits until a later day is told', async () => {
    const { account, service } = await openAt({ isDated: false });
    service.now = NOON - DAY_MS;
    await account.runAt(NOON); // the service is at 2026-03-09
    expect(booked(account).at(-1)?.[0]).toBe('2026-03-08');
    expect(account.rows('select date, reason from storage_gap')).toEqual([
      { date: '2026-03-09', reason: 'unconfirmed' },
    ]);
    service.now = NOON;
    await account.runAt(NOON + 1000);
    expect(booked(account).at(-1)).toEqual(['2026-03-09', 'booked', 5]);
    expect(account.rows('select * from storage_gap')).toEqual([]);
  });
});
