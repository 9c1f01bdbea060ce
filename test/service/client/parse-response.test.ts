import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RefusedError, TransientError, type FaultKind } from '../../../src/lib/errors.ts';
import {
  createTestClient,
  catchFailure,
  JANUARY,
  pageRequest,
} from '../../support/fixtures/service-client.ts';
import type { Reply } from '../../support/servers/scripted-service.ts';
import {
  listBody,
  storageBody,
  storageRecord,
  videoRecord,
} from '../../support/fixtures/service-responses.ts';

const ONCE = { retry: { attempts: 1, baseMs: 1, capMs: 1 } };
const video = videoRecord(7, { title: '"강의" 🔥' });
const wellBody = listBody({ records: [video] });

/** Fetches a page with this response. */
async function fetchPage(reply: Reply) {
  const { client } = await createTestClient(() => reply, ONCE);
  return client.videoPage(pageRequest());
}

/** Fails with this fault, is retried, and then succeeds. */
async function expectHealing(reply: Reply, fault: FaultKind): Promise<string> {
  const error = await catchFailure(fetchPage(reply));
  expect(error).toBeInstanceOf(TransientError);
  expect(error).toMatchObject({ fault });
  const { client, service } = await createTestClient(({ number }) =>
    number === 1 ? reply : { body: wellBody },
  );
  expect((await client.videoPage(pageRequest())).videos).toEqual([video]);
  expect(service.requests).toHaveLength(2);
  return error.message;
}

describe('a valid page', () => {
  it('has its records, paging and echo, and the time of its arrival', async () => {
    const { client, clock } = await createTestClient(() => ({ body: wellBody }));
    const page = await client.videoPage(pageRequest());
    expect(page).toMatchObject({
      videos: [video],
      refused: [],
      ids: [7],
      paging: { page: 1, pagesize: 1000, totalcount: 1, totalpage: 1 },
      echo: { sort_item: 'id', sort_direction: 'ASC' },
      answeredAt: clock.now(),
    });
  });

  it('is requested by id, with the given direction, page and size', async () => {
    const { client, service } = await createTestClient(() => ({ body: wellBody }));
    await client.videoPage(pageRequest(4, { pageSize: 250, direction: 'desc' }));
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'GET', path: '/info/v1/videos.json' });
    expect(Object.fromEntries(request?.query ?? [])).toMatchObject({
      pkg: '101',
      sort_item: 'id',
      sort_direction: 'desc',
      page: '4',
      pagesize: '250',
    });
  });

  it('may have paging as text or as doubles', async () => {
    const body = wellBody
      .replace('"totalcount":1', '"totalcount":"16"')
      .replace('"pagesize":1000', '"pagesize":4.0E1');
    const { paging } = await fetchPage({ body });
    expect(paging).toMatchObject({ totalcount: 16, pagesize: 40 });
  });

  it('may lack its echo and errorInfo', async () => {
    const paging = { page: 1, pagesize: 20, totalcount: 0, totalpage: 0 };
    const page = await fetchPage({ body: JSON.stringify({ videoInfoList: { videoInfoList: [], paging } }) });
    expect(page).toMatchObject({ ids: [], echo: null });
  });

  it('may begin with a byte order mark', async () => {
    expect((await fetchPage({ body: `\uFEFF${wellBody}` })).videos).toEqual([video]);
  });

  it('has invalid records unchanged, with every digit and in their position', async () => {
    const records = [1, 2, 3, 4].map((id) => videoRecord(id, { filesize: 4_000 + id }));
    const body = listBody({ records }).replace('"id":2', '"id":9007199254740993').replace('4003', '1.50E0');
    const page = await fetchPage({ body });
    expect(page.videos.map(({ id }) => id)).toEqual([1, 4]);
    expect(page.ids).toEqual([1, null, 3, 4]);
    expect(page.refused).toMatchObject([{ id: null }, { id: 3 }]);
    expect(page.refused[0]?.raw).toContain('"id":9007199254740993');
    expect(page.refused[1]?.raw).toContain('"filesize":1.50E0');
  });
});

