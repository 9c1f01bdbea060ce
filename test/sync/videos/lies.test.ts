import { describe, expect, it } from 'vitest';
import { idsBetween, startPackageService, type PackageService } from '../../support/servers/test-service.ts';
import { openTestPipeline } from '../../support/fixtures/open-pipeline.ts';
import {
  liveIds,
  openWalkedPackage,
  openWalkedAccount,
  firstFailure,
  OF_102,
} from '../../support/servers/walked-packages.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';

const IDS = idsBetween(1, 48);
const PAGES = 10;

/** The wrong response in the place of an honest page of five. */
interface Lie {
  name: string;
  /** Paging and records for the requested page; missing members stay honest. */
  answer: (page: number) => { ids?: readonly number[]; paging?: Record<string, number> };
  /** The status of the walk, and its message. */
  status: string;
  message: RegExp;
  /** The allowed requests: every page once, and the additional ones. */
  requests: number;
  stored?: number;
}

const honest = (page: number) => IDS.slice((page - 1) * 5, page * 5);
const always = (paging: Record<string, number>) => () => ({ paging });

const LIES: Lie[] = [
  {
    name: 'the same page again and again, under its own number',
    answer: () => ({ ids: honest(1), paging: { page: 1 } }),
    status: 'partial',
    message: /page 1 came for page/,
    requests: PAGES + 4,
  },
  {
    name: 'the same page again and again, under the number asked for',
    answer: () => ({ ids: honest(9) }),
    status: 'partial',
    message: /came with nothing but records of page/,
    requests: PAGES + 6,
  },
  {
    name: 'a page number that is one too low',
    answer: (page) => ({ paging: { page: page - 1 } }),
    status: 'partial',
    message: /page \d+ came for page \d+/,
    requests: PAGES + 4,
  },
  {
    name: 'too many pages',
    answer: always({ totalpage: 14 }),
    status: 'succeeded',
    message: /10 pages prove no removal \(14 pages for 48 records\)/,
    requests: PAGES + 6,
  },
  {
    name: 'too few pages',
    answer: always({ totalpage: 8 }),
    status: 'succeeded',
    message: /10 pages prove no removal \(8 pages for 48 records\)/,
    requests: PAGES + 1,
  },
  {
    name: 'no pages at all',
    answer: always({ totalpage: 0 }),
    status: 'succeeded',
    message: /10 pages prove no removal \(0 pages for 48 records\)/,
    requests: PAGES + 1,
  },
  {
    name: 'a thousand million pages',
    answer: always({ totalpage: 1_000_000_000 }),
    status: 'succeeded',
    message: /10 pages prove no removal \(1000000000 pages for 48 records\)/,
    requests: PAGES + 40,
  },
  {
    name: 'a thousand million pages, and as many records',
    answer: always({ totalpage: 1_000_000_000, totalcount: 5_000_000_000 }),
    status: 'partial',
    message: /page 1000000000 came with 0 of 5 records|page 10 came with 3 of 5 records/,
    requests: PAGES + 40,
  },
  {
    name: 'an empty page in the middle',
    answer: (page) => (page === 4 ? { ids: [] } : {}),
    status: 'partial',
    message: /page 4 came with 0 of 5 records/,
    requests: PAGES + 4,
    stored: 43,
  },
  {
    name: 'an id twice on a page',
    answer: (page) => (page === 4 ? { ids: [16, 17, 17, 19, 20] } : {}),
    status: 'succeeded',
    message: /1 page proves no removal \(an id twice\)/,
    requests: PAGES + 1,
    stored: 47,
  },
  {
    name: 'an id on two pages',
    answer: (page) => (page === 4 ? { ids: [16, 17, 18, 19, 21] } : {}),
    status: 'succeeded',
    message: /1 page proves no removal \(1 record of page 5 seen again/,
    requests: PAGES + 1,
    stored: 47,
  },
  {
    name: 'pages in no order',
    answer: (page) => ({ ids: honest(page).toReversed() }),
    status: 'succeeded',
    message: /not sorted by id: nothing is marked removed/,
    requests: PAGES + 1,
  },
  {
    name: 'pages that are sorted each, but not among each other',
    answer: (page) => (page === PAGES ? {} : { ids: [0, 9, 18, 27, 36].map((step) => page + step) }),
    status: 'succeeded',
    message: /not sorted by id: nothing is marked removed/,
    requests: PAGES + 1,
  },
];

function applyLie(service: PackageService, { answer }: Lie): void {
  service.intercept = ({ page, query }) => {
    const { ids = honest(page), paging = {} } = answer(page);
    if (query.get('sort_direction') === 'desc') return { status: 400 };
    const records = ids.map((id) => videoRecord(id));
    return { body: listBody({ records, page, pagesize: 5, totalcount: 48, totalpage: 10, ...paging }) };
  };
}

describe('a service that reports', () => {
  it.each(LIES)('$name costs few requests, is reported, and removes nothing', async (each) => {
    const { service, pipeline } = await openWalkedPackage(IDS);
    pipeline.clock.advance(HOUR_MS);
    applyLie(service, each);
    const [walk] = (await pipeline.run()).walks;
    expect(walk).toMatchObject({ status: each.status, error: expect.stringMatching(each.message) as string });
    expect(service.requests.length).toBeLessThanOrEqual(each.requests);
    expect(pipeline.query('select id from video where removed_at is not null')).toEqual([]);
    expect(pipeline.query('select id from removal_candidate')).toEqual([]);
  });

  it.each(LIES)('$name in a first walk stores its records', async (each) => {
    const service = await startPackageService([]);
    applyLie(service, each);
    const pipeline = openTestPipeline({ url: service.url });
    const [walk] = (await pipeline.run()).walks;
    expect(walk).toMatchObject({ status: each.status, error: expect.stringMatching(each.message) as string });
    expect(service.requests.length).toBeLessThanOrEqual(each.requests + 1);
    const stored = pipeline.query<{ n: number }>('select count(*) as n from video')[0]?.n ?? 0;
    const shown = new Set(
      Array.from({ length: PAGES }, (_, index) => each.answer(index + 1).ids ?? honest(index + 1)).flat(),
    );
    expect(stored).toBe(each.stored ?? shown.size);
  });
});

describe('a count of half the list', () => {
  it.each([
    ['from the other end', undefined],
    ['upward, where the service has one direction', { status: 400 }],
  ])('removes none of the omitted videos, and they are read %s', async (_, descending) => {
    const { service, pipeline } = await openWalkedPackage(IDS);
    service.extraCount = -23;
    service.intercept = ({ query }) => (query.get('sort_direction') === 'desc' ? descending : undefined);
    const [walk] = (await pipeline.run()).walks;
    expect(walk).toMatchObject({ status: 'succeeded', added: 0, removed: 0, unsettled: 0 });
    expect(liveIds(pipeline)).toEqual(IDS);
  });
});

describe('a response that echoes', () => {
  const CASES: [string, Record<string, unknown>, RegExp][] = [
    ['another package', { pkg: 101 }, /its response says that it is one of package 101/],
    ['another package, as text', { pkg: '101' }, /its response says that it is one of package 101/],
    ['a search', { keyword: 'cats', search_item: 'title' }, /echoes a keyword that was not requested/],
  ];

  it.each(CASES)('%s is fetched again; if it is repeated, it is not stored', async (_, echo, message) => {
    const { service, run, live, leftovers } = await openWalkedAccount({ 102: OF_102 });
    let left = 1;
    service.intercept = () => (left-- > 0 ? { packageId: 102, echo, only: (id) => id < 100 } : undefined);
    expect((await run()).failures).toEqual([]);
    expect([live(102), leftovers(), service.takePages(102)]).toEqual([OF_102, [], [1, 1]]);
    left = 2;
    expect(firstFailure(await run())).toMatchObject({ message: expect.stringMatching(message) as string });
    expect([live(102), leftovers()]).toEqual([OF_102, []]);
  });

  it.each([[{ fromDate: '2026-01-01', toDate: '2026-12-31' }], [{ search_item: 'title' }]])(
    '%j without a keyword is stored: the service may always echo it',
    async (echo) => {
      const { service, run, live, leftovers } = await openWalkedAccount({ 102: OF_102 });
      service.intercept = () => ({ packageId: 102, echo });
      service.getPackage(102).add(5000);
      expect((await run()).failures).toEqual([]);
      expect([live(102), leftovers(), service.takePages(102)]).toEqual([[...OF_102, 5000], [], [1]]);
    },
  );

  it('is not stored either where the bytes of the page are known', async () => {
    const { service, run } = await openWalkedAccount({ 102: OF_102 });
    service.intercept = () => ({ packageId: 102, echo: { keyword: 'x' } });
    expect(firstFailure(await run())?.message).toContain('keyword');
  });

  it.each([[{ pkg: 102 }], [{ pkg: '102' }], [{ pkg: '' }], [{ pkg: null, keyword: null, fromDate: ' ' }]])(
    '%j is the expected response',
    async (echo) => {
      const { service, run } = await openWalkedAccount({ 102: OF_102 });
      service.intercept = () => ({ packageId: 102, echo });
      service.getPackage(102).add(5000);
      expect((await run()).failures).toEqual([]);
      expect(service.takePages(102)).toEqual([1]);
    },
  );
});
