import { get } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigError } from '../../src/lib/errors.ts';
import { version } from '../../src/lib/package-root.ts';
import { browse } from '../support/browser/browser-request.ts';
import { CANARY_KEY, findCanary } from '../support/fixtures/awkward-key.ts';
import { execute } from '../support/fixtures/live-file.ts';
import {
  fetchResponse,
  fetchStorage,
  fetchVideos,
  configToServe,
  liveFileToServe,
  openSite,
  openSiteOver,
  SERVICE_KEYS,
  STORAGE,
  VIDEOS,
} from '../support/servers/open-web-server.ts';
import { readPrometheusText, valueIn } from '../support/prometheus-text.ts';
import { withPassword } from '../support/with-password.ts';
import { connectRaw, requestText } from '../support/servers/raw-connection.ts';

const KEY = 'server-key-of-20-char';
const DAYS = `${STORAGE}?sdate=2026-03-01&edate=2026-03-31`;
const MAIN = '/accounts/main';
const CHALLENGE = 'Basic realm="vodhouse", charset="UTF-8"';

describe('a server without keys', () => {
  it('refuses to listen where other machines reach it', async () => {
    const config = configToServe(liveFileToServe());
    for (const host of ['0.0.0.0', '::', '192.0.2.7', 'warehouse.example.test', '127.example.test', '']) {
      const opened = openSiteOver({ ...config, server: { ...config.server, host } });
      await expect(opened).rejects.toThrow(ConfigError);
      await expect(opened).rejects.toThrow(
        `server.host ${host} can be reached from other machines, and server.keys is empty`,
      );
      await expect(opened).rejects.toMatchObject({ hint: expect.stringContaining('server.keys') as string });
    }
  });

  it('listens where only this machine reaches it', async () => {
    const config = configToServe(liveFileToServe());
    for (const host of ['127.0.0.1', '127.0.0.2', 'localhost']) {
      const { url } = await openSiteOver({ ...config, server: { ...config.server, host } });
      expect(new URL(url).hostname).toMatch(/^127\.0\.0\.[12]$|^\[::1\]$|^localhost$/);
      expect((await fetchResponse(`${url}/healthz`)).status).toBe(200);
    }
  });

  it('accepts every client on this machine', async () => {
    const { url } = await openSite();
    expect((await fetchVideos(`${url}${VIDEOS}?pkg=104`)).ids).toHaveLength(20);
    expect((await fetchVideos(`${url}${VIDEOS}?pkg=104&key=any`)).errorCode).toBe('None');
    expect((await fetchStorage(`${url}${MAIN}${DAYS}`)).message).toBe('success');
    expect((await fetchResponse(`${url}/metrics`)).status).toBe(200);
    expect((await fetchResponse(`${url}/readyz`)).text).toContain('main/102');
  });

  const statusFor = async (url: string, host: string, path = `${VIDEOS}?pkg=104`) =>
    Number((await connectRaw(url, requestText(path, `host: ${host}`)).ended).split(' ')[1]);

  it('accepts every host name that only this machine has', async () => {
    const { url } = await openSite();
    const ofHere = [
      'localhost',
      'LocalHost:8320',
      '127.0.0.1',
      '127.0.0.1:80',
      '127.1.2.3',
      '[::1]',
      '[::1]:8320',
    ];
    for (const host of ofHere) expect([host, await statusFor(url, host)]).toEqual([host, 200]);
  });

  it('rejects other host names: a page in a browser may have resolved them to this machine', async () => {
    const { url } = await openSite();
    const others = [
      'evil.example.test',
      'evil.example.test:8320',
      'localhost.evil.test',
      '127.0.0.1.evil.test',
      'evil.test:80:80',
      '[::2]:8320',
      '192.168.0.7',
      'localhost@evil.test',
    ];
    for (const host of others) expect([host, await statusFor(url, host)]).toEqual([host, 403]);
    const paths = [`${VIDEOS}?pkg=104`, DAYS, `${MAIN}${DAYS}`, '/metrics', '/readyz', '/none'];
    for (const path of paths) expect([path, await statusFor(url, 'evil.test', path)]).toEqual([path, 403]);
    expect(await statusFor(url, 'evil.test', '/healthz')).toBe(200);
  });
});

