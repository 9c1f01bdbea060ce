import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { browse, type Browsed, type BrowseOptions } from '../../support/browser/browser-request.ts';
import { KEY, openDoor } from '../../support/servers/login-server.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { connectRaw } from '../../support/servers/raw-connection.ts';

const OTHER = 'other key & more';
/** The cookie that a browser would keep: its name and its value. */
const cookieIn = ({ headers }: Browsed) => headers['set-cookie']?.[0]?.split(';')[0] ?? '';

const enter = (door: string, key = KEY, options: BrowseOptions = {}) =>
  browse(door, { form: { key, to: '/packages/main' }, ...options });

const statusWith = async (url: string, cookie: string) => (await browse(url, { headers: { cookie } })).status;

describe('without a key', () => {
  it('a page is a form that leads back to it, and its data are refused', async () => {
    const { url, page } = await openDoor();
    const { status, headers, text } = await browse(`${page}?order=title&key=wr0ng`);
    expect([status, headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    expect(text).toBe('<form>{"to":"/packages/main?order=title","said":null}</form>');
    expect(headers).not.toHaveProperty('set-cookie');
    expect((await browse(`${url}/data.json`)).status).toBe(401);
  });

  it('a page is seen by who carries one in any of its places', async () => {
    const { page } = await openDoor();
    const carried: [string, Record<string, string>][] = [
      [`${page}?key=${KEY}`, {}],
      [page, { authorization: `Bearer ${KEY}` }],
      [page, { 'x-api-key': KEY }],
      [page, { 'x-main-key': KEY }],
    ];
    for (const [url, headers] of carried) expect((await browse(url, { headers })).status).toBe(200);
  });
});

describe('a right key', () => {
  it('leads to the page, with a cookie that lets in to pages and data for 30 days', async () => {
    const { url, page, door, clock } = await openDoor();
    const entered = await enter(door);
    expect([entered.status, entered.headers.location]).toEqual([303, '/packages/main']);
    expect(entered.headers['cache-control']).toBe('no-store');
    const [, ...attributes] = entered.headers['set-cookie']?.[0]?.split('; ') ?? [];
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
    const cookie = cookieIn(entered);
    clock.advance(30 * DAY_MS - 1);
    expect(await statusWith(page, cookie)).toBe(200);
    expect(await statusWith(`${url}/data.json`, `one=1; ${cookie}; other=2`)).toBe(200);
    clock.advance(1);
    expect(await statusWith(page, cookie)).toBe(401);
    expect(await statusWith(`${url}/data.json`, cookie)).toBe(401);
  });

  it('is any of them, also with what was pasted around it', async () => {
    const { page, door } = await openDoor([KEY, OTHER]);
    for (const key of [KEY, OTHER, ` ${OTHER}\t`]) {
      expect(await statusWith(page, cookieIn(await enter(door, key)))).toBe(200);
    }
  });

  it('gives a cookie for https only where the browser came by it', async () => {
    const { door } = await openDoor();
    const isSecure = async (proto: string) =>
      (await enter(door, KEY, { headers: { 'x-forwarded-proto': proto } })).headers[
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
  it('gives the form again with a sentence, and no cookie', async () => {
    const { door } = await openDoor([KEY, OTHER]);
    const forms = [
      ...['', 'x', `${KEY}x`, KEY.slice(1), KEY.toUpperCase()].map((key) => `key=${key}&to=/packages/main`),
      'to=/packages/main',
      `key=${KEY}&key=x&to=/packages/main`,
      `key[]=${KEY}&to=/packages/main`,
    ];
    for (const form of forms) {
      const { status, headers, text } = await browse(door, { form });
      expect([form, status, headers['content-type']]).toEqual([form, 401, 'text/html; charset=utf-8']);
      expect(text).toBe('<form>{"to":"/packages/main","said":"This is no key of this server."}</form>');
      expect(headers).not.toHaveProperty('set-cookie');
    }
  });
});

describe('a cookie', () => {
  it('lets nobody in where one character of it is another, or it was made without the server', async () => {
    const { page, door, clock } = await openDoor();
    const cookie = cookieIn(await enter(door));
    const [name = '', value = ''] = cookie.split('=');
    const [end = '', signature = ''] = decodeURIComponent(value).split('.');
    const hmacBy = (secret: string) =>
      createHmac('sha256', secret).update(end).digest('base64').replace('=', '');
    const later = String(clock.now() + 60 * DAY_MS);
    const values = [
      ...decodeURIComponent(value)
        .split('')
        .map((character, at, all) => all.with(at, character === '7' ? '8' : '7').join('')),
      ...[`${later}.${signature}`, later, `${later}.`, `.${signature}`, signature, '', '.', '%', end],
      ...[KEY, '', 'vodhouse cookie'].map((secret) => `${end}.${hmacBy(secret)}`),
    ];
    expect(value.length).toBeGreaterThan(50);
    for (const each of values) {
      expect([each, await statusWith(page, `${name}=${encodeURIComponent(each)}`)]).toEqual([each, 401]);
    }
    expect(await statusWith(page, cookie.replace('vodhouse', 'other'))).toBe(401);
    expect(await statusWith(page, cookie)).toBe(200);
  });

  it('lets in after a restart, and no more once its key is not in the config', async () => {
    const before = await openDoor([KEY, OTHER]);
    const [byKey, byOther] = [cookieIn(await enter(before.door)), cookieIn(await enter(before.door, OTHER))];
    const after = await openDoor([OTHER, 'a-new-key']);
    expect([await statusWith(after.page, byKey), await statusWith(after.page, byOther)]).toEqual([401, 200]);
  });

  it('is named by the port of the config: servers of one host keep theirs', async () => {
    const { door } = await openDoor([KEY], 8320);
    expect(cookieIn(await enter(door))).toMatch(/^vodhouse_8320=/);
  });

  it('is taken away by /leave', async () => {
    const { url, door } = await openDoor();
    const cookie = cookieIn(await enter(door));
    const { status, headers } = await browse(`${url}/leave`, { form: '', headers: { cookie } });
    expect([status, headers.location]).toEqual([303, '/']);
    expect(headers['set-cookie']?.[0]).toBe('vodhouse_0=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
  });
});

describe('a form', () => {
  it('leads to this server, whatever it names', async () => {
    const { url, door } = await openDoor();
    const tries = [
      ...['//evil.test', '/\\evil.test', 'https://evil.test/', '\\\\evil.test', 'evil.test', ''],
      ...['/x\r\nset-cookie: a=b', '/\t/evil.test', 'javascript:alert(1)', '/.//evil.test', '/가', '/a b'],
    ];
    for (const to of tries) {
      const { status, headers } = await browse(door, { form: { key: KEY, to } });
      expect([to, status, headers.location]).toEqual([to, 303, '/']);
      expect(headers['set-cookie']).toHaveLength(1);
    }
    const to = '/packages/main?search=%ED%95%9C&page=2';
    expect((await browse(door, { form: { key: KEY, to } })).headers.location).toBe(to);
    expect(await browse(`${url}/enter?to=//evil.test`, { form: { key: KEY } })).toMatchObject({
      headers: { location: '/' },
    });
  });

  it('is refused from a page of another site', async () => {
    const { url, door } = await openDoor();
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
      for (const path of ['/enter', '/leave']) {
        const refused = await browse(`${url}${path}`, { form: { key: KEY, to: '/' }, headers });
        expect([headers, path, refused.status]).toEqual([headers, path, 403]);
        expect(refused.text).toContain('from a page of another site');
        expect(refused.headers).not.toHaveProperty('set-cookie');
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
      expect([headers, (await enter(door, KEY, { headers })).status]).toEqual([headers, 303]);
    }
  });

  it('is refused above 1,024 bytes, whether it says how long it is or not', async () => {
    const { url, door } = await openDoor();
    const to = '/';
    expect((await browse(door, { form: `key=${KEY}&to=${to}&x=`.padEnd(1_024, 'x') })).status).toBe(303);
    expect((await browse(door, { form: `key=${KEY}&to=${to}&x=`.padEnd(1_025, 'x') })).status).toBe(413);
    const head =
      'POST /enter HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-www-form-urlencoded\r\n';
    const endless = connectRaw(
      url,
      `${head}transfer-encoding: chunked\r\n\r\n800\r\n${'x'.repeat(2_048)}\r\n`,
    );
    expect(await endless.ended).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('has room for the longest address beside a key', async () => {
    const { page, door } = await openDoor();
    const longest = `/packages/${'%'.repeat(190)}`;
    expect((await browse(door, { form: { key: 'k'.repeat(400), to: longest } })).status).toBe(401);
    expect((await browse(`${page}?search=${'%ED'.repeat(200)}`)).text).toContain('"to":"/"');
  });

  it('is all that is taken there', async () => {
    const { door } = await openDoor();
    const body = JSON.stringify({ key: KEY });
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'x']) {
      const { status } = await browse(door, { form: body, headers: { 'content-type': type } });
      expect([type, status]).toEqual([type, 415]);
    }
    expect((await browse(door)).headers.location).toBe('/'); // entered in the address bar
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expect([method, (await browse(door, { method, form: { key: KEY } })).status]).toEqual([method, 404]);
    }
  });
});

describe('a guesser', () => {
  it('is not listened to after ten wrong keys until the minute is over, with the right key too', async () => {
    const { door, clock } = await openDoor();
    for (let guess = 1; guess <= 10; guess++) {
      expect((await enter(door, `guess-${guess}`)).status).toBe(401);
      clock.advance(1_000);
    }
    for (const key of ['guess-11', KEY]) {
      const { status, headers, text } = await enter(door, key);
      expect([status, headers['retry-after']]).toEqual([429, '50']);
      expect(text).toContain('Try again in 50 s.');
      expect(headers).not.toHaveProperty('set-cookie');
    }
    clock.advance(49_999);
    expect((await enter(door)).headers['retry-after']).toBe('1');
    clock.advance(1);
    expect((await enter(door)).status).toBe(303);
  });

  it('keeps out nobody at another address, who is in, or who carries a key', async () => {
    const { page, door } = await openDoor();
    const cookie = cookieIn(await enter(door));
    for (let guess = 1; guess <= 10; guess++) await enter(door, `guess-${guess}`);
    expect((await enter(door)).status).toBe(429);
    expect((await enter(door, KEY, { from: '127.0.0.2' })).status).toBe(303);
    expect(await statusWith(page, cookie)).toBe(200);
    expect((await browse(page, { headers: { 'x-api-key': KEY } })).status).toBe(200);
  });
});

describe('a server without keys', () => {
  it('has neither form nor cookie', async () => {
    const { url, page, errors } = await openDoor([]);
    expect((await browse(page)).status).toBe(200);
    for (const path of ['/enter', '/leave']) {
      expect((await browse(`${url}${path}`, { form: { key: '', to: '/' } })).status).toBe(404);
    }
    expect(await statusWith(page, 'vodhouse_0=1.x')).toBe(200);
    expect(errors).toEqual([]);
  });
});

describe('no answer', () => {
  it('holds a key or a cookie, but for the cookie itself where it is given', async () => {
    const { url, page, door, errors } = await openDoor();
    const entered = await enter(door);
    const cookie = cookieIn(entered);
    const wrong = 'nearly-the-key';
    const answers = [
      entered,
      await enter(door, wrong),
      await browse(door, { form: { key: KEY, to: `/packages/main?key=${KEY}` } }),
      await browse(door, { form: `{"key":"${KEY}"`, headers: { 'content-type': 'application/json' } }),
      await browse(door, { form: { key: KEY, to: '/' }, headers: { origin: 'https://evil.test', cookie } }),
      await browse(`${page}?key=${wrong}`),
      await browse(`${page}?key=${KEY}`, { headers: { cookie } }),
      await browse(`${url}/data.json?key=${wrong}`, { headers: { cookie: `${cookie}x` } }),
      await browse(`${url}/${KEY}`, { headers: { cookie } }),
    ];
    for (const { headers, text } of answers) {
      const said = JSON.stringify({ ...headers, 'set-cookie': null }) + text;
      for (const secret of [KEY, wrong, cookie.slice(-40)]) expect(said).not.toContain(secret);
      expect(headers['set-cookie']?.join() ?? '').not.toContain(KEY);
    }
    expect(errors).toEqual([]);
  });
});
