import { describe, expect, it } from 'vitest';
import { fromTimestamp, DAY_MS } from '../../src/lib/clock.ts';
import {
  openTestPipeline,
  type TestPipelineOptions,
  type TestPipeline,
} from '../support/fixtures/open-pipeline.ts';
import { startScriptedService, type Reply, type SeenRequest } from '../support/servers/scripted-service.ts';
import { listPage, videoRecord, serveEverything } from '../support/fixtures/service-responses.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const PACKAGES = [101, 102, 103, 104];
/**
 * Five records a page: three pages. A first walk sends four requests: one for the end of the list, and one
 * per page.
 */
const RECORDS = Array.from({ length: 14 }, (_, index) => videoRecord(index + 1));

interface RunRow {
  started_at: string;
  finished_at: string;
  origin_started_at: string | null;
  status: string;
  resume_at: string | null;
}

type Answer = (request: SeenRequest) => Reply | null;

/**
 * A service of four packages, each of three pages; `answers` overrides a response where it does not return
 * null.
 */
async function startService() {
  const state: { answer: Answer; from: number } = { answer: () => null, from: 0 };
  const service = await startScriptedService(
    serveEverything((request) => state.answer(request) ?? listPage(request, RECORDS)),
  );
  const listRequests = () => service.requests.slice(state.from).map(({ query }) => Number(query.get('pkg')));
  return {
    url: service.url,
    answer: (next: Answer) => void (state.answer = next),
    /** The packages requested since the last call, in the order of their first requests. */
    order: () => {
      const packages = [...new Set(listRequests())];
      state.from = service.requests.length;
      return packages;
    },
    pages: (packageId: number) =>
      service.requests
        .slice(state.from)
        .filter(({ query }) => Number(query.get('pkg')) === packageId)
        .map(({ query }) => Number(query.get('page'))),
  };
}

type Service = Awaited<ReturnType<typeof startService>>;

const open = (service: Service, options: Partial<TestPipelineOptions> = {}) =>
  openTestPipeline({ url: service.url, packages: PACKAGES, concurrency: 1, ...options });

const newestRun = (pipeline: TestPipeline): RunRow | undefined =>
  pipeline.query<RunRow>('select * from run order by run_id desc limit 1')[0];

const readWalks = (pipeline: TestPipeline, runId: number) =>
  pipeline.query(
    'select package_id, status, resumed, pages from walk where run_id = ? order by walk_id',
    runId,
  );

/** Demands a long wait at this request of the package, counted from 1. */
function restrictAt(packageId: number, nth: number): Answer {
  let count = 0;
  return ({ query }) => {
    const isIt = Number(query.get('pkg')) === packageId && ++count === nth;
    return isIt ? { status: 429, headers: { 'retry-after': '600' } } : null;
  };
}

/** Serves one package per run, so that this is the order of the longest unserved. */
async function setOrder(pipeline: TestPipeline, order: readonly number[]): Promise<void> {
  for (const packageId of order) await pipeline.run({ packages: [{ account: null, packageId }] });
}

