import { describe, expect, it } from 'vitest';
import { readHealth } from '../../support/fixtures/health-report.ts';
import { everyDay, openStorageAccount, type DayQuery } from '../../support/servers/storage-account.ts';
import { listPage, videoRecord } from '../../support/fixtures/service-responses.ts';
import type { Reply } from '../../support/servers/scripted-service.ts';

/** Noon in Seoul, the given number of days after 2026-03-10. */
const noon = (days: number, hour = 3) => Date.UTC(2026, 2, 10 + days, hour);
const GAPS = 'select date, first_missed_at, last_requested_at, given_up_at from storage_gap order by date';

describe('a day that the service does not return', () => {
  /** The service has every day except those in `missing`. */
  const openWith = async (missing: Set<string>, rules = {}) =>
    openStorageAccount({ answer: everyDay((date) => (missing.has(date) ? null : 5)), rules });

  it('is no problem of the time zone once it is given up, also where it was read live', async () => {
    const missing = new Set<string>();
    const account = await openWith(missing, { giveUpDays: 2, recheckDays: 0 });
    await account.runAt(noon(0));
    missing.add('2026-03-10');
    const gaps = () => readHealth(account).items.filter(({ kind }) => kind === 'gap');
    await account.runAt(noon(1));
    expect(gaps().map(({ message }) => message)).toEqual([
      'Storage of main: the service did not serve 1 day yet (2026-03-10)',
    ]);
    await account.runAt(noon(2));
    await account.runAt(noon(3));
    expect(gaps()).toEqual([]);
  });

  it('is requested once a day, and at every run while it is yesterday', async () => {
    const account = await openWith(new Set(['2026-03-09']));
    await account.runAt(noon(0));
    await account.runAt(noon(0, 4));
    expect(account.requestedRanges).toEqual(['2026-03-09..2026-03-10', '2026-03-09..2026-03-10']);
    await account.runAt(noon(1));
    await account.runAt(noon(1, 4));
    await account.runAt(noon(1, 5));
    expect(account.requestedRanges.slice(2)).toEqual([
      '2026-03-10..2026-03-11',
      '2026-03-09..2026-03-09',
      '2026-03-11..2026-03-11',
      '2026-03-11..2026-03-11',
    ]);
    expect(account.rows(GAPS)).toMatchObject([
      { first_missed_at: '2026-03-10 03:00:00', last_requested_at: '2026-03-11 03:00:00' },
    ]);
  });

  it('is given up when it was requested on as many separate days as the config has', async () => {
    const account = await openWith(new Set(['2026-03-09']), { giveUpDays: 3, recheckDays: 0 });
    for (const day of [0, 0, 1, 2]) await account.runAt(noon(day));
    expect(account.rows(GAPS)).toEqual([
      {
        date: '2026-03-09',
        first_missed_at: '2026-03-10 03:00:00',
        last_requested_at: '2026-03-12 03:00:00',
        given_up_at: '2026-03-12 03:00:00',
      },
    ]);
    const before = account.requestedRanges.length;
    const isRequested = () =>
      account.requestedRanges.slice(before).some((range) => range.startsWith('2026-03-09'));
    for (const day of [3, 4, 5, 20, 31]) await account.runAt(noon(day));
    expect(isRequested()).toBe(false);
    expect(account.rows(GAPS)).toMatchObject([{ given_up_at: '2026-03-12 03:00:00' }]);
  });

  it('is requested once a month after it was given up', async () => {
    const missing = new Set(['2026-03-09']);
    const account = await openWith(missing, { giveUpDays: 1, recheckDays: 0 });
    await account.runAt(noon(0));
    const days = [29, 30, 31, 59, 60].filter((day) => day > 0);
    const monthly: number[] = [];
    for (const day of days) {
      const before = account.requestedRanges.length;
      await account.runAt(noon(day));
      if (account.requestedRanges.slice(before).some((range) => range.startsWith('2026-03-09')))
        monthly.push(day);
    }
    expect(monthly).toEqual([30, 60]);
    missing.clear();
    await account.runAt(noon(90));
    expect(account.rows(GAPS)).toEqual([]);
    expect(account.days()[0]).toEqual(['2026-03-09', 'booked', 5]);
  });
});

describe('today', () => {
  it('that is not returned has a log message; the day before is in progress until it is over for a day', async () => {
    const account = await openStorageAccount({
      answer: everyDay((date) => (date < '2026-03-10' ? 5 : null)),
    });
    const summary = await account.runAt(noon(0));
    expect(summary).toMatchObject({ status: 'succeeded', storage: [{ live: false, booked: 0, missed: 0 }] });
    expect(account.rows('select date from storage_reading')).toEqual([{ date: '2026-03-09' }]);
    expect(account.log.join('')).toContain('the service returned no storage figures of 2026-03-10');
    await account.runAt(noon(1));
    expect(account.days()).toContainEqual(['2026-03-09', 'booked', 5]);
  });
});

