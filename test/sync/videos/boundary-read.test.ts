import { describe, expect, it } from 'vitest';
import { getMaxBoundaryReads, planBoundaryReads } from '../../../src/sync/videos/boundary-read.ts';
import { idsBetween, type PackageService } from '../../support/servers/test-service.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import type { TestPipeline } from '../../support/fixtures/open-pipeline.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';
import { lastWalk, openWalkedPackage } from '../../support/servers/walked-packages.ts';

function removed(pipeline: TestPipeline): number[] {
  return pipeline
    .query<{ id: number }>('select id from video where removed_at is not null order by id')
    .map(({ id }) => id);
}

/** The requests of the last run: page, page size and direction. */
function listRequests(service: PackageService): string[] {
  return service.requests.map(
    ({ query }) => `${query.get('page')}/${query.get('pagesize')} ${query.get('sort_direction')}`,
  );
}

/** Every list is in ascending order, whatever is requested. */
function ignoreDirection(service: PackageService): void {
  service.intercept = (request) => {
    if (request.query.get('sort_direction') === 'desc') request.query.set('sort_direction', 'asc');
    return undefined;
  };
}

/** A package that is walked once, and then changes. */
async function walked(ids: readonly number[], change: (service: PackageService) => void) {
  const { service, pipeline } = await openWalkedPackage(ids);
  pipeline.clock.advance(HOUR_MS);
  change(service);
  return { service, pipeline };
}

describe('a video between two pages', () => {
  it('is proved removed by one request with another page size', async () => {
    const { service, pipeline } = await walked(idsBetween(1, 17), (list) => list.remove(6));
    await pipeline.run();
    expect(removed(pipeline)).toEqual([6]);
    expect(listRequests(service)).toEqual(['4/5 asc', '3/5 asc', '2/5 asc', '1/5 asc', '2/4 asc']);
    expect(lastWalk(pipeline)).toMatchObject({ removed: 1, unsettled: 0, pages: 4 });
    expect(pipeline.query("select count(*) as n from request where purpose = 'boundary'")).toEqual([
      { n: 1 },
    ]);
  });

  it('is proved removed from the other end where the service has one page size', async () => {
    const { service, pipeline } = await walked(idsBetween(1, 17), (list) => {
      list.fixedPageSize = 5;
      list.remove(6);
    });
    await pipeline.run();
    expect(listRequests(service).slice(-2)).toEqual(['2/4 asc', '3/5 desc']);
    expect(removed(pipeline)).toEqual([6]);
  });

  it('remains without a boundary read, and is counted as unsettled', async () => {
    const { service, pipeline } = await walked(idsBetween(1, 16), (list) => {
      list.remove(6);
      list.intercept = ({ query }) => (query.get('pagesize') === '5' ? undefined : { status: 400 });
    });
    const summary = await pipeline.run();
    expect(summary.status).toBe('succeeded');
    expect(removed(pipeline)).toEqual([]);
    expect(lastWalk(pipeline)).toMatchObject({ unsettled: 1 });
    expect(service.requests.length).toBeGreaterThan(0);
  });

  it('is found where an old id was inserted below it during the walk', async () => {
    const { service, pipeline } = await walked(idsBetween(11, 30), (list) => list.add(3));
    service.beforeAnswer = ({ page }) => {
      if (page === 2) service.add(5); // moves the last record of page 2 to page 3, which has been read
    };
    service.edit(20, { title: 'moved past the walk' });
    await pipeline.run();
    expect(pipeline.query('select title from video where id = 20')).toEqual([
      { title: 'moved past the walk' },
    ]);
  });
});

/** Responds to the next boundary read of a smaller page, by `answer`. */
function answerBoundary(service: PackageService, answer: ReturnType<PackageService['intercept']>): void {
  let isFirst = true;
  service.intercept = ({ query }) => {
    if (query.get('pagesize') !== '4' || !isFirst) return undefined;
    isFirst = false;
    return answer;
  };
}

/** The body of a page of four in a list of 15, with these ids. */
const pageOfFour = (ids: readonly number[], page = 2) =>
  listBody({ records: ids.map((id) => videoRecord(id)), page, pagesize: 4, totalcount: 15, totalpage: 4 });

