import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { openTestPipeline } from '../support/fixtures/open-pipeline.ts';
import {
  listPage,
  listRefusal,
  STORAGE,
  storageDays,
  videoRecord,
} from '../support/fixtures/service-responses.ts';
import { startScriptedService, type Reply } from '../support/servers/scripted-service.ts';

const PACKAGES = [101, 102, 103, 104, 105, 106, 107, 108];

interface ListRequest {
  id: number;
  page: number;
}

/** Replies to a request for the video list instead of the service; null: the service replies. */
type Override = (request: ListRequest) => Reply | null;

/**
 * An account of eight packages of this many videos, five a page. `requested`: the packages asked, in their
 * order.
 */
async function openAccount(videos = 3, packages: readonly number[] = PACKAGES) {
  let override: Override = () => null;
  let requests: ListRequest[] = [];
  const records = () => Array.from({ length: videos }, (_, index) => videoRecord(index + 1));
  const service = await startScriptedService((request) => {
    if (request.path === STORAGE) return storageDays(request);
    const asked = { id: Number(request.query.get('pkg')), page: Number(request.query.get('page')) };
    requests.push(asked);
    return override(asked) ?? listPage(request, records());
  });
  const pipeline = openTestPipeline({
    url: service.url,
    packages,
    storage: {},
    concurrency: 1,
    silent: true,
  });
  return {
    shrinkTo: (count: number) => void (videos = count),
    run: async (next: Override) => {
      override = next;
      requests = [];
      const summary = await pipeline.run();
      pipeline.clock.advance(HOUR_MS);
      return { ...summary, requested: requests.map(({ id }) => id), pages: requests.map(({ page }) => page) };
    },
  };
}

const REFUSALS: [string, Reply][] = [
  ['HTTP 401', { status: 401 }],
  ['HTTP 403', { status: 403 }],
  ['errorInfo', listRefusal('InvalidKey', 'no such key')],
];

describe.each(REFUSALS)('a key that is refused by %s', (_, refusal) => {
  it('costs two requests of the video list, whatever the storage answers', async () => {
    const { run } = await openAccount();
    for (let runs = 0; runs < 2; runs++) {
      const { status, requested, storage, failures } = await run(() => refusal);
      expect(requested).toHaveLength(2);
      expect(new Set(requested).size).toBe(2);
      expect(status).toBe('partial');
      expect(storage).toHaveLength(1);
      expect(failures.at(-1)?.message).toMatch(
        /: 6 packages were not requested in this run: refusal \(.*\), 2 times/,
      );
    }
  });

  it('costs three at most where it was right, and packages have several pages', async () => {
    const { run } = await openAccount(12);
    await run(() => null);
    const { requested, failures } = await run(() => refusal);
    expect(requested.length).toBeLessThanOrEqual(3);
    expect(failures.at(-1)?.message).toContain('packages were not requested in this run');
    expect(await run(() => null)).toMatchObject({ status: 'succeeded', packagesDone: 8 });
  });

  it.each([[[101]], [[101, 102]], [[102, 104, 106, 108]]])(
    'is not what packages %j are that are refused among others, in any run',
    async (dead) => {
      const { run } = await openAccount();
      for (let runs = 0; runs < 3; runs++) {
        const { packagesDone, failures } = await run(({ id }) => (dead.includes(id) ? refusal : null));
        expect(packagesDone).toBe(8 - dead.length);
        expect(failures.map(({ packageId }) => packageId).sort()).toEqual(dead);
      }
    },
  );
});

describe('a single refusal by errorInfo', () => {
  it.each([
    ['of the first package', 1, 3],
    ['of the first package, which has several pages', 1, 12],
    ['of a later one', 4, 3],
  ])('%s is repeated in the same run', async (_, nth, videos) => {
    const { run } = await openAccount(videos);
    await run(() => null);
    let requests = 0;
    const { status, packagesDone } = await run(() => (++requests === nth ? listRefusal('Busy') : null));
    expect({ status, packagesDone }).toEqual({ status: 'succeeded', packagesDone: 8 });
  });

  it('of the only package is repeated', async () => {
    const { run } = await openAccount(3, [101]);
    let requests = 0;
    expect((await run(() => (++requests === 1 ? listRefusal('Busy') : null))).status).toBe('succeeded');
  });
});

it('a service that refuses pages beyond the end does not refuse the key: every list became shorter', async () => {
  const { run, shrinkTo } = await openAccount(12);
  await run(() => null);
  shrinkTo(3);
  const { status, packagesDone } = await run(({ page }) => (page > 1 ? listRefusal('InvalidPage') : null));
  expect({ status, packagesDone }).toEqual({ status: 'succeeded', packagesDone: 8 });
});

it('a key that becomes wrong defers the walks that wait for another turn: only three fail', async () => {
  const records = Array.from({ length: 200 }, (_, index) => videoRecord(index + 1));
  let refused = 0;
  const { url } = await startScriptedService((request) => {
    const { query } = request;
    const isWrong = refused > 0 || (query.get('pkg') === '108' && query.get('page') === '180');
    if (!isWrong) return listPage(request, records);
    refused++;
    return { status: 401 };
  });
  const pipeline = openTestPipeline({ url, packages: PACKAGES, pageSize: 1, silent: true, concurrency: 1 });
  const { walks } = await pipeline.run();
  expect(refused).toBe(3);
  expect(walks.filter(({ status }) => status === 'parked').length).toBeGreaterThanOrEqual(2);
});
