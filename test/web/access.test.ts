import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { version } from '../../src/lib/package-root.ts';
import { execute } from '../support/fixtures/live-file.ts';
import {
  DAYS,
  KEY,
  fetchResponse,
  fetchStorage,
  fetchVideos,
  configToServe,
  liveFileToServe,
  MAIN,
  openSite,
  openSiteOver,
  STORAGE,
  VIDEOS,
} from '../support/servers/open-web-server.ts';
import { withPassword } from '../support/with-password.ts';
import { connectRaw, requestText } from '../support/servers/raw-connection.ts';

const CHALLENGE = 'Basic realm="vodhouse", charset="UTF-8"';

describe('a server without keys', () => {
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

  it('refuses further wrong keys of an address after ten, wherever it sent them, but no right one', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await openSite([KEY]);
    const list = `${VIDEOS}?pkg=104`;
    const paths = [
      list,
      DAYS,
      `${MAIN}${list}`,
      `${MAIN}${DAYS}`,
      '/metrics',
      '/readyz',
      '/',
      '/storage.csv',
    ];
    for (const path of paths) {
      const wrong = { 'x-api-key': `wrong key for ${path}` };
      expect([path, (await fetchResponse(`${url}${path}`, wrong)).status]).not.toEqual([path, 429]);
    }
    for (const wrong of ['ninth', 'tenth']) await fetchResponse(`${url}${list}&key=${wrong}`);
    for (const path of paths) {
      const send = (key: string) => fetchResponse(`${url}${path}`, { authorization: `Bearer ${key}` });
      const { status, headers, text } = await send('wrong');
      expect([path, status, headers.get('retry-after')]).toEqual([path, 429, '60']);
      expect(text).toMatch(/too many wrong keys from this address/i);
      expect([path, (await send(KEY)).status]).toEqual([path, path === '/readyz' ? 503 : 200]);
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
