import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp, HEADER_BYTES, listen } from '../../../src/service/server/server.ts';
import { connectRaw, requestText } from '../../support/servers/raw-connection.ts';
import { createFixture, KEY, startServer } from '../../support/servers/plain-catalogue.ts';

const VIDEOS = '/info/v1/videos.json';
const LIST = `${VIDEOS}?key=${KEY}&pkg=1`;

describe('an address', () => {
  it('may hold a keyword of 800 Korean characters', async () => {
    const { catalogue, queries } = createFixture();
    const { videos } = await startServer({ catalogue });
    const keyword = '한'.repeat(800);
    await videos(`key=${KEY}&pkg=1&search_item=title&keyword=${encodeURIComponent(keyword)}`);
    expect(queries[0]?.search?.keyword).toBe(keyword);
  });
});

describe('request headers', () => {
  it('below the limit are accepted', async () => {
    const { url } = await startServer({ catalogue: createFixture().catalogue });
    const header = `x-long: ${'x'.repeat(HEADER_BYTES - 1_000)}`;
    expect(await connectRaw(url, requestText(LIST, header)).ended).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a connection', () => {
  const sendAll = (url: string, paths: readonly string[]) =>
    connectRaw(url, paths.map((path) => requestText(path).replace('close', 'keep-alive')).join(''));

  it('has one response under way, and gets all of them in the order of its requests', async () => {
    let [running, most] = [0, 0];
    const { catalogue } = createFixture();
    const { url } = await startServer({
      catalogue: {
        ...catalogue,
        videos: async (query, signal) => {
          most = Math.max(most, ++running);
          await sleep(2);
          running--;
          return catalogue.videos(query, signal);
        },
      },
    });
    const pages = Array.from({ length: 32 }, (_, index) => index + 1);
    const { received } = sendAll(
      url,
      pages.map((page) => `${LIST}&page=${page}`),
    );
    await expect.poll(() => received().match(/"paging":\{"page":\d+/g)?.length).toBe(32);
    const answered = [...received().matchAll(/"paging":\{"page":(\d+)/g)].map(([, page]) => Number(page));
    expect([answered, most]).toEqual([pages, 1]);
  });

  it('is closed where it sends 33 requests before the first is answered', async () => {
    const { url } = await startServer({ catalogue: createFixture().catalogue });
    expect(
      await sendAll(
        url,
        Array.from({ length: 33 }, () => LIST),
      ).ended,
    ).toBe('');
  });

  it('is refused a large response while others have 384 MB that they did not read', async () => {
    const app = createApp({});
    app.get('/large', async () => Buffer.alloc(200 * 2 ** 20));
    onTestFinished(() => app.close());
    const { url } = await listen(app, { host: '127.0.0.1', port: 0 });
    const readsNothing = connectRaw(url, requestText('/large')).socket;
    await new Promise((resolve) => readsNothing.once('data', resolve));
    readsNothing.pause();
    const refused = await fetch(`${url}/large`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toEqual({ error: 'other clients have not read their answers yet' });
    readsNothing.destroy();
    await expect.poll(async () => (await fetch(`${url}/large`, { method: 'HEAD' })).status).toBe(200);
  });
});

const getBody = (answer: string) => answer.split('\r\n\r\n')[1] ?? '';

describe('a body', () => {
  const send = async (url: string, method: string, body: string | null = 'text') => {
    const response = await fetch(url, { method, body, headers: { 'content-type': 'text/plain' } });
    return [method, response.status, await response.text()];
  };

  it('is rejected with 404, by any method', async () => {
    const app = createApp({});
    app.route({ method: ['GET', 'POST', 'PUT'], url: '/form', handler: async () => 'a form' });
    onTestFinished(() => app.close());
    const { url } = await listen(app, { host: '127.0.0.1', port: 0 });
    const noSuchPath = '{"error":"no such path"}';
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND']) {
      expect(await send(`${url}/form`, method)).toEqual([method, 404, noSuchPath]);
    }
    expect(await send(`${url}/form`, 'GET', null)).toEqual(['GET', 200, 'a form']);
  });
});

describe('no error response', () => {
  const failure = new Error(`SQLITE_CANTOPEN: ${process.cwd()}/data/secret.db`);
  const failing = () => Promise.reject(failure);
  const post = (type: string, body: string) =>
    [
      `POST ${VIDEOS} HTTP/1.1`,
      'host: 127.0.0.1',
      'connection: close',
      `content-type: ${type}`,
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n');

  it.each([
    [400, 'what is no HTTP', 'hello\r\n\r\n'],
    [400, 'two lengths', post('text/plain', 'x').replace('\r\n\r\n', '\r\ncontent-length: 2\r\n\r\n')],
    [400, 'a path that cannot be decoded', requestText('/%E0%A4%A')],
    [400, 'an address that is not percent-encoded', requestText(`${LIST}&keyword=강의`)],
    [404, 'another path', requestText(`/${process.cwd()}/package.json`)],
    [404, 'a path that climbs', requestText('/../../../etc/passwd')],
    [404, 'a body', post('application/json', '{}')],
    [404, 'a body that is too large', post('application/json', `"${'x'.repeat(2_000)}"`)],
    [431, 'a long address', requestText(`/${'x'.repeat(HEADER_BYTES)}`)],
    [431, 'long headers', requestText('/', `x: ${'x'.repeat(HEADER_BYTES)}`)],
    [500, 'an exception, videos', requestText(LIST)],
    [
      500,
      'an exception, storage',
      requestText('/report/stats/video/storage?sdate=2026-01-01&edate=2026-01-02'),
    ],
  ])('contains a stack or a path of the file system: %i for %s', async (status, _what, text) => {
    const { url } = await startServer({ catalogue: { videos: failing, storage: failing } });
    const answer = await connectRaw(url, text).ended;
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).not.toMatch(
      /\bat .*[.:]\w+[:)]|node_modules|node:|\.[jt]s\b|SQLITE|\/(work|home|tmp|etc)\//,
    );
    expect(answer).not.toContain(process.cwd());
    expect(JSON.parse(getBody(answer))).toHaveProperty('error');
  });
});
