import { describe, expect, it, onTestFinished } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { getStorage, getVideos } from '../support/servers/plain-catalogue.ts';
import { createMirrored } from '../support/servers/mirrored-warehouse.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';

const KEY = 'test-key';
const UNUSED = { search_item: '', keyword: '', filter: 'all', sort_item: '', sort_direction: '' };
const NOTHING = { page: 0, pagesize: 0, totalcount: 0, totalpage: 0 };

/** A sandbox of 45 videos, and a warehouse that was synced from it and is served back. */
async function openBoth() {
  const clock = createVirtualClock('2026-03-10T03:00:00Z');
  const packages = [
    { id: 101, videos: 45 },
    { id: 103, videos: 0 },
  ];
  const sandbox = createSandbox({ clock, packages, keys: [KEY], storageAuth: 'query' });
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  const options = { clock, since: '2026-03-05', packages: [101, 103], pageSize: 20 };
  const mirrored = createMirrored({ url, ...options, storageAuth: 'query', server: { keys: [KEY] } });
  expect((await mirrored.sync()).status).toBe('succeeded');
  return { sandbox: url, mirror: await mirrored.serve() };
}

/** A query, and the expected envelope. */
const LISTS: [query: string, expected: object][] = [
  ['', { paging: { page: 1, pagesize: 20, totalcount: 45, totalpage: 3 }, apiVideoSearchOption: UNUSED }],
  ['page=0', { paging: { page: 1 } }],
  ['page=-1', { paging: { page: 1 } }],
  ['page=4', { paging: { page: 4, totalcount: 45, totalpage: 3 }, videoInfoList: [] }],
  ['page=99999999999', { paging: { page: 2_147_483_647 }, videoInfoList: [] }],
  ['pagesize=0', { paging: { pagesize: 20 } }],
  ['pagesize=5000', { paging: { pagesize: 1000, totalpage: 1 } }],
  ['keyword=x', { paging: { totalcount: 45 }, apiVideoSearchOption: UNUSED }],
  ['search_item=title', { paging: { totalcount: 45 }, apiVideoSearchOption: UNUSED }],
  ['search_item=title&keyword=%25', { apiVideoSearchOption: { search_item: 'title', keyword: '%' } }],
  ['pkg=103', { paging: { page: 1, totalcount: 0, totalpage: 0 }, videoInfoList: [] }],
  [
    'sort_item=title&sort_direction=asc',
    { apiVideoSearchOption: { sort_item: 'title', sort_direction: 'ASC' } },
  ],
  [
    'filter=none&fromDate=2026-01-01',
    { paging: { totalcount: 45 }, apiVideoSearchOption: { filter: 'all' } },
  ],
];

const REFUSALS: [query: string, errorCode: string][] = [
  ['key=wrong', 'InvalidKey'],
  ['key=', 'InvalidKey'],
  ['pkg=', 'InvalidParameter'],
  ['pkg=one', 'InvalidParameter'],
  ['sort_item=cdate', 'InvalidParameter'],
  ['sort_direction=ASC', 'InvalidParameter'],
  ['search_item=id&keyword=1', 'InvalidParameter'],
  ['pkg=999', 'PackageNotFound'],
];

const DAYS: [query: string, days: number, message: string][] = [
  ['sdate=2026-03-05&edate=2026-03-09', 5, 'success'],
  ['sdate=2026-03-05&edate=2026-03-09&sort_direction=desc', 5, 'success'],
  ['sdate=2026-03-09&edate=2026-03-05', 0, 'success'],
  ['sdate=2026-03-11&edate=2026-03-20', 0, 'success'],
  ['sdate=2026-03-05', 0, 'edate: is missing'],
  ['sdate=2026-02-30&edate=2026-03-05', 0, 'sdate: "2026-02-30" is not a calendar date yyyy-mm-dd'],
  ['key=wrong&sdate=2026-03-05&edate=2026-03-09', 0, 'the key is missing or unknown'],
];

/** With the key and the package, unless the query has them: the first one counts. */
const fetchList = (url: string, query: string) =>
  getVideos(`${url}/info/v1/videos.json?${query}&key=${KEY}&pkg=101`);

describe('behaviour that docs/service.md leaves open is the same from sandbox and warehouse', () => {
  it('of lists', async () => {
    const { sandbox, mirror } = await openBoth();
    for (const [query, expected] of LISTS) {
      const list = await fetchList(mirror, query);
      expect(list, query).toMatchObject({ errorInfo: { errorCode: 'None', errorMessage: '' }, ...expected });
      expect(list, query).toEqual(await fetchList(sandbox, query));
    }
  });

  it('of rejected lists', async () => {
    const { sandbox, mirror } = await openBoth();
    for (const [query, errorCode] of REFUSALS) {
      const list = await fetchList(mirror, query);
      expect(list, query).toMatchObject({ errorInfo: { errorCode }, videoInfoList: [], paging: NOTHING });
      expect(list, query).toEqual(await fetchList(sandbox, query));
    }
  });

  it('of storage', async () => {
    const { sandbox, mirror } = await openBoth();
    for (const [query, days, message] of DAYS) {
      const { body } = await getStorage(mirror, `${query}&key=${KEY}`);
      expect(body.message, query).toBe(message);
      expect(body.data.list, query).toHaveLength(days);
      expect(body, query).toEqual((await getStorage(sandbox, `${query}&key=${KEY}`)).body);
    }
  });
});

describe('storage from the warehouse', () => {
  it('has the last reading of today, and no unknown day', async () => {
    const { mirror } = await openBoth();
    const { body } = await getStorage(mirror, `sdate=2026-03-01&edate=2026-03-31&key=${KEY}`);
    const days = ['05', '06', '07', '08', '09', '10'].map((day) => `2026-03-${day}`);
    expect(body.data.list.map(({ date }) => date)).toEqual(days);
  });
});