describe('a server with keys', () => {
  it('accepts every host name', async () => {
    const { url } = await openSite([KEY]);
    const request = requestText(`${VIDEOS}?pkg=104&key=${KEY}`, 'host: warehouse.example.test');
    expect(await connectRaw(url, request).ended).toMatch(/^HTTP\/1\.1 200 /);
  });

  const places: [string, { query?: string; headers?: Record<string, string> }][] = [
    ['in the query', { query: `&key=${KEY}` }],
    ['as a bearer token', { headers: { authorization: `Bearer ${KEY}` } }],
    ['as a bearer token in small letters', { headers: { authorization: `bearer  ${KEY}` } }],
    ['as x-api-key', { headers: { 'X-Api-Key': KEY } }],
    ["in the header of an account's storage", { headers: { 'x-main-key': KEY } }],
  ];

  it('accepts a key in any of the places: for videos, storage, metrics and names', async () => {
    const { url } = await openSite(['another-key-of-20-char', KEY]);
    for (const [place, { query = '', headers = {} }] of places) {
      const videos = await fetchVideos(`${url}${VIDEOS}?pkg=104&pagesize=2${query}`, headers);
      const storage = await fetchStorage(`${url}${MAIN}${DAYS}${query}`, headers);
      expect([place, videos.ids, storage.message]).toEqual([place, [60, 59], 'success']);
      const target = query.replace('&', '?');
      expect([place, (await fetchResponse(`${url}/metrics${target}`, headers)).status]).toEqual([place, 200]);
      expect((await fetchResponse(`${url}/readyz${target}`, headers)).text).toContain('main/102');
    }
  });

  const wrong: [string, { query?: string; headers?: Record<string, string> }][] = [
    ['no key', {}],
    ['another one', { query: '&key=other' }],
    ['an empty one', { query: '&key=', headers: { 'x-api-key': '', authorization: 'Bearer ' } }],
    ['half of it', { headers: { 'x-api-key': KEY.slice(0, 4) } }],
    ['more than it', { headers: { authorization: `Bearer ${KEY}x` } }],
    ['it in capitals', { query: `&key=${KEY.toUpperCase()}` }],
    ['it in a header of no account', { headers: { 'x-other-key': KEY } }],
    ['it behind a wrong one', { query: `&key=other&key=${KEY}` }],
    ['the keys of the service', { query: '&key=first-secret', headers: { 'x-main-key': 'second-secret' } }],
  ];
  const asPassword: (typeof wrong)[number] = ['it as a password', { headers: withPassword(KEY) }];

  it("rejects other keys for videos and storage with the service's own error bodies", async () => {
    const refusal = 'the key is missing or unknown';
    for (const [what, { query = '', headers = {} }] of [...wrong, asPassword]) {
      const { url } = await openSite([KEY]);
      for (const before of ['', MAIN]) {
        const { errorCode, errorMessage, ids } = await fetchVideos(
          `${url}${before}${VIDEOS}?pkg=104${query}`,
          headers,
        );
        expect([what, errorCode, errorMessage, ids]).toEqual([what, 'InvalidKey', refusal, []]);
        const { message, days } = await fetchStorage(`${url}${before}${DAYS}${query}`, headers);
        expect([what, message, days]).toEqual([what, refusal, []]);
      }
    }
  });

  it('rejects other keys for its metrics with 401', async () => {
    const { url } = await openSite([KEY]);
    expect(wrong.length).toBeLessThan(10);
    for (const [what, { query = '', headers = {} }] of wrong) {
      const {
        status,
        headers: received,
        text,
      } = await fetchResponse(`${url}/metrics${query.replace('&', '?')}`, headers);
      expect([what, status, received.get('www-authenticate')]).toEqual([what, 401, CHALLENGE]);
      expect(JSON.parse(text)).toMatchObject({ error: expect.stringContaining('server.keys') as string });
    }
  });

  it('blocks an address after ten wrong keys, wherever it sent them, except for what needs no key', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await openSite([KEY]);
    const list = `${VIDEOS}?pkg=104`;
    const paths = [list, DAYS, `${MAIN}${list}`, `${MAIN}${DAYS}`, '/metrics', '/readyz', '/', '/live.json'];
    for (const path of paths) {
      const wrong = { 'x-api-key': `wrong key for ${path}` };
      expect([path, (await fetchResponse(`${url}${path}`, wrong)).status]).not.toEqual([path, 429]);
    }
    for (const wrong of ['ninth', 'tenth']) await fetchResponse(`${url}${list}&key=${wrong}`);
    for (const path of paths) {
      const { status, headers, text } = await fetchResponse(`${url}${path}`, {
        authorization: `Bearer ${KEY}`,
      });
      expect([path, status, headers.get('retry-after')]).toEqual([path, 429, '60']);
      expect(text).toMatch(/too many wrong keys from this address/i);
    }
    const statusOf = async (path: string) => (await fetchResponse(`${url}${path}`)).status;
    expect(await statusOf(`/healthz?key=${KEY}`)).toBe(200);
    expect(await statusOf(`/openapi.json?key=${KEY}`)).toBe(200);
    expect([await statusOf('/readyz'), await statusOf('/metrics'), await statusOf('/')]).toEqual([
      503, 401, 401,
    ]);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await fetchVideos(`${url}${list}&key=${KEY}`)).errorCode).toBe('None');
  });

  it('reveals to no client without a key whether a package exists', async () => {
    const { url } = await openSite([KEY]);
    const texts = await Promise.all(
      [104, 101, 102, 999, 'x'].map((pkg) => fetchResponse(`${url}${VIDEOS}?pkg=${pkg}`)),
    );
    expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
  });

  it('serves liveness and its OpenAPI document without a key', async () => {
    const { url } = await openSite([KEY]);
    const health = await fetchResponse(`${url}/healthz`);
    expect([health.status, JSON.parse(health.text)]).toEqual([200, { status: 'ok', reason: null }]);
    const description = await fetchResponse(`${url}/openapi.json`);
    expect(description.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(description.text)).toMatchObject({
      info: { version: version() },
      paths: { [VIDEOS]: {}, [STORAGE]: {} },
      components: { securitySchemes: {} },
    });
  });

  it('has the names in the readiness reasons for a client with a key, and counts for others', async () => {
    const { url } = await openSite([KEY]);
    const open = await fetchResponse(`${url}/readyz`);
    expect(open.status).toBe(503);
    const stale = (says: string) => ({ status: 'not ready', reasons: [{ what: 'stale', says }] });
    expect(JSON.parse(open.text)).toEqual(stale('2 of 8 packages and storages stale'));
    const known = await fetchResponse(`${url}/readyz?key=${KEY}`);
    expect(known.status).toBe(503);
    expect(JSON.parse(known.text)).toEqual(
      stale('2 of 8 packages and storages stale: main/102 (never read), main/103 (never read)'),
    );
  });

  it('is ready where all packages are fresh, until two ticks have passed', async () => {
    const live = liveFileToServe();
    execute(live, `update package set walked_at = '2026-03-10 11:30:00' where walked_at is null`);
    const config = configToServe(live, [KEY]);
    const [main, ...others] = config.accounts;
    if (!main) throw new Error('there is no account');
    const accounts = [{ ...main, packages: main.packages.filter(({ id }) => id !== 103) }, ...others];
    const { url, clock } = await openSiteOver({ ...config, accounts });
    const ready = await fetchResponse(`${url}/readyz`);
    expect([ready.status, JSON.parse(ready.text)]).toEqual([200, { status: 'ready', reasons: [] }]);
    clock.advance(2 * 3_600_000);
    expect((await fetchResponse(`${url}/readyz`)).text).toContain('7 of 7 packages and storages stale');
  });
});

