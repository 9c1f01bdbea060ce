import { describe, expect, it } from 'vitest';
import { listPage, videoRecord } from '../../support/fixtures/service-responses.ts';
import { everyDay, openStorageAccount } from '../../support/servers/storage-account.ts';
import type { Reply } from '../../support/servers/scripted-service.ts';

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
    expect(summary.failures).toMatchObject([{ account: 'main', packageId: null, parked: false }]);
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
      failures: [{ packageId: 101, parked: true }],
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