describe('a run that is parked', () => {
  it('by a spent budget has its resume time, resumes there, and repeats no request', async () => {
    const service = await startService();
    const pipeline = open(service, { limits: { perDay: 7 } });
    const first = await pipeline.run();
    expect(first).toMatchObject({ status: 'parked', requests: 7 });
    const parked = newestRun(pipeline);
    expect(parked).toMatchObject({ status: 'parked', resume_at: '2026-03-11 12:00:01' });
    expect(readWalks(pipeline, first.runId)).toEqual([
      { package_id: 101, status: 'succeeded', resumed: 0, pages: 3 },
      { package_id: 102, status: 'parked', resumed: 0, pages: 2 },
    ]);
    expect(service.order()).toEqual([101, 102]);
    pipeline.clock.set(fromTimestamp(parked?.resume_at ?? ''));
    const second = await pipeline.run({ resumesFrom: parked?.started_at ?? null });
    expect(readWalks(pipeline, second.runId)).toMatchObject([
      { package_id: 102, status: 'succeeded', resumed: 1 },
      { package_id: 103, status: 'succeeded', resumed: 0 },
      { package_id: 104, status: 'parked', resumed: 0 },
    ]);
    expect(service.pages(102)).toEqual([2, 1]);
    expect(service.order()).toEqual([102, 103, 104]);
    expect(newestRun(pipeline)).toMatchObject({ status: 'parked', origin_started_at: parked?.started_at });
  });

  it('several times resumes the first of them, and succeeds when the last package is done', async () => {
    const service = await startService();
    const pipeline = open(service, { limits: { perDay: 5 } });
    await pipeline.run();
    const origin = newestRun(pipeline)?.started_at ?? null;
    const orders = [service.order()];
    for (let day = 1; day <= 4; day++) {
      pipeline.clock.advance(DAY_MS + 1000);
      await pipeline.run({ resumesFrom: origin });
      orders.push(service.order());
    }
    expect(orders).toEqual([[101, 102], [102, 103], [103, 104], [104], []]);
    expect(pipeline.query('select status, resume_at is null as is_over from run order by run_id')).toEqual([
      ...Array<object>(3).fill({ status: 'parked', is_over: 0 }),
      ...Array<object>(2).fill({ status: 'succeeded', is_over: 1 }),
    ]);
    expect(pipeline.query('select count(*) as videos from video')).toEqual([{ videos: 56 }]);
  });

  it('by the service has the resume time of the service', async () => {
    const service = await startService();
    const pipeline = open(service);
    service.answer(restrictAt(102, 3));
    const first = await pipeline.run();
    expect(first.status).toBe('parked');
    const parked = newestRun(pipeline);
    const waitMs = fromTimestamp(parked?.resume_at ?? '') - fromTimestamp(parked?.finished_at ?? '');
    expect(waitMs).toBeGreaterThanOrEqual(599_000);
    expect(waitMs).toBeLessThanOrEqual(601_000);
    expect(service.order()).toEqual([101, 102]);
    pipeline.clock.set(fromTimestamp(parked?.resume_at ?? ''));
    const second = await pipeline.run({ resumesFrom: parked?.started_at ?? null });
    expect(second.status).toBe('succeeded');
    expect(readWalks(pipeline, second.runId)[0]).toMatchObject({ package_id: 102, resumed: 1 });
    expect(service.order()).toEqual([102, 103, 104]);
  });

  it('leaves a package that failed to the next run from the start', async () => {
    const service = await startService();
    const pipeline = open(service);
    const isParked = restrictAt(103, 1);
    service.answer((request) => (request.query.get('pkg') === '101' ? { status: 404 } : isParked(request)));
    expect((await pipeline.run()).status).toBe('partial');
    const parked = newestRun(pipeline);
    expect(parked?.resume_at).not.toBeNull();
    expect(service.order()).toEqual([101, 104, 102, 103]); // after a first failure, the package served most recently is next
    pipeline.clock.advance(700_000);
    await pipeline.run({ resumesFrom: parked?.started_at ?? null });
    expect(service.order()).toEqual([103]);
  });
});

describe('the queue of the packages', () => {
  const LINE = [103, 101, 104, 102];

  it('preserves the position of a package that was parked, however often: it is first again', async () => {
    const service = await startService();
    const pipeline = open(service);
    await setOrder(pipeline, LINE);
    service.order();
    for (const expected of [[103, 101], [101], [101]]) {
      service.answer(restrictAt(101, 2));
      await pipeline.run();
      expect(service.order()).toEqual(expected);
      pipeline.clock.advance(10_000_000);
    }
    service.answer(() => null);
    await pipeline.run();
    expect(service.order()).toEqual([101, 104, 102, 103]);
  });

  it('preserves the position of a package that failed once, behind one that did not, and moves it to the end at its next failure', async () => {
    const service = await startService();
    const pipeline = open(service);
    await setOrder(pipeline, LINE);
    service.order();
    const failThenPark = (parkedAt: number) => {
      const isParked = restrictAt(parkedAt, 1);
      service.answer((request) => (request.query.get('pkg') === '103' ? { status: 404 } : isParked(request)));
    };
    failThenPark(104);
    await pipeline.run();
    expect(service.order()).toEqual([103, 102, 101, 104]);
    pipeline.clock.advance(700_000);
    failThenPark(102);
    await pipeline.run();
    expect(service.order()).toEqual([104, 103, 102]);
    pipeline.clock.advance(3_600_000);
    service.answer(() => null);
    await pipeline.run();
    expect(service.order()).toEqual([102, 101, 104, 103]);
  });

  it('has a package whose process was killed twice at the end: it may be the cause', async () => {
    const service = await startService();
    const folder = temporaryFolder();
    let pipeline = open(service, { folder });
    await setOrder(pipeline, LINE);
    service.order();
    for (const expected of [[103], [101, 103]]) {
      service.answer(({ query }) => {
        if (query.get('pkg') === '103') pipeline.crash();
        return null;
      });
      await expect(pipeline.run()).rejects.toThrow();
      expect(service.order()).toEqual(expected);
      pipeline.close();
      pipeline = open(service, { folder });
    }
    service.answer(() => null);
    await pipeline.run();
    expect(service.order()).toEqual([104, 102, 101, 103]);
  });

  it('has never two failed packages in a row while there is another one: a few dead ones do not stop the account', async () => {
    const service = await startService();
    const dead = [101, 102, 103, 104];
    const alive = [201, 202, 203, 204, 205, 206];
    const pipeline = open(service, { packages: [...dead, ...alive] });
    service.answer(({ query }) => (dead.includes(Number(query.get('pkg'))) ? { status: 404 } : null));
    await pipeline.run();
    service.order();
    for (let runs = 0; runs < 4; runs++) {
      pipeline.clock.advance(3_600_000);
      await pipeline.run();
      expect(service.order()).toEqual(expect.arrayContaining(alive));
    }
  });
});