describe('an older gap', () => {
  it('that is refused stays a gap, and is requested again on another day', async () => {
    const answer = (query: DayQuery) =>
      query.from < '2026-02-01' ? { status: 400 } : everyDay(() => 5)(query);
    const account = await openStorageAccount({ answer, rules: { since: '2026-01-01' } });
    expect((await account.runAt(noon(0))).status).toBe('succeeded');
    expect(account.days()).toHaveLength(33);
    expect(account.rows(GAPS)).toHaveLength(36);
    const before = account.requestedRanges.length;
    expect(before).toBe(4);
    await account.runAt(noon(0, 4));
    expect(account.requestedRanges.slice(before)).toEqual(['2026-03-10..2026-03-10']);
    await account.runAt(noon(1));
    expect(account.requestedRanges.slice(before + 1)).toContain('2026-01-06..2026-02-05');
  });

  it('is stored before the next one is requested: a failure loses nothing', async () => {
    const failing = new Set(['2026-01-06']);
    const answer = (query: DayQuery) =>
      failing.has(query.from) ? { status: 500 } : everyDay(() => 5)(query);
    const account = await openStorageAccount({ answer, rules: { since: '2026-01-01' } });
    const summary = await account.runAt(noon(0));
    expect(summary).toMatchObject({ status: 'failed', failures: [{ packageId: null }] });
    const failed = account.requestedRanges.length;
    expect([...new Set(account.requestedRanges)]).toEqual([
      '2026-03-09..2026-03-10',
      '2026-02-06..2026-03-08',
      '2026-01-06..2026-02-05',
    ]);
    expect(account.days()).toHaveLength(33);
    failing.clear();
    await account.runAt(noon(0, 4));
    expect(account.requestedRanges.slice(failed)).toEqual([
      '2026-03-10..2026-03-10',
      '2026-01-06..2026-02-05',
      '2026-01-01..2026-01-05',
    ]);
    expect(account.days()).toHaveLength(69);
  });

  it('is not requested as long as today is not available', async () => {
    const account = await openStorageAccount({
      answer: () => ({ status: 403 }),
      rules: { since: '2026-01-01' },
    });
    await account.runAt(noon(0));
    expect(account.requestedRanges).toEqual(['2026-03-09..2026-03-10']);
    expect(account.rows(GAPS)).toEqual([]);
  });

  it('is not requested after the stop signal of a run', async () => {
    const account = await openStorageAccount({
      answer: (query) => {
        if (query.number === 2) account.stop();
        return everyDay(() => 5)(query);
      },
      rules: { since: '2026-01-01' },
    });
    expect(await account.runAt(noon(0))).toMatchObject({ status: 'interrupted', failures: [] });
    expect(account.requestedRanges).toHaveLength(2);
    expect(account.days()).toHaveLength(33);
    await account.runAt(noon(0, 4));
    expect(account.days()).toHaveLength(69);
  });
});

const NOON = '2026-03-10T03:00Z';
const steady = everyDay(() => 5);
const records = [1, 2, 3].map((id) => videoRecord(id));

/** Permanent failures of the service. */
const FAILURES: [string, Reply][] = [
  ['an HTTP error', { status: 403 }],
  ['a refusal', { body: '{"message":"no such account","data":{}}' }],
];

describe.each(FAILURES)('storage that fails with %s', (_name, reply) => {
  it('does not stop the packages, and succeeds at the next run', async () => {
    let isDown = true;
    const account = await openStorageAccount({
      answer: (query) => (isDown ? reply : steady(query)),
      packages: [101, 102],
      list: (request) => listPage(request, records),
    });
    const summary = await account.runAt(NOON);
    expect(summary.status).toBe('partial');
    expect(summary.failures).toMatchObject([{ account: 'main', packageId: null, untilMs: null }]);
    expect(summary.failures[0]?.message).toMatch(/^account main, storage 2026-03-09 to 2026-03-10: /);
    expect(account.rows('select account, package_id, stream, message from run_failure')).toEqual([
      { account: 'main', package_id: null, stream: 'storage', message: summary.failures[0]?.message },
    ]);
    expect(summary.storage).toEqual([]);
    expect(summary.walks.map((walk) => walk.status)).toEqual(['succeeded', 'succeeded']);
    expect(account.rows('select count(*) as videos from video')).toEqual([{ videos: 6 }]);
    expect(account.days()).toEqual([]);
    expect(account.rows('select * from storage_gap')).toEqual([]);
    isDown = false;
    expect(await account.runAt('2026-03-10T04:00Z')).toMatchObject({ status: 'succeeded', failures: [] });
    expect(account.days()).toHaveLength(2);
  });
});

describe('packages that fail', () => {
  it('do not stop the storage', async () => {
    const account = await openStorageAccount({
      answer: steady,
      packages: [101, 102],
      list: () => ({ status: 404 }),
    });
    const summary = await account.runAt(NOON);
    expect(summary.status).toBe('partial');
    expect(summary.failures.map(({ packageId }) => packageId).sort()).toEqual([101, 102]);
    expect(summary.storage).toMatchObject([{ booked: 1, live: true }]);
    expect(account.days()).toHaveLength(2);
  });

  it('and storage that fails make a failed run', async () => {
    const account = await openStorageAccount({
      answer: () => ({ status: 404 }),
      packages: [101],
      list: () => ({ status: 404 }),
    });
    expect(await account.runAt(NOON)).toMatchObject({ status: 'failed', storage: [] });
    expect(account.rows('select status from run')).toEqual([{ status: 'failed' }]);
  });
});

describe('a spent budget', () => {
  it('serves the storage first, and parks the work that does not fit', async () => {
    const account = await openStorageAccount({
      answer: steady,
      packages: [101],
      list: (request) => listPage(request, records),
      limits: { perDay: 1 },
    });
    const summary = await account.runAt(NOON);
    expect(summary).toMatchObject({
      status: 'parked',
      requests: 1,
      failures: [{ packageId: 101, untilMs: expect.any(Number) as number }],
    });
    expect(account.rows('select package_id, stream, kind from run_failure')).toEqual([
      { package_id: 101, stream: 'videos', kind: 'parked' },
    ]);
    expect(account.days()).toHaveLength(2);
    const next = await account.runAt('2026-03-10T04:00Z');
    expect(next).toMatchObject({ status: 'parked', requests: 0 });
    expect(account.requestedRanges).toHaveLength(1);
  });
});
