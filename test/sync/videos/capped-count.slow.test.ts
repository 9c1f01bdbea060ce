import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { openTestPipeline } from '../../support/fixtures/open-pipeline.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';
import { idsBetween, startPackageService, type PackageService } from '../../support/servers/test-service.ts';
import { lastWalk, liveIds, runQuick } from '../../support/servers/walked-packages.ts';

type Change = (service: PackageService) => void;

/** A package of so many videos in pages of five, whose service stops counting at `most`. It is walked once. */
async function openCapped(
  videos: number,
  most: Partial<PackageService['most']>,
  change: Change = () => undefined,
) {
  const service = await startPackageService(idsBetween(1, videos));
  Object.assign(service.most, most);
  change(service);
  const pipeline = openTestPipeline({ url: service.url, silent: true, removalBrake: 0.2 });
  /** A full walk an hour later. */
  const walk = async () => {
    pipeline.clock.advance(HOUR_MS);
    service.requests.length = 0;
    await pipeline.run();
    return lastWalk(pipeline);
  };
  return { service, pipeline, walk, first: await walk() };
}

const AT_20 = { totalcount: 20 };
const IN_4_PAGES = { totalpage: 4 };

/** The requests of the last run: page and direction. */
const listRequests = (service: PackageService) =>
  service.requests.map(({ query }) => `${query.get('page')} ${query.get('sort_direction')}`);

/** Pages behind number 4 are answered so, from either end. */
const endAtPage4 =
  (reply: ReturnType<PackageService['intercept']>): Change =>
  (service) => {
    service.intercept = ({ page }) => (page > 4 ? reply : undefined);
  };
const ignoreDirection: Change = (service) => {
  service.intercept = ({ query }) => {
    if (query.get('sort_direction') === 'desc') query.set('sort_direction', 'asc');
    return undefined;
  };
};

describe('a list that is longer than its count', () => {
  it.each<[what: string, videos: number, most: Partial<PackageService['most']>, change?: Change]>([
    ['by one video', 21, AT_20],
    ['by less than a page', 23, AT_20],
    ['by whole pages', 40, AT_20],
    ['by more than it counts', 93, AT_20],
    ['of a single page', 9, { totalcount: 5 }],
    ['and counts part of a page', 60, { totalcount: 18 }],
    ['and counts part of its last page', 24, { totalcount: 21 }],
    ['and has as many pages as it counts', 36, AT_20, endAtPage4({ status: 400 })],
    ['and has one order', 33, AT_20, ignoreDirection],
    ['and has one order, and ends with a full page', 40, AT_20, ignoreDirection],
    [
      'and has one order and one page size',
      38,
      AT_20,
      (service) => {
        service.fixedPageSize = 5;
        ignoreDirection(service);
      },
    ],
    ['in its number of pages', 23, IN_4_PAGES],
    ['in its number of pages, and rejects others', 23, IN_4_PAGES, endAtPage4({ status: 400 })],
    [
      'in its number of pages, and has others empty',
      23,
      IN_4_PAGES,
      endAtPage4({ body: listBody({ records: [], page: 5, pagesize: 5, totalcount: 23, totalpage: 4 }) }),
    ],
    [
      'in its number of pages, and returns the last one for others',
      23,
      IN_4_PAGES,
      (service) => {
        service.beforeAnswer = ({ page, query }) => {
          if (page > 4) query.set('page', '4');
        };
      },
    ],
  ])('%s is read completely by full walks and by quick ones', async (_what, videos, most, change) => {
    const { service, pipeline, walk, first } = await openCapped(videos, most, change);
    expect(first).toMatchObject({ status: 'succeeded', added: videos });
    for (const again of [await walk(), await walk()]) {
      expect(again).toMatchObject({
        status: 'succeeded',
        added: 0,
        removed: 0,
        held_back: 0,
        unsettled: 0,
      });
    }
    service.add(201, 202, 203);
    await runQuick({ service, pipeline });
    expect(liveIds(pipeline)).toEqual([...idsBetween(1, videos), 201, 202, 203]);
    expect(await walk()).toMatchObject({ status: 'succeeded', added: 0, removed: 0, held_back: 0 });
  });

  it('costs a full walk the pages above the count, and a quick one the first page from the other end', async () => {
    const { service, pipeline, walk } = await openCapped(38, AT_20);
    await walk();
    const above = ['1 desc', '2 desc', '3 desc', '4 desc'];
    expect(listRequests(service)).toEqual(['4 asc', ...above, '3 asc', '2 asc', '1 asc']);
    await runQuick({ service, pipeline });
    expect(listRequests(service)).toEqual(['4 asc', '1 desc']);
    expect(pipeline.query("select * from walk where mode = 'quick'")).toEqual([]);
  });

  it('loses the videos that are removed, above the count and below it', async () => {
    const { service, pipeline, walk } = await openCapped(38, AT_20);
    service.remove(8, 22, 37, 38);
    expect(await walk()).toMatchObject({ status: 'succeeded', removed: 4, held_back: 0 });
    service.remove(36);
    service.add(50);
    await runQuick({ service, pipeline });
    expect(liveIds(pipeline)).toEqual([...service.records.keys()]);
  });

  it('is read by quick walks where it grew beyond the count', async () => {
    const { service, pipeline } = await openCapped(18, AT_20);
    for (const ids of [idsBetween(19, 21), idsBetween(22, 45), [46]]) {
      service.add(...ids);
      const { summary } = await runQuick({ service, pipeline });
      expect(summary.walks).toMatchObject([{ status: 'succeeded', added: ids.length, removed: 0 }]);
    }
  });

  it('keeps known videos where the service begins to stop', async () => {
    const { service, pipeline, walk } = await openCapped(43, {});
    service.most.totalcount = 20;
    await runQuick({ service, pipeline });
    expect(await walk()).toMatchObject({ status: 'succeeded', removed: 0, held_back: 0, unsettled: 0 });
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 43));
  });
});