describe('liveness', () => {
  it('is 503 with the reason while the worker counts as dead', async () => {
    let reason: string | null = 'no heartbeat from the worker for 61 s';
    const { url } = await openSite([], { workerDeadReason: () => reason });
    const dead = await fetchResponse(`${url}/healthz`);
    expect([dead.status, JSON.parse(dead.text)]).toEqual([503, { status: 'dead', reason }]);
    reason = null;
    expect((await fetchResponse(`${url}/healthz`)).status).toBe(200);
  });
});

describe('an unknown path', () => {
  it('is a page for a browser, with a key, and JSON for a client', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const { url } = await openSite();
    const page = await browse(`${url}/nowhere`, { headers: { accept } });
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('There is no page at this address.');
    expect(page.text).toContain('href="/packages"');
    const keyed = await openSite([KEY]);
    expect((await browse(`${keyed.url}/nowhere`, { headers: { accept } })).status).toBe(401);
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await browse(`${keyed.url}/accounts/main/nowhere`, { headers });
      expect([answer.status, answer.text]).toEqual([404, '{"error":"no such path"}']);
    }
    const post = await browse(`${url}/nowhere`, { form: {}, headers: { accept } });
    expect([post.status, post.text]).toEqual([404, '{"error":"no such path"}']);
  });
});

