import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/service/server/limits.ts';
import type { VideoRecord } from '../../../src/service/server/catalogue.ts';
import { createApp, listen } from '../../../src/service/server/server.ts';
import { expectDescribed } from '../../support/openapi-document.ts';
import { connectRaw, requestText, type RawConnection } from '../../support/servers/raw-connection.ts';
import { createGate } from '../../support/servers/scripted-service.ts';
import { videoRecord } from '../../support/fixtures/service-responses.ts';
import { eventually } from '../../support/processes/vodhouse-command.ts';
import { createFixture, KEY, startServer } from '../../support/servers/plain-catalogue.ts';

const VIDEOS = '/info/v1/videos.json';
const LIST = `${VIDEOS}?key=${KEY}&pkg=1`;
/** Occupies a slot without a query of the catalogue. */
const ELSEWHERE = '/elsewhere';

/** A list of the given number of bytes in its only title. */
const longList = (bytes: number) =>
  createFixture([videoRecord(1, { title: 'x'.repeat(bytes) }) as VideoRecord]).catalogue;

/** A catalogue that returns nothing before `open` is called, and counts the waiting requests. */
function createHeldCatalogue() {
  const { catalogue } = createFixture();
  const { open, opened } = createGate();
  let waiting = 0;
  const videos: typeof catalogue.videos = async (query, signal) => {
    waiting++;
    await opened;
    return catalogue.videos(query, signal);
  };
  return { catalogue: { ...catalogue, videos }, open, waiting: () => waiting };
}

/** A request that may be followed by others on the same connection. */
const requestToStay = (path: string) => requestText(path).replace('connection: close\r\n', '');

const fetchStatus = async (url: string) => {
  const response = await fetch(url);
  await response.text();
  return response.status;
};

describe('an address', () => {
  it('is accepted up to the limit, and rejected with 414 above it', async () => {
    const urlBytes = 300;
    const { url } = await startServer({ catalogue: createFixture().catalogue, limits: { urlBytes } });
    const longest = `${LIST}&keyword=`.padEnd(urlBytes, 'x');
    expect(await fetchStatus(`${url}${longest}`)).toBe(200);
    const response = await fetch(`${url}${longest}x`);
    expect(response.status).toBe(414);
    const body: unknown = await response.json();
    expectDescribed(VIDEOS, 414, body);
    expect(body).toEqual({ error: 'the address is longer than 300 bytes' });
  });

  it('may hold a keyword of 800 Korean characters', async () => {
    const { catalogue, queries } = createFixture();
    const { videos } = await startServer({ catalogue });
    const keyword = '한'.repeat(800);
    await videos(`key=${KEY}&pkg=1&search_item=title&keyword=${encodeURIComponent(keyword)}`);
    expect(queries[0]?.search?.keyword).toBe(keyword);
  });
});