describe('a response that is retried', () => {
  const zipped = gzipSync(wellBody);
  const gzip = { 'content-encoding': 'gzip' };
  const invalid = Buffer.from(wellBody);
  invalid[invalid.indexOf('강의')] = 0xff;

  it.each<[string, Reply, FaultKind, string]>([
    ['an HTML page', { body: '\n<!doctype html><title>Maintenance</title>' }, 'html', 'HTML'],
    ['cut JSON', { body: Buffer.from(wellBody).subarray(0, 200) }, 'truncated', 'not whole JSON'],
    ['empty', { body: '' }, 'truncated', ''],
    ['without content', { status: 204 }, 'truncated', ''],
    ['shorter than its content-length', { body: wellBody, truncateAfter: 200 }, 'truncated', 'broke off'],
    [
      'chunks that break off',
      { body: wellBody, truncateAfter: 200, chunked: true },
      'truncated',
      'broke off',
    ],
    ['cut gzip', { headers: gzip, body: zipped.subarray(0, -20) }, 'truncated', ''],
    [
      'gzip that breaks off',
      { headers: gzip, body: zipped, truncateAfter: 50, chunked: true },
      'truncated',
      '',
    ],
    ['plain, and declared as gzip', { headers: gzip, body: wellBody }, 'truncated', ''],
    ['a closed connection', 'drop', 'connection', ''],
    ['no valid UTF-8', { body: invalid }, 'encoding', ''],
    ['Latin-1', { body: Buffer.from(wellBody.replace('강의', 'für'), 'latin1') }, 'encoding', ''],
  ])('is %s', async (_what, reply, fault, message) => {
    expect(await expectHealing(reply, fault)).toContain(message);
  });

  it.each([
    ['null', 'null'],
    ['a number', '7'],
    ['another object', '{"data":{}}'],
    ['a list without paging', '{"videoInfoList":{"videoInfoList":[]}}'],
    ['paging without a total', wellBody.replace('"totalcount":1,', '')],
    ['paging with half a page', wellBody.replace('"page":1', '"page":1.5')],
    ['paging with a count below zero', wellBody.replace('"totalcount":1', '"totalcount":-1')],
    ['records in an object', wellBody.replace(/"videoInfoList":\[.*?\]/s, '"videoInfoList":{}')],
    ['records that are null', wellBody.replace(/"videoInfoList":\[.*?\]/s, '"videoInfoList":null')],
  ])('does not have the shape of a list: %s', async (_, body) => {
    const message = await expectHealing({ body }, 'shape');
    expect(message).toContain('not as documented');
  });

  it('does not have the shape of storage statistics', async () => {
    for (const body of ['{"message":"success"}', '{"message":"success","data":{"list":{}}}', '[]']) {
      const { client } = await createTestClient(() => ({ body }), ONCE);
      const error = await catchFailure(client.storageDays(JANUARY));
      expect(error).toBeInstanceOf(TransientError);
      expect(error).toMatchObject({ fault: 'shape' });
    }
  });
});

describe('a response of the storage statistics', () => {
  it('has each record as its JSON text', async () => {
    const record = storageRecord('2026-01-01', 5);
    const body = storageBody([record]).replace('"image_count":5', '"image_count":4.4482871E7');
    const { client, service } = await createTestClient(() => ({ body }));
    const days = await client.storageDays(JANUARY);
    expect(days.records).toEqual([
      JSON.stringify(record).replace('"image_count":5', '"image_count":4.4482871E7'),
    ]);
    expect(service.requests[0]?.path).toBe('/report/stats/video/storage');
    expect(Object.fromEntries(service.requests[0]?.query ?? [])).toMatchObject({
      sdate: '2026-01-01',
      edate: '2026-01-31',
    });
  });
});

describe('a response that is too large', () => {
  it('is rejected by its real size, is not retried, and the message has the setting to change', async () => {
    const { client, service } = await createTestClient(() => ({ body: wellBody }), { maxBytes: 500 });
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ fault: 'too_large' });
    expect(error.hint).toContain('page_size');
    expect(service.requests).toHaveLength(1);
  });

  it('may have exactly the maximum size', async () => {
    const { client } = await createTestClient(() => ({ body: wellBody }), {
      maxBytes: Buffer.byteLength(wellBody),
    });
    expect((await client.videoPage(pageRequest())).ids).toHaveLength(1);
  });

  it('does not fill the memory when 300 KB of gzip contain 300 MB', async () => {
    const member = gzipSync(Buffer.alloc(1024 * 1024));
    const bomb = Buffer.concat(Array.from({ length: 300 }, () => member));
    expect(bomb.length).toBeLessThan(400 * 1024);
    const { client, service, budget } = await createTestClient(() => ({
      headers: { 'content-encoding': 'gzip' },
      body: bomb,
    }));
    const memory = watchMemory();
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(memory.mostGrownBy()).toBeLessThan(120 * 1024 * 1024);
    expect(error).toMatchObject({ fault: 'too_large' });
    expect(service.requests).toHaveLength(1);
    expect(budget.spent[0]?.result).toMatchObject({ status: 200, bytes: null });
  }, 30_000);
});

/** Measures the bytes of memory in buffers, from now on. */
function watchMemory() {
  const before = process.memoryUsage().arrayBuffers;
  let most = before;
  const measure = () => (most = Math.max(most, process.memoryUsage().arrayBuffers));
  const timer = setInterval(measure, 1);
  onTestFinished(() => clearInterval(timer));
  return { mostGrownBy: () => measure() - before };
}