describe('the accounts', () => {
  it('are selected by /accounts/NAME where they have a package with the same id', async () => {
    const { url } = await openSite();
    expect((await fetchVideos(`${url}/accounts/main${VIDEOS}?pkg=101`)).ids).toEqual([2, 1]);
    expect((await fetchVideos(`${url}/accounts/other${VIDEOS}?pkg=101`)).ids).toEqual([5, 4, 3]);
    expect(await fetchVideos(`${url}${VIDEOS}?pkg=101`)).toEqual({
      errorCode: 'PackageAmbiguous',
      errorMessage:
        'accounts main, other have package 101; put /accounts/NAME before the path, as in /accounts/main',
      ids: [],
    });
  });

  it('need no name for a package that only one of them has', async () => {
    const { url } = await openSite();
    expect((await fetchVideos(`${url}${VIDEOS}?pkg=7`)).ids).toEqual([6]);
    expect((await fetchVideos(`${url}/accounts/alone${VIDEOS}?pkg=7`)).ids).toEqual([6]);
    expect((await fetchVideos(`${url}/accounts/main${VIDEOS}?pkg=7`)).errorCode).toBe('PackageNotFound');
  });

  it('are selected by /accounts/NAME for their storage', async () => {
    const { url } = await openSite();
    const success = (bytes: number) => ({ message: 'success', days: [['2026-03-08', bytes]] });
    expect(await fetchStorage(`${url}/accounts/main${DAYS}`)).toEqual(success(1_000));
    expect(await fetchStorage(`${url}/accounts/other${DAYS}`)).toEqual(success(2_000));
    expect(await fetchStorage(`${url}${DAYS}`)).toEqual({
      message: 'accounts main, other have storage; put /accounts/NAME before the path, as in /accounts/main',
      days: [],
    });
    expect(await fetchStorage(`${url}/accounts/alone${DAYS}`)).toEqual({
      message: 'account alone has no storage in the config',
      days: [],
    });
  });

  it('are those of the config, by their full name', async () => {
    const { url } = await openSite();
    for (const name of ['nobody', 'MAIN', 'mai', '', 'main/other', ':name', '*']) {
      expect([name, (await fetchResponse(`${url}/accounts/${name}${VIDEOS}?pkg=101`)).status]).toEqual([
        name,
        404,
      ]);
    }
  });
});