describe('the boundary reads of a walk', () => {
  /** Of the pages from the last one down, each begins with a removed id. */
  const EVERY_PAGE = [6, 12, 18, 24, 30];
  const countReads = (pipeline: TestPipeline) =>
    pipeline.query<{ n: number }>("select count(*) as n from request where purpose = 'boundary'")[0]?.n;

  it('are at most three in a short list', async () => {
    const { pipeline } = await walked(idsBetween(1, 41), (list) => list.remove(...EVERY_PAGE));
    await pipeline.run();
    expect(removed(pipeline)).toEqual([18, 24, 30]);
    expect(countReads(pipeline)).toBe(3);
    expect(lastWalk(pipeline)).toMatchObject({ unsettled: 2 });
  });

  it('are at most three also where the first read of a boundary shows nothing', async () => {
    const { pipeline } = await walked(idsBetween(1, 41), (list) => {
      list.remove(...EVERY_PAGE);
      list.intercept = ({ query }) => (query.get('pagesize') === '5' ? undefined : { body: pageOfFour([]) });
    });
    await pipeline.run();
    expect([removed(pipeline), countReads(pipeline)]).toEqual([[30], 3]);
  });

  it('ask for another page size once where the service has one', async () => {
    const { pipeline } = await walked(idsBetween(1, 41), (list) => {
      list.remove(...EVERY_PAGE);
      list.fixedPageSize = 5;
    });
    await pipeline.run();
    expect([removed(pipeline), countReads(pipeline)]).toEqual([[24, 30], 3]);
  });

  it('end with one that the service rejects', async () => {
    const { pipeline } = await walked(idsBetween(1, 41), (list) => {
      list.remove(...EVERY_PAGE);
      list.intercept = ({ query }) => (query.get('pagesize') === '5' ? undefined : { status: 400 });
    });
    await pipeline.run();
    expect([removed(pipeline), countReads(pipeline)]).toEqual([[], 1]);
    expect(lastWalk(pipeline)).toMatchObject({ status: 'succeeded', unsettled: 5 });
  });

  it('park the walk with one that the service restricts', async () => {
    const { service, pipeline } = await walked(idsBetween(1, 16), (list) => list.remove(6));
    answerBoundary(service, { status: 429, headers: { 'retry-after': '7200' } });
    await pipeline.run();
    expect(lastWalk(pipeline)).toMatchObject({ status: 'parked' });
  });

  it('count from the other end by the records of the list, where its own count is wrong', async () => {
    const { service, pipeline } = await walked(idsBetween(1, 20), (list) => {
      list.fixedPageSize = 5;
      list.extraCount = 1;
      list.remove(6);
    });
    await pipeline.run();
    expect(listRequests(service).slice(-1)).toEqual(['3/5 desc']);
    expect(removed(pipeline)).toEqual([6]);
  });

  it.each<[what: string, answer: ReturnType<PackageService['intercept']>, removed: number[], order: number]>([
    ['of another package', { packageId: 101, echo: { pkg: '999' } }, [], 0],
    ['without a known id', { body: pageOfFour([95, 96, 97, 98]) }, [], 0],
    ['without the record below', { body: pageOfFour([7, 8, 9, 10]) }, [6], 0],
    ['without a record', { body: pageOfFour([]) }, [6], 0],
    ['that is not sorted', { body: pageOfFour([5, 8, 7, 9]) }, [], 1],
  ])('prove nothing by a page %s', async (_what, answer, ids, order) => {
    const { service, pipeline } = await walked(idsBetween(1, 16), (list) => list.remove(6));
    answerBoundary(service, answer);
    await pipeline.run();
    expect(removed(pipeline)).toEqual(ids); // by the second read, from the other end
    expect(lastWalk(pipeline)).toMatchObject({ order_violated: order });
    expect(pipeline.query('select id from video where id > 90')).toEqual([]);
  });
});

describe('the end of a list', () => {
  it('is proved by the first page from the other end where the last page is full', async () => {
    const { service, pipeline } = await walked(idsBetween(1, 11), (list) => list.remove(11));
    await pipeline.run();
    expect(removed(pipeline)).toEqual([11]);
    expect(listRequests(service)).toEqual(['3/5 asc', '2/5 asc', '1/5 desc', '1/5 asc']);
  });

  it('costs one request where the last page is full, and none where it is not', async () => {
    const full = await walked(idsBetween(1, 10), () => undefined);
    await full.pipeline.run();
    expect(listRequests(full.service)).toEqual(['2/5 asc', '1/5 desc', '1/5 asc']);
    expect(lastWalk(full.pipeline)).toMatchObject({ status: 'succeeded', error: null, unchanged: 10 });
    const short = await walked(idsBetween(1, 9), () => undefined);
    await short.pipeline.run();
    expect(listRequests(short.service)).toEqual(['2/5 asc', '1/5 asc']);
  });

  it('is proved by a last page of another size also where none of its records can be stored', async () => {
    const { service, pipeline } = await walked([...idsBetween(1, 8), 11], (list) => {
      list.remove(11);
      list.add(9, 10);
      for (const id of [9, 10]) list.edit(id, { duration: '' });
    });
    ignoreDirection(service);
    await pipeline.run();
    expect(removed(pipeline)).toEqual([11]);
  });

  it('is not proved where the service has neither another direction nor another size', async () => {
    const { service, pipeline } = await walked(idsBetween(1, 11), (list) => {
      list.remove(11);
      list.fixedPageSize = 5;
    });
    ignoreDirection(service);
    await pipeline.run();
    expect(removed(pipeline)).toEqual([]);
    expect(listRequests(service)).toEqual([
      '3/5 asc',
      '2/5 asc',
      '1/5 asc',
      '3/4 asc',
      '3/5 asc', // from the other end, by another size, and the page behind the last
      '1/5 asc',
    ]);
    expect(lastWalk(pipeline)).toMatchObject({ status: 'succeeded', unsettled: 1, order_violated: 0 });
  });
});

describe('the plan of a boundary read', () => {
  it('uses the smaller page on which the boundary is deepest', () => {
    const [plan] = planBoundaryReads({ rank: 5000, length: 9000, pageSize: 1000, isSizeIgnored: false });
    expect(plan).toEqual({ page: 6, pageSize: 909, direction: 'asc' });
  });

  it('is limited by a share of the pages, and never less than three', () => {
    expect([
      getMaxBoundaryReads(0.05, 1000),
      getMaxBoundaryReads(0.05, 10),
      getMaxBoundaryReads(0, 1000),
    ]).toEqual([50, 3, 0]);
  });
});
