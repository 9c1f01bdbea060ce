import { describe, expect, it } from 'vitest';
import type { VideoRecord } from '../../../src/service/server/catalogue.ts';
import { expectDescribed } from '../../support/openapi-document.ts';
import { videoRecord } from '../../support/fixtures/service-responses.ts';
import { createFixture, KEY, startServer, getStorage } from '../../support/servers/plain-catalogue.ts';
import { FIGURES, type Figure } from '../../../src/service/service-fields.ts';
import type { StorageDay } from '../../../src/service/storage.ts';

const record = videoRecord(5, {
  title: '"한글" 🔥\n\\',
  series: null,
  author: '',
  filesize: 44_482_871,
}) as VideoRecord;
const unused = {
  search_item: '',
  keyword: '',
  filter: 'all',
  sort_item: '',
  sort_direction: '',
  fromDate: '',
  toDate: '',
};

describe('the video list', () => {
  it('has the envelope of docs/service.md 2.2 and the records unchanged', async () => {
    const { catalogue } = createFixture([record]);
    const { url } = await startServer({ catalogue });
    const response = await fetch(`${url}/info/v1/videos.json?key=${KEY}&pkg=1`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const body: unknown = await response.json();
    expectDescribed('/info/v1/videos.json', 200, body);
    expect(body).toEqual({
      videoInfoList: {
        apiVideoSearchOption: unused,
        videoInfoList: [record],
        errorInfo: { errorCode: 'None', errorMessage: '' },
        paging: { page: 1, pagesize: 20, totalcount: 1, totalpage: 1 },
      },
    });
  });

  it('passes search, order and page on, and echoes them with the direction in capitals', async () => {
    const { catalogue, queries } = createFixture();
    const { videos } = await startServer({ catalogue });
    const keyword = encodeURIComponent('100%_"한글" 🔥&');
    const body = await videos(
      `key=${KEY}&pkg=1&search_item=tag&keyword=${keyword}&sort_item=title&sort_direction=asc&page=3&pagesize=7`,
    );
    expect(queries).toEqual([
      {
        packageId: 1,
        search: { item: 'tag', keyword: '100%_"한글" 🔥&' },
        sort: { item: 'title', direction: 'asc' },
        page: 3,
        pageSize: 7,
      },
    ]);
    expect(body.apiVideoSearchOption).toEqual({
      ...unused,
      search_item: 'tag',
      keyword: '100%_"한글" 🔥&',
      sort_item: 'title',
      sort_direction: 'ASC',
    });
  });

  it.each([
    'search_item=title',
    'keyword=x',
    'search_item=title&keyword=',
    'search_item=&keyword=x',
    'filter=none&fromDate=2026-01-01',
  ])('does not search with %s alone, and does not echo it', async (query) => {
    const { catalogue, queries } = createFixture();
    const { videos } = await startServer({ catalogue });
    const body = await videos(`key=${KEY}&pkg=1&${query}`);
    expect(queries[0]).not.toHaveProperty('search');
    expect(body.apiVideoSearchOption).toEqual(unused);
  });

  it.each([
    ['', 20],
    ['pagesize=1', 1],
    ['pagesize=1001', 1000],
    ['pagesize=99999999999999999999999', 1000],
    ['pagesize=0', 20],
    ['pagesize=10.5', 20],
  ])('reads "%s" as %i videos a page, and echoes that', async (query, size) => {
    const { catalogue, queries } = createFixture();
    const { videos } = await startServer({ catalogue });
    const body = await videos(`key=${KEY}&pkg=1&${query}`);
    expect(body.paging.pagesize).toBe(size);
    expect(queries[0]?.pageSize).toBe(size);
  });

  it.each([
    ['page=0', 1],
    ['page=-1', 1],
    ['page=x', 1],
    ['page=4', 4],
    ['page=99999999999999999999', 2_147_483_647],
    ['page=2&page=9', 2],
  ])('reads "%s" as page %i', async (query, page) => {
    const { catalogue } = createFixture();
    const { videos } = await startServer({ catalogue });
    expect((await videos(`key=${KEY}&pkg=1&${query}`)).paging.page).toBe(page);
  });
});

describe('a rejected video list', () => {
  const refusals = [
    ['InvalidKey', 'pkg=1'],
    ['InvalidKey', 'key=&pkg=1'],
    ['InvalidKey', 'key=k&pkg=1'],
    ['InvalidKey', 'key=wrong&pkg=none&sort_item=none'],
    ['PackageNotFound', `key=${KEY}&pkg=2`],
    ['InvalidParameter', `key=${KEY}`],
    ['InvalidParameter', `key=${KEY}&pkg=one`],
    ['InvalidParameter', `key=${KEY}&pkg=9007199254740993`],
    ['InvalidParameter', `key=${KEY}&pkg=1&sort_item=cdate`],
    ['InvalidParameter', `key=${KEY}&pkg=1&sort_direction=ASC`],
    ['InvalidParameter', `key=${KEY}&pkg=1&search_item=id&keyword=1`],
  ] as const;

  it.each(refusals)('is %s for %s, with HTTP 200, no videos and zeroed paging', async (errorCode, query) => {
    const { catalogue } = createFixture([record]);
    const { videos } = await startServer({ catalogue });
    const body = await videos(query);
    expect(body).toMatchObject({ apiVideoSearchOption: unused, videoInfoList: [], errorInfo: { errorCode } });
    expect(body.paging).toEqual({ page: 0, pagesize: 0, totalcount: 0, totalpage: 0 });
    expect(body.errorInfo.errorMessage).not.toBe('');
  });

  it('names the invalid parameters, and never the key', async () => {
    const { videos } = await startServer({ catalogue: createFixture().catalogue });
    const { errorInfo } = await videos(`key=${KEY}&pkg=x&sort_item=cdate`);
    expect(errorInfo.errorMessage).toBe(
      'pkg: "x" is not a package identifier; sort_item: "cdate" is not one of id, title, duration, filesize',
    );
    expect((await videos('key=s3cret&pkg=1')).errorInfo.errorMessage).not.toContain('s3cret');
  });

  it('accepts each of several keys, and no request where there are none', async () => {
    const { catalogue } = createFixture();
    const several = await startServer({ catalogue, keys: ['a', 'ключ 🔑'] });
    expect((await several.videos(`key=${encodeURIComponent('ключ 🔑')}&pkg=1`)).errorInfo.errorCode).toBe(
      'None',
    );
    const none = await startServer({ catalogue, keys: [] });
    expect((await none.videos('key=&pkg=1')).errorInfo.errorCode).toBe('InvalidKey');
  });
});

function createDay(date: string, figure: number | null): StorageDay {
  const figures = Object.fromEntries(FIGURES.map((name) => [name, figure]));
  return { ...(figures as Record<Figure, number | null>), date };
}

const january = 'sdate=2026-01-01&edate=2026-01-31';

describe('the storage statistics', () => {
  it('have the envelope of docs/service.md 2.3 and the records unchanged', async () => {
    const days = [createDay('2026-01-01', 44_482_871), createDay('2026-01-02', null)];
    const { catalogue, ranges } = createFixture([], days);
    const { url } = await startServer({ catalogue });
    const { status, body } = await getStorage(url, `${january}&sort_direction=desc`);
    expect(status).toBe(200);
    expect(body).toEqual({ message: 'success', data: { list: days } });
    expect(ranges).toEqual([{ from: '2026-01-01', to: '2026-01-31', direction: 'desc' }]);
  });

  it.each([
    ['', 'sdate: is missing; edate: is missing'],
    ['sdate=2026-02-30&edate=2026-03-01', 'sdate: "2026-02-30" is not a calendar date yyyy-mm-dd'],
    ['sdate=2026-01-01&edate=tomorrow', 'edate: "tomorrow" is not a calendar date yyyy-mm-dd'],
    [`${january}&sort_direction=up`, 'sort_direction: "up" is not one of asc, desc'],
  ])('are rejected for "%s", with HTTP 200, the reason and no days', async (query, message) => {
    const { catalogue, ranges } = createFixture([], [createDay('2026-01-01', 1)]);
    const { status, body } = await getStorage((await startServer({ catalogue })).url, query);
    expect(status).toBe(200);
    expect(body).toEqual({ message, data: { list: [] } });
    expect(ranges).toEqual([]);
  });
});

describe('the key of the storage statistics', () => {
  const { catalogue } = createFixture([], [createDay('2026-01-01', 1)]);
  const refused = { message: 'the key is missing or unknown', data: { list: [] } };

  it('is not required by default', async () => {
    const { url } = await startServer({ catalogue });
    expect((await getStorage(url, january)).body.message).toBe('success');
  });

  it('is required in the query where the options require it', async () => {
    const { url } = await startServer({ catalogue, storageAuth: 'query' });
    expect((await getStorage(url, `${january}&key=${KEY}`)).body.message).toBe('success');
    expect((await getStorage(url, january)).body).toEqual(refused);
    expect((await getStorage(url, january, { key: KEY })).body).toEqual(refused);
  });

  it('is required in a header of any case where the options name one', async () => {
    const { url } = await startServer({ catalogue, storageAuth: { header: 'X-Api-Key' } });
    expect((await getStorage(url, january, { 'x-api-key': KEY })).body.message).toBe('success');
    expect((await getStorage(url, january, { 'x-api-key': 'no' })).body).toEqual(refused);
    expect((await getStorage(url, `${january}&key=${KEY}`)).body).toEqual(refused);
  });
});