describe('request headers', () => {
  it.each([
    ['one header', requestText(LIST, `x-long: ${'x'.repeat(DEFAULT_LIMITS.headerBytes)}`)],
    [
      'many of them',
      requestText(LIST, ...Array.from({ length: 300 }, (_, at) => `x-${at}: ${'x'.repeat(60)}`)),
    ],
    ['the address', requestText(`${LIST}&keyword=${'x'.repeat(DEFAULT_LIMITS.headerBytes)}`)],
  ])('above the limit are rejected with 431 and the connection ends: %s', async (_what, text) => {
    const { url } = await startServer({ catalogue: createFixture().catalogue });
    const answer = await connectRaw(url, text).ended;
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expectDescribed(VIDEOS, 431, JSON.parse(getBody(answer)));
  });

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

describe('concurrent requests', () => {
  it('above the limit are rejected with 503 and a Retry-After; later ones get a response', async () => {
    const held = createHeldCatalogue();
    const { url } = await startServer({ catalogue: held.catalogue, limits: { requests: 2 } });
    const first = [fetchStatus(`${url}${LIST}`), fetchStatus(`${url}${LIST}`)];
    await eventually(held.waiting).toBe(2);

    const rejected = await fetch(`${url}${LIST}`);
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
    const body: unknown = await rejected.json();
    expectDescribed(VIDEOS, 503, body);
    expect(body).toEqual({ error: 'too many requests at once' });
    expect(await fetchStatus(`${url}${ELSEWHERE}`)).toBe(503);

    held.open();
    expect(await Promise.all(first)).toEqual([200, 200]);
    for (let again = 0; again < 5; again++) expect(await fetchStatus(`${url}${LIST}`)).toBe(200);
    expect(held.waiting()).toBe(7);
  });

  it('count while they are under way, and not after they failed', async () => {
    const failing = () => Promise.reject(new Error('no'));
    const { url } = await startServer({
      catalogue: { videos: failing, storage: failing },
      limits: { requests: 1 },
    });
    for (const path of [LIST, ELSEWHERE, LIST, '/%', ELSEWHERE, VIDEOS]) {
      expect(await fetchStatus(`${url}${path}`)).not.toBe(503);
    }
  });

  it('no longer count for a client that disconnected before its response', async () => {
    const held = createHeldCatalogue();
    const { url } = await startServer({ catalogue: held.catalogue, limits: { requests: 1 } });
    const client = connectRaw(url, requestText(LIST));
    await eventually(held.waiting).toBe(1);
    expect(await fetchStatus(`${url}${ELSEWHERE}`)).toBe(503);
    client.socket.destroy();
    await eventually(() => fetchStatus(`${url}${ELSEWHERE}`)).toBe(404);
  });

  it('no longer count if they waited behind another one on a closed connection', async () => {
    const held = createHeldCatalogue();
    const { url } = await startServer({ catalogue: held.catalogue, limits: { requests: 3 } });
    const client = connectRaw(url, requestToStay(LIST).repeat(3));
    await eventually(held.waiting).toBe(3);
    client.socket.destroy();
    await eventually(() => fetchStatus(`${url}${ELSEWHERE}`)).toBe(404);

    const three = [1, 2, 3].map(() => fetchStatus(`${url}${LIST}`));
    await eventually(held.waiting).toBe(6);
    held.open();
    expect(await Promise.all(three)).toEqual([200, 200, 200]);
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
  const unfinished = 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n';

  it('close the one that has waited longest for a request: a new client gets its response', async () => {
    const { url } = await startServer({ catalogue: createFixture().catalogue, limits: { connections: 2 } });
    const halfOpen: RawConnection[] = [];
    for (const text of ['GET / HTTP/1.1\r\n', '', unfinished]) {
      const connection = connectRaw(url, text);
      await new Promise((resolve) => connection.socket.once('connect', resolve));
      halfOpen.push(connection);
    }
    const [first, , last] = halfOpen;
    expect(await first?.ended).toBe('');
    expect(await connectRaw(url, requestText(ELSEWHERE)).ended).toMatch(/^HTTP\/1\.1 404 /);
    last?.socket.write('\r\n');
    expect(await last?.ended).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('close none whose request is in progress', async () => {
    const held = createHeldCatalogue();
    const { url } = await startServer({ catalogue: held.catalogue, limits: { connections: 2 } });
    const inProgress = [connectRaw(url, requestToStay(LIST)), connectRaw(url, requestToStay(LIST))];
    await eventually(held.waiting).toBe(2);
    expect(await connectRaw(url, requestText(ELSEWHERE)).ended).toMatch(/^HTTP\/1\.1 404 /);
    expect(await connectRaw(url, 'GET / HTTP/1.1\r\n').ended).toBe('');
    held.open();
    for (const { received } of inProgress) await eventually(received).toMatch(/^HTTP\/1\.1 200 /);

    const next = [connectRaw(url, requestText(ELSEWHERE)), connectRaw(url, requestText(ELSEWHERE))];
    for (const { ended } of next) expect(await ended).toMatch(/^HTTP\/1\.1 404 /);
    expect(inProgress.filter(({ socket }) => socket.destroyed)).not.toEqual([]); // they are idle now
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

  it('that reads its response too slowly is disconnected, and its slot released', async () => {
    const bytes = 16 * 2 ** 20;
    const { url } = await startServer({
      catalogue: longList(bytes),
      limits: { responseMs: 200, requests: 1 },
    });
    const { socket, received, ended } = connectRaw(url, requestText(LIST));
    let pause = 10;
    socket.on('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), pause);
    });
    await eventually(() => received().length).toBeGreaterThan(0);
    await eventually(() => fetchStatus(`${url}${ELSEWHERE}`)).toBe(404);
    pause = 0;
    const answer = await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.length).toBeLessThan(bytes);
  });

  it('that gets no response in time is disconnected although it continues to send, and its slot released', async () => {
    const held = createHeldCatalogue();
    const { url } = await startServer({
      catalogue: held.catalogue,
      limits: { responseMs: 100, requests: 1 },
    });
    const { socket, ended } = connectRaw(url, `${requestToStay(LIST)}GET / HTTP/1.1\r\nx-more: `);
    const more = setInterval(() => socket.write('x'), 20);
    expect(await ended).toBe('');
    clearInterval(more);
    expect(await fetchStatus(`${url}${ELSEWHERE}`)).toBe(404);
  });

  it('that reads slowly what was sent in time gets all of it', async () => {
    const { url } = await startServer({ catalogue: longList(10_000), limits: { responseMs: 50 } });
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
    [404, 'a body that is no JSON', post('application/json', '{')],
    [404, 'a body of another type', post('application/xml', '<x/>')],
    [404, 'a body that is too large', post('application/json', `"${'x'.repeat(2_000)}"`)],
    [414, 'a long address', requestText(`/${'x'.repeat(DEFAULT_LIMITS.urlBytes)}`)],
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