describe('a list that cannot be read to its end', () => {
  const PART = [...idsBetween(1, 20), ...idsBetween(41, 60)];
  const MESSAGE = 'the count of 20 is too low: id 60 is listed, not all above 20 was read';

  it('makes the walk partial, with the count and what was seen, and keeps what was read', async () => {
    const { pipeline, walk, first } = await openCapped(60, AT_20, endAtPage4({ status: 400 }));
    expect(first).toMatchObject({ status: 'partial', error: MESSAGE });
    for (const again of [await walk(), await walk()]) {
      expect(again).toMatchObject({
        status: 'partial',
        error: MESSAGE,
        added: 0,
        removed: 0,
        held_back: 0,
      });
    }
    expect(liveIds(pipeline)).toEqual(PART);
  });

  it('is read further where the list goes on upward', async () => {
    const { pipeline, first } = await openCapped(60, AT_20, (service) => {
      service.intercept = ({ page, isDescending }) =>
        isDescending && page > 4 ? { status: 400 } : undefined;
    });
    expect(first).toMatchObject({ status: 'succeeded', added: 60 });
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 60));
  });

  it('makes the walk partial that resumes one stopped above the count, and is not begun again by it', async () => {
    const { service, pipeline, walk } = await openCapped(60, AT_20);
    service.beforeAnswer = ({ page, isDescending }) => {
      if (isDescending && page === 3) pipeline.stop();
    };
    expect(await walk()).toMatchObject({ status: 'interrupted' });
    const resumed = await walk();
    expect(resumed).toMatchObject({ resumed: 1, status: 'partial', error: MESSAGE });
    expect(listRequests(service)).toEqual(['4 asc', '3 asc', '2 asc', '1 asc']);
    service.beforeAnswer = () => undefined;
    expect(await walk()).toMatchObject({ status: 'succeeded' });
  });
});

describe('the page from the other end', () => {
  const other = (ids: readonly number[]) => ({
    body: listBody({
      records: ids.toReversed().map((id) => videoRecord(id)),
      sort_direction: 'DESC',
      page: 1,
      pagesize: 5,
      totalcount: 5,
      totalpage: 1,
    }),
  });

  it.each([
    ['of another package, with higher ids', other(idsBetween(901, 905))],
    ['that names another package', { packageId: 1, echo: { pkg: '999' } }],
    ['that the service rejects', { status: 400 }],
  ])('changes nothing where it is one %s', async (_what, answer) => {
    const { service, pipeline, walk } = await openCapped(20, {});
    let isFirst = true;
    service.intercept = ({ isDescending }) => {
      if (!isDescending || !isFirst) return undefined;
      isFirst = false;
      return answer;
    };
    expect(await walk()).toMatchObject({ status: 'succeeded', error: null, added: 0 });
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 20));
  });
});