describe('a package', () => {
  it('is not ready before a walk of it ended, or a run included it', async () => {
    const { url } = await openSite();
    for (const pkg of [102, 103]) {
      for (const order of ['', '&sort_item=title', '&search_item=title&keyword=main']) {
        expect(await fetchVideos(`${url}${VIDEOS}?pkg=${pkg}${order}`)).toEqual({
          errorCode: 'PackageNotReady',
          errorMessage: `package ${pkg} of account main has not been read completely yet`,
          ids: [],
        });
      }
    }
  });

  it('does not exist where the config has none with its id, whatever the file contains', async () => {
    const { url } = await openSite();
    for (const pkg of [500, 999]) {
      expect(await fetchVideos(`${url}${VIDEOS}?pkg=${pkg}`)).toEqual({
        errorCode: 'PackageNotFound',
        errorMessage: `there is no package ${pkg}`,
        ids: [],
      });
    }
  });

  it('is as old as its last full walk', async () => {
    const { url } = await openSite();
    expect((await fetchResponse(`${url}${VIDEOS}?pkg=104`)).headers.get('age')).toBe('1800');
    expect((await fetchResponse(`${url}${MAIN}${DAYS}`)).headers.get('age')).toBe('1800');
    expect((await fetchResponse(`${url}${VIDEOS}?pkg=102`)).headers.has('age')).toBe(false);
  });
});

describe('compression', () => {
  /** The response in its transferred encoding. */
  function wire(url: string, encoding: string, headers = {}) {
    return new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>(
      (resolve, reject) => {
        const options = { headers: { 'accept-encoding': encoding, ...headers } };
        get(url, options, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => void chunks.push(chunk));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              bytes: Buffer.concat(chunks),
            }),
          );
        }).on('error', reject);
      },
    );
  }

  const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

  it.each(['br', 'gzip'] as const)('with %s has the same bytes after decoding', async (name) => {
    const { url } = await openSite();
    for (const path of [
      `${VIDEOS}?pkg=104&pagesize=1000`,
      `${VIDEOS}?pkg=104&pagesize=4`,
      '/openapi.json',
      '/metrics',
    ]) {
      const plain = await wire(`${url}${path}`, 'identity');
      const packed = await wire(`${url}${path}`, name);
      expect([path, packed.headers['content-encoding']]).toEqual([path, name]);
      expect(packed.headers.vary).toContain('accept-encoding');
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
      if (path === '/metrics') continue; // changes between two scrapes
      expect(decoders[name](packed.bytes).equals(plain.bytes)).toBe(true);
    }
  });

  it('is left out for small responses, and for a client that accepts no supported encoding', async () => {
    const { url } = await openSite();
    expect((await wire(`${url}/healthz`, 'br')).headers).not.toHaveProperty('content-encoding');
    for (const encoding of ['', 'identity', 'deflate', 'zstd', 'gzip;q=0']) {
      const { status, headers } = await wire(`${url}${VIDEOS}?pkg=104`, encoding);
      expect([encoding, status, headers['content-encoding']]).toEqual([encoding, 200, undefined]);
    }
  });
});

describe('no response of the server', () => {
  const keys = [CANARY_KEY, 'canary-in-a-header-5b3d'];
  const [inQuery, inHeader] = [encodeURIComponent(CANARY_KEY), 'canary-in-a-header-5b3d'];

  /** All responses of a site to requests with the key and the query in every address and header. */
  async function everything(url: string, query: string, key: string): Promise<[string, string][]> {
    const paths = [
      ...['?pkg=104', '?pkg=101', '?pkg=102', '?pkg=999', '?pkg=x', '?sort_item=none'].map(
        (text) => VIDEOS + text,
      ),
      ...['?sdate=2026-03-01&edate=2026-03-31', '?sdate=x', '?'].map((text) => STORAGE + text),
      ...['/healthz?', '/readyz?', '/openapi.json?', '/metrics?', '/?', `/${query}?`],
      ...[`${MAIN}${VIDEOS}?pkg=101`, `${MAIN}${DAYS}`, `/accounts/${query}${VIDEOS}?pkg=1`],
    ];
    const answers: [string, string][] = [];
    for (const path of paths) {
      vi.setSystemTime(Date.now() + 60_000); // after ten wrong keys there would be nothing but 429
      for (const headers of [
        {},
        { 'x-api-key': key },
        { 'x-main-key': key, authorization: `Bearer ${key}` },
        withPassword(key),
      ]) {
        for (const target of [`${path}&key=${query}`, path]) {
          const { status, text, headers: received } = await fetchResponse(`${url}${target}`, headers);
          answers.push([
            `${target} ${Object.keys(headers).join()}: ${status}`,
            JSON.stringify([...received]) + text,
          ]);
        }
      }
    }
    return answers;
  }

  it.each([
    ['right', keys],
    ['wrong', ['server-key-of-20-char']],
  ])('contains a key of it, nor one of the service: %s keys', async (_which, serverKeys) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { url, errors } = await openSite(serverKeys);
    const answers = await everything(url, inQuery, inHeader);
    vi.setSystemTime(Date.now() + 60_000);
    const metrics = await fetchResponse(`${url}/metrics?key=${encodeURIComponent(serverKeys[0] ?? '')}`);
    answers.push(['/metrics at the end', metrics.text]);
    expect(metrics.text).toContain('route="/info/v1/videos.json"');
    expect(answers.filter(([name]) => name.endsWith(': 429'))).toEqual([]);
    expect(findCanary(answers)).toEqual([]);
    for (const key of [
      inHeader,
      withPassword(inHeader).authorization.slice(6),
      ...SERVICE_KEYS,
      ...serverKeys.slice(-1),
    ]) {
      expect(answers.filter(([, text]) => text.includes(key)).map(([name]) => name)).toEqual([]);
    }
    expect(errors).toEqual([]);
  });
});

