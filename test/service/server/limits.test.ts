import { describe, expect, it, onTestFinished } from 'vitest';
import type { VideoRecord } from '../../../src/service/server/catalogue.ts';
import { createApp, DEFAULT_LIMITS, listen } from '../../../src/service/server/server.ts';
import { connectRaw, requestText } from '../../support/servers/raw-connection.ts';
import { videoRecord } from '../../support/fixtures/service-responses.ts';
import { eventually } from '../../support/processes/vodhouse-command.ts';
import { createFixture, KEY, startServer } from '../../support/servers/plain-catalogue.ts';

const VIDEOS = '/info/v1/videos.json';
const LIST = `${VIDEOS}?key=${KEY}&pkg=1`;

/** A list of the given number of bytes in its only title. */
const longList = (bytes: number) =>
  createFixture([videoRecord(1, { title: 'x'.repeat(bytes) }) as VideoRecord]).catalogue;

const fetchStatus = async (url: string) => {
  const response = await fetch(url);
  await response.text();
  return response.status;
};

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
    const header = `x-long: ${'x'.repeat(DEFAULT_LIMITS.headerBytes - 1_000)}`;
    expect(await connectRaw(url, requestText(LIST, header)).ended).toMatch(/^HTTP\/1\.1 200 /);
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

describe('pages that are requested at once', () => {
  it('are read in separate turns of the event loop, so that short requests are answered between them', async () => {
    const { catalogue } = createFixture();
    let turn = 0;
    let isOver = false;
    const countTurn = () => {
      turn++;
      if (!isOver) setImmediate(countTurn);
    };
    countTurn();
    onTestFinished(() => void (isOver = true));
    const turns: number[] = [];
    const videos: typeof catalogue.videos = (query, signal) => {
      turns.push(turn);
      return catalogue.videos(query, signal);
    };
    const { url } = await startServer({ catalogue: { ...catalogue, videos } });
    const requests = Array.from({ length: 20 }, () => fetchStatus(`${url}${LIST}`));
    expect(new Set(await Promise.all(requests))).toEqual(new Set([200]));
    expect(new Set(turns).size).toBe(20);
  });
});

describe('connections above the limit', () => {
  it('are closed, until another one ends', async () => {
    const { url } = await startServer({ catalogue: createFixture().catalogue, limits: { connections: 2 } });
    const open = () => connectRaw(url, 'GET / HTTP/1.1\r\n').socket;
    const first = open();
    open();
    expect(await connectRaw(url, requestText(LIST)).ended).toBe('');
    first.destroy();
    await eventually(() => connectRaw(url, requestText(LIST)).ended).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a client', () => {
  it('that sends its headers one by one is disconnected', async () => {
    const { url } = await startServer({ catalogue: createFixture().catalogue, limits: { requestMs: 100 } });
    const { socket, ended } = connectRaw(url, 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n');
    const more = setInterval(() => socket.write('x: y\r\n'), 20);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(more);
  });

  it('that announces a body and does not send it is disconnected', async () => {
    const { url } = await startServer({ catalogue: createFixture().catalogue, limits: { requestMs: 100 } });
    const head = `POST ${VIDEOS} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n`;
    const { ended } = connectRaw(url, `${head}content-type: application/json\r\n\r\n{`);
    expect(await ended).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it('that does not read its response is disconnected', async () => {
    const bytes = 16 * 2 ** 20;
    const { url } = await startServer({ catalogue: longList(bytes), limits: { idleMs: 200 } });
    const { socket, ended } = connectRaw(url, requestText(LIST));
    socket.once('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), 1_000);
    });
    const answer = await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.length).toBeLessThan(bytes);
  });

  it('that reads slowly what was sent in time gets all of it', async () => {
    const { url } = await startServer({ catalogue: longList(10_000), limits: { idleMs: 50 } });
    const { socket, ended } = connectRaw(url, requestText(LIST));
    socket.pause();
    await eventually(() => socket.bytesRead).toBeGreaterThan(0);
    socket.resume();
    expect((await ended).length).toBeGreaterThan(10_000);
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
    [431, 'a long address', requestText(`/${'x'.repeat(DEFAULT_LIMITS.headerBytes)}`)],
    [431, 'long headers', requestText('/', `x: ${'x'.repeat(DEFAULT_LIMITS.headerBytes)}`)],
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
