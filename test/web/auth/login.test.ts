import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { browse, type Browsed, type BrowseOptions } from '../../support/browser/browser-request.ts';
import { KEY, openLoginServer } from '../../support/servers/login-server.ts';
import { connectRaw } from '../../support/servers/raw-connection.ts';

const OTHER = 'other key & more';

/** Name and value of the cookie that was set. */
const readCookie = ({ headers }: Browsed) => headers['set-cookie']?.[0]?.split(';')[0] ?? '';

const login = (loginUrl: string, key = KEY, options: BrowseOptions = {}) =>
  browse(loginUrl, { form: { key, next: '/packages/main' }, ...options });

const statusWith = async (url: string, cookie: string) => (await browse(url, { headers: { cookie } })).status;

describe('without a key', () => {
  it('a page is a form that leads back to it, and its data are rejected', async () => {
    const { url, page } = await openLoginServer();
    const { status, headers, text } = await browse(`${page}?order=title&key=wr0ng`);
    expect([status, headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    expect(text).toBe('<form>{"next":"/packages/main?order=title","error":null}</form>');
    expect(headers).not.toHaveProperty('set-cookie');
    expect((await browse(`${url}/data.json`)).status).toBe(401);
  });

  it('a page accepts a key in any of its places', async () => {
    const { page } = await openLoginServer();
    const carried: [string, Record<string, string>][] = [
      [`${page}?key=${KEY}`, {}],
      [page, { authorization: `Bearer ${KEY}` }],
      [page, { 'x-api-key': KEY }],
      [page, { 'x-main-key': KEY }],
    ];
    for (const [url, headers] of carried) expect((await browse(url, { headers })).status).toBe(200);
  });
});

describe('a valid key', () => {
  it('leads to the page, with a cookie that is valid for pages and data for 30 days', async () => {
    const { url, page, loginUrl, clock } = await openLoginServer();
    const loggedIn = await login(loginUrl);
    expect([loggedIn.status, loggedIn.headers.location]).toEqual([303, '/packages/main']);
    expect(loggedIn.headers['cache-control']).toBe('no-store');
    const [, ...attributes] = loggedIn.headers['set-cookie']?.[0]?.split('; ') ?? [];
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
    const cookie = readCookie(loggedIn);
    clock.advance(30 * DAY_MS - 1);
    expect(await statusWith(page, cookie)).toBe(200);
    expect(await statusWith(`${url}/data.json`, `one=1; ${cookie}; other=2`)).toBe(200);
    clock.advance(1);
    expect(await statusWith(page, cookie)).toBe(401);
    expect(await statusWith(`${url}/data.json`, cookie)).toBe(401);
  });

  it('is any of the keys, with or without spaces around it', async () => {
    const { page, loginUrl } = await openLoginServer([KEY, OTHER]);
    for (const key of [KEY, OTHER, ` ${OTHER}\t`]) {
      expect(await statusWith(page, readCookie(await login(loginUrl, key)))).toBe(200);
    }
  });

  it('gives a cookie for https only if the browser used https', async () => {
    const { loginUrl } = await openLoginServer();
    const isSecure = async (proto: string) =>
      (await login(loginUrl, KEY, { headers: { 'x-forwarded-proto': proto } })).headers[
        'set-cookie'
      ]?.[0]?.includes('; Secure');
    expect([await isSecure('https'), await isSecure('HTTPS, http')]).toEqual([true, true]);
    expect([await isSecure('http'), await isSecure('http, https'), await isSecure('')]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('a wrong key', () => {
  it('shows the form again with an error, and sets no cookie', async () => {
    const { loginUrl } = await openLoginServer([KEY, OTHER]);
    const forms = [
      ...['', 'x', `${KEY}x`, KEY.slice(1), KEY.toUpperCase()].map((key) => `key=${key}&next=/packages/main`),
      'next=/packages/main',
      `key=${KEY}&key=x&next=/packages/main`,
      `key[]=${KEY}&next=/packages/main`,
    ];
    for (const form of forms) {
      const { status, headers, text } = await browse(loginUrl, { form });
      expect([form, status, headers['content-type']]).toEqual([form, 401, 'text/html; charset=utf-8']);
      expect(text).toBe('<form>{"next":"/packages/main","error":"This is not a key of this server."}</form>');
      expect(headers).not.toHaveProperty('set-cookie');
    }
  });
});

describe('a cookie', () => {
  it('is rejected if one character differs, or if it was forged', async () => {
    const { page, loginUrl, clock } = await openLoginServer();
    const cookie = readCookie(await login(loginUrl));
    const [name = '', value = ''] = cookie.split('=');
    const [end = '', signature = ''] = decodeURIComponent(value).split('.');
    const signWith = (secret: string) =>
      createHmac('sha256', secret).update(end).digest('base64').replace('=', '');
    const later = String(clock.now() + 60 * DAY_MS);
    const values = [
      ...decodeURIComponent(value)
        .split('')
        .map((character, at, all) => all.with(at, character === '7' ? '8' : '7').join('')),
      ...[`${later}.${signature}`, later, `${later}.`, `.${signature}`, signature, '', '.', '%', end],
      ...[KEY, '', 'vodhouse cookie'].map((secret) => `${end}.${signWith(secret)}`),
    ];
    expect(value.length).toBeGreaterThan(50);
    for (const each of values) {
      expect([each, await statusWith(page, `${name}=${encodeURIComponent(each)}`)]).toEqual([each, 401]);
    }
    expect(await statusWith(page, cookie.replace('vodhouse', 'other'))).toBe(401);
    expect(await statusWith(page, cookie)).toBe(200);
  });

  it('survives a restart, until its key leaves the config', async () => {
    const before = await openLoginServer([KEY, OTHER]);
    const [ofKey, ofOther] = [
      readCookie(await login(before.loginUrl)),
      readCookie(await login(before.loginUrl, OTHER)),
    ];
    const after = await openLoginServer([OTHER, 'a-new-key']);
    expect([await statusWith(after.page, ofKey), await statusWith(after.page, ofOther)]).toEqual([401, 200]);
  });

  it('has the port of the config in its name, so that servers on one host do not collide', async () => {
    const { loginUrl } = await openLoginServer([KEY], { port: 8320 });
    expect(readCookie(await login(loginUrl))).toMatch(/^vodhouse_8320=/);
  });

  it('is dead after /logout, with each copy of it, also after a restart', async () => {
    const { url, page, loginUrl, file, clock, errors } = await openLoginServer();
    const [left, kept] = [readCookie(await login(loginUrl)), readCookie(await login(loginUrl))];
    expect(left).not.toBe(kept);
    const { status, headers } = await browse(`${url}/logout`, { form: '', headers: { cookie: left } });
    expect([status, headers.location]).toEqual([303, '/']);
    expect(headers['set-cookie']?.[0]).toBe('vodhouse_0=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
    expect([await statusWith(page, left), await statusWith(page, kept)]).toEqual([401, 200]);
    const after = await openLoginServer([KEY], { file, clock });
    expect([await statusWith(after.page, left), await statusWith(after.page, kept)]).toEqual([401, 200]);
    expect([...errors, ...after.errors]).toEqual([]);
  });

  it('that is not valid adds nothing to the list of ended sessions', async () => {
    const { url, loginUrl, file } = await openLoginServer();
    const cookie = readCookie(await login(loginUrl));
    for (const each of [`${cookie}x`, 'vodhouse_0=1-1.x', '']) {
      await browse(`${url}/logout`, { form: '', headers: { cookie: each } });
    }
    expect(existsSync(file)).toBe(false);
  });
});

describe('a form', () => {
  it('only redirects to this server', async () => {
    const { url, loginUrl } = await openLoginServer();
    const tries = [
      ...['//evil.test', '/\\evil.test', 'https://evil.test/', '\\\\evil.test', 'evil.test', ''],
      ...['/x\r\nset-cookie: a=b', '/\t/evil.test', 'javascript:alert(1)', '/.//evil.test', '/가', '/a b'],
    ];
    for (const next of tries) {
      const { status, headers } = await browse(loginUrl, { form: { key: KEY, next } });
      expect([next, status, headers.location]).toEqual([next, 303, '/']);
      expect(headers['set-cookie']).toHaveLength(1);
    }
    const next = '/packages/main?search=%ED%95%9C&page=2';
    expect((await browse(loginUrl, { form: { key: KEY, next } })).headers.location).toBe(next);
    expect(await browse(`${url}/login?next=//evil.test`, { form: { key: KEY } })).toMatchObject({
      headers: { location: '/' },
    });
  });

  it('is rejected from another site', async () => {
    const { url, loginUrl } = await openLoginServer();
    const own = new URL(url).host;
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.test' },
      { origin: `http://${own}.evil.test` },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
      { origin: 'file://' },
      { origin: '' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: url },
      { 'sec-fetch-site': 'cross-site', origin: url },
      { origin: 'https://evil.test', 'x-forwarded-host': 'warehouse.test, evil.test' },
    ];
    for (const headers of foreign) {
      for (const path of ['/login', '/logout']) {
        const rejected = await browse(`${url}${path}`, { form: { key: KEY, next: '/' }, headers });
        expect([headers, path, rejected.status]).toEqual([headers, path, 403]);
        expect(rejected.text).toContain('from another site');
        expect(rejected.headers).not.toHaveProperty('set-cookie');
      }
    }
    const ours: Record<string, string>[] = [
      { origin: url },
      { origin: url, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://warehouse.test', host: 'Warehouse.test' },
      { origin: 'https://warehouse.test', 'x-forwarded-host': 'warehouse.test, inner.test' },
    ];
    for (const headers of ours) {
      expect([headers, (await login(loginUrl, KEY, { headers })).status]).toEqual([headers, 303]);
    }
  });

  it('is rejected above 1,024 bytes, with or without a content-length', async () => {
    const { url, loginUrl } = await openLoginServer();
    const next = '/';
    expect((await browse(loginUrl, { form: `key=${KEY}&next=${next}&x=`.padEnd(1_024, 'x') })).status).toBe(
      303,
    );
    expect((await browse(loginUrl, { form: `key=${KEY}&next=${next}&x=`.padEnd(1_025, 'x') })).status).toBe(
      413,
    );
    const head =
      'POST /login HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-www-form-urlencoded\r\n';
    const endless = connectRaw(
      url,
      `${head}transfer-encoding: chunked\r\n\r\n800\r\n${'x'.repeat(2_048)}\r\n`,
    );
    expect(await endless.ended).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('has room for the longest path and a key', async () => {
    const { page, loginUrl } = await openLoginServer();
    const longest = `/packages/${'%'.repeat(190)}`;
    expect((await browse(loginUrl, { form: { key: 'k'.repeat(400), next: longest } })).status).toBe(401);
    expect((await browse(`${page}?search=${'%ED'.repeat(200)}`)).text).toContain('"next":"/"');
  });

  it('is the only accepted content type and method', async () => {
    const { loginUrl } = await openLoginServer();
    const body = JSON.stringify({ key: KEY });
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'x']) {
      const { status } = await browse(loginUrl, { form: body, headers: { 'content-type': type } });
      expect([type, status]).toEqual([type, 415]);
    }
    expect((await browse(loginUrl)).headers.location).toBe('/'); // typed into the address bar
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expect([method, (await browse(loginUrl, { method, form: { key: KEY } })).status]).toEqual([
        method,
        404,
      ]);
    }
  });
});

describe('a caller with wrong keys', () => {
  it('is rejected after ten until the minute is over, even with a valid key', async () => {
    const { loginUrl, clock } = await openLoginServer();
    for (let attempt = 1; attempt <= 10; attempt++) {
      expect((await login(loginUrl, `wrong-${attempt}`)).status).toBe(401);
      clock.advance(1_000);
    }
    for (const key of ['wrong-11', KEY]) {
      const { status, headers, text } = await login(loginUrl, key);
      expect([status, headers['retry-after']]).toEqual([429, '50']);
      expect(text).toContain('Try again in 50 s.');
      expect(headers).not.toHaveProperty('set-cookie');
    }
    clock.advance(49_999);
    expect((await login(loginUrl)).headers['retry-after']).toBe('1');
    clock.advance(1);
    expect((await login(loginUrl)).status).toBe(303);
  });

  it('does not block other addresses, existing sessions, or requests without a key', async () => {
    const { page, loginUrl } = await openLoginServer();
    const cookie = readCookie(await login(loginUrl));
    for (let attempt = 1; attempt <= 10; attempt++) await login(loginUrl, `wrong-${attempt}`);
    expect((await login(loginUrl)).status).toBe(429);
    expect((await login(loginUrl, KEY, { from: '127.0.0.2' })).status).toBe(303);
    expect(await statusWith(page, cookie)).toBe(200);
    expect((await browse(page, { headers: { cookie, 'x-api-key': 'wrong' } })).status).toBe(200);
    expect((await browse(page)).status).toBe(401);
  });

  const places: [string, (key: string) => { query?: string; headers?: Record<string, string> }][] = [
    ['the query', (key) => ({ query: `?key=${key}` })],
    ['a bearer token', (key) => ({ headers: { authorization: `Bearer ${key}` } })],
    ['x-api-key', (key) => ({ headers: { 'x-api-key': key } })],
    ['the header of an account', (key) => ({ headers: { 'x-main-key': key } })],
  ];

  it.each(places)('is blocked wherever it sent them: in %s', async (_place, carry) => {
    const { url, page, loginUrl, clock } = await openLoginServer();
    const request = (address: string, key: string) =>
      browse(`${address}${carry(key).query ?? ''}`, { headers: carry(key).headers ?? {} });
    const data = `${url}/data.json`;
    for (let attempt = 1; attempt <= 9; attempt++) await request(data, `wrong-${attempt}`);
    expect((await request(data, KEY)).status).toBe(200);
    expect((await request(data, 'wrong-10')).status).toBe(401);

    const blocked = await request(data, KEY);
    expect([blocked.status, blocked.headers['retry-after']]).toEqual([429, '60']);
    expect(JSON.parse(blocked.text)).toEqual({
      error: 'too many wrong keys from this address; try again in 60 s',
    });
    const form = await request(page, KEY);
    expect([form.status, form.headers['retry-after']]).toEqual([429, '60']);
    expect(form.text).toContain('Too many wrong keys from this address. Try again in 60 s.');
    expect((await login(loginUrl)).status).toBe(429);
    clock.advance(60_000);
    expect((await request(data, KEY)).status).toBe(200);
  });

  it('does not lock out others at its address while it repeats an outdated key', async () => {
    const { url } = await openLoginServer();
    const statusFor = async (key: string) => (await browse(`${url}/data.json?key=${key}`)).status;
    for (let attempt = 1; attempt <= 10; attempt++) expect(await statusFor('outdated')).toBe(401);
    expect([await statusFor('outdated'), await statusFor(KEY)]).toEqual([429, 200]);
  });
});

describe('the address of a caller', () => {
  /** The status of a request with the right key after ten wrong ones, each under another forwarded address. */
  async function statusAfterTen(
    trustProxy: boolean | readonly string[],
    forward: (attempt: number) => string,
    from?: string,
  ) {
    const { url } = await openLoginServer([KEY], { trustProxy });
    const send = async (attempt: number, key: string) => {
      const headers = { 'x-forwarded-for': forward(attempt), 'x-api-key': key };
      return (await browse(`${url}/data.json`, { headers, ...(from !== undefined && { from }) })).status;
    };
    for (let attempt = 1; attempt <= 10; attempt++) await send(attempt, `wrong-${attempt}`);
    return send(11, KEY);
  }
  const other = (attempt: number) => `192.0.2.${attempt}`;
  const appended = (attempt: number) => `192.0.2.${attempt}, 198.51.100.7`;

  it('is that of the connection: a forged x-forwarded-for evades nothing', async () => {
    expect(await statusAfterTen(false, other)).toBe(429);
    expect(await statusAfterTen(false, appended)).toBe(429);
  });

  it('is what a trusted proxy says', async () => {
    for (const trustProxy of [true, ['127.0.0.1'], ['127.0.0.0/8'], ['10.0.0.1', '127.0.0.1']]) {
      expect([trustProxy, await statusAfterTen(trustProxy, other)]).toEqual([trustProxy, 200]);
      expect(await statusAfterTen(trustProxy, () => '192.0.2.1')).toBe(429);
    }
  });

  it('is the last one that no trusted proxy has: those before it may be forged', async () => {
    expect(await statusAfterTen(true, appended)).toBe(429);
    expect(await statusAfterTen(['127.0.0.1'], appended)).toBe(429);
    expect(await statusAfterTen(['127.0.0.1', '198.51.100.0/24'], appended)).toBe(200);
  });

  it('is that of the connection where this is no trusted proxy', async () => {
    expect(await statusAfterTen(['127.0.0.1'], other, '127.0.0.2')).toBe(429);
    expect(await statusAfterTen(['10.0.0.0/8'], other)).toBe(429);
    expect(await statusAfterTen([], other)).toBe(429);
  });
});

describe('a server without keys', () => {
  it('has neither form nor cookie', async () => {
    const { url, page, errors } = await openLoginServer([]);
    expect((await browse(page)).status).toBe(200);
    for (const path of ['/login', '/logout']) {
      expect((await browse(`${url}${path}`, { form: { key: '', to: '/' } })).status).toBe(404);
    }
    expect(await statusWith(page, 'vodhouse_0=1.x')).toBe(200);
    expect(errors).toEqual([]);
  });
});

describe('no response', () => {
  it('contains a key or a cookie, except the new cookie itself', async () => {
    const { url, page, loginUrl, errors } = await openLoginServer();
    const loggedIn = await login(loginUrl);
    const cookie = readCookie(loggedIn);
    const wrong = 'nearly-the-key';
    const answers = [
      loggedIn,
      await login(loginUrl, wrong),
      await browse(loginUrl, { form: { key: KEY, next: `/packages/main?key=${KEY}` } }),
      await browse(loginUrl, { form: `{"key":"${KEY}"`, headers: { 'content-type': 'application/json' } }),
      await browse(loginUrl, {
        form: { key: KEY, next: '/' },
        headers: { origin: 'https://evil.test', cookie },
      }),
      await browse(`${page}?key=${wrong}`),
      await browse(`${page}?key=${KEY}`, { headers: { cookie } }),
      await browse(`${url}/data.json?key=${wrong}`, { headers: { cookie: `${cookie}x` } }),
      await browse(`${url}/${KEY}`, { headers: { cookie } }),
    ];
    for (const { headers, text } of answers) {
      const answer = JSON.stringify({ ...headers, 'set-cookie': null }) + text;
      for (const secret of [KEY, wrong, cookie.slice(-40)]) expect(answer).not.toContain(secret);
      expect(headers['set-cookie']?.join() ?? '').not.toContain(KEY);
    }
    expect(errors).toEqual([]);
  });
});