describe('the metrics of the server', () => {
  it('count its responses by route and status, and not by path', async () => {
    const { url } = await openSite();
    for (const path of [
      `${VIDEOS}?pkg=104`,
      `/accounts/main${VIDEOS}?pkg=101`,
      `/accounts/other${VIDEOS}?pkg=101`,
      '/no/such/path',
      '/healthz',
    ]) {
      await fetchResponse(`${url}${path}`);
    }
    const scraped = readPrometheusText((await fetchResponse(`${url}/metrics`)).text);
    const name = 'vodhouse_http_request_duration_seconds_count';
    const counted = scraped.samples
      .filter((sample) => sample.name === name)
      .map(({ labels }) => labels.route);
    expect(new Set(counted)).toEqual(new Set([VIDEOS, `/accounts/NAME${VIDEOS}`, 'none', '/healthz']));
    expect(valueIn(scraped, name, { route: `/accounts/NAME${VIDEOS}`, status: '200' })).toBe(2);
    expect(valueIn(scraped, name, { route: 'none', status: '404' })).toBe(1);
  });
});

describe('an internal error', () => {
  it('is reported to the process around it, and not to the client', async () => {
    const live = liveFileToServe();
    const { url, errors } = await openSiteOver(configToServe(live));
    execute(live, 'drop table storage_day');
    const { status, text } = await fetchResponse(`${url}${MAIN}${DAYS}`);
    expect([status, JSON.parse(text)]).toEqual([500, { error: 'internal error' }]);
    expect(errors.map(String).join()).toContain('storage_day');
  });

  it('is a ConfigError where the port is in use, which names it, with a hint', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => void blocker.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void blocker.close());
    const { port } = blocker.address() as AddressInfo;
    const config = configToServe(liveFileToServe());
    const opened = openSiteOver({ ...config, server: { ...config.server, port } });
    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow(
      new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${port}: .*EADDRINUSE`),
    );
    await expect(opened).rejects.toMatchObject({ hint: expect.stringContaining('server.port') as string });
  });

  it('is a ConfigError with another hint where this machine has no such address', async () => {
    const config = configToServe(liveFileToServe());
    const opened = openSiteOver({ ...config, server: { ...config.server, host: '192.0.2.1', keys: [KEY] } });
    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toMatchObject({ hint: expect.stringContaining('server.host') as string });
  });

  it('leaves no connection behind: after its end its port is free', async () => {
    const { url, close } = await openSite();
    await fetchResponse(`${url}${VIDEOS}?pkg=104&sort_item=title`);
    await close();
    await expect(fetchResponse(`${url}/healthz`)).rejects.toThrow();
    const config = configToServe(liveFileToServe());
    const again = await openSiteOver({
      ...config,
      server: { ...config.server, port: Number(new URL(url).port) },
    });
    expect(again.url).toBe(url);
  });
});
