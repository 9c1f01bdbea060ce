import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { browse } from '../support/browser/browser-request.ts';
import {
  KEY,
  configToServe,
  liveFileToServe,
  openSite,
  openSiteOver,
  VIDEOS,
} from '../support/servers/open-web-server.ts';
import { withPassword } from '../support/with-password.ts';

const OTHER = 'another: key & mehr für 한국';
const CHALLENGE = 'Basic realm="vodhouse", charset="UTF-8"';

describe('signing in', () => {
  it('takes any name, and any of the keys as the password', async () => {
    const { url } = await openSite([KEY, OTHER]);
    for (const [name, password] of [
      ['me', KEY],
      ['', KEY],
      ['한국', OTHER],
      ['me', ` ${OTHER} `],
    ] as const) {
      const headers = withPassword(password, name);
      for (const path of ['/', '/storage.csv', '/metrics']) {
        const answer = await browse(url + path, { headers });
        expect([name, path, answer.status]).toEqual([name, path, 200]);
        expect(answer.headers).not.toHaveProperty('www-authenticate');
        expect(answer.headers).not.toHaveProperty('set-cookie');
      }
    }
  });

  it('takes nothing else', async () => {
    const wrong = [
      {},
      withPassword('', KEY),
      withPassword(KEY.toUpperCase()),
      withPassword(`${KEY}x`),
      withPassword(`x:${KEY}`),
      { authorization: `Basic ${KEY}` },
      { authorization: `Digest ${btoa(`:${KEY}`)}` },
      { cookie: `key=${KEY}` },
    ];
    const { url } = await openSite([KEY]);
    for (const headers of wrong) {
      const answer = await browse(`${url}/packages`, { headers });
      expect([headers, answer.status, answer.headers['www-authenticate']]).toEqual([headers, 401, CHALLENGE]);
      expect(answer.text).toContain('API key required');
    }
    expect((await browse(`${url}/packages`, { method: 'HEAD' })).status).toBe(401);
  });

  it('is possible for a client with its key too', async () => {
    const { url } = await openSite([KEY]);
    for (const [query, headers] of [
      [`?key=${KEY}`, {}],
      ['', { authorization: `Bearer ${KEY}` }],
      ['', { 'x-api-key': KEY }],
      ['', { 'x-main-key': KEY }],
    ] as const) {
      expect((await browse(`${url}/storage.csv${query}`, { headers })).status).toBe(200);
    }
  });

  it('is not necessary for the readiness, which then has no names', async () => {
    const { url } = await openSite([KEY]);
    const known = await browse(`${url}/readyz`, { headers: withPassword(KEY) });
    expect(known.text).toContain('main/102');
    const open = await browse(`${url}/readyz`);
    expect([open.status, open.headers['www-authenticate']]).toEqual([503, undefined]);
    expect(open.text).not.toContain('main/102');
  });
});

describe('an address with ten wrong keys', () => {
  it('gets 429 for further ones until the minute is over, and is let in with the right key', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await openSite([KEY]);
    const open = (key: string, from = '127.0.0.1') => browse(url, { headers: withPassword(key), from });
    for (let right = 1; right <= 20; right++) expect((await open(KEY)).status).toBe(200);
    for (let wrong = 1; wrong <= 10; wrong++) expect((await open('outdated')).status).toBe(401);
    vi.setSystemTime(Date.now() + 10_000);
    const { status, headers, text } = await open('outdated');
    expect([status, headers['retry-after'], headers['www-authenticate']]).toEqual([429, '50', undefined]);
    expect(JSON.parse(text)).toEqual({
      error: 'too many wrong keys from this address; try again in 50 s',
    });
    expect((await open(KEY)).status).toBe(200);
    expect((await browse(`${url}${VIDEOS}?pkg=104&key=${KEY}`)).status).toBe(200);
    expect((await browse(`${url}${VIDEOS}?pkg=104&key=outdated`)).status).toBe(429);
    expect([(await browse(url)).status, (await open('outdated', '127.0.0.2')).status]).toEqual([401, 401]);
    vi.setSystemTime(Date.now() + 50_000);
    expect((await open('outdated')).status).toBe(401);
  });
});

describe('the address of a caller', () => {
  /** The status of the last of eleven requests with a wrong key, each under another forwarded address. */
  async function statusOfEleventh(
    trustProxy: boolean | readonly string[],
    forward: (attempt: number) => string,
    from = '127.0.0.1',
  ) {
    const config = configToServe(liveFileToServe(), [KEY]);
    const { url, close, errors } = await openSiteOver({
      ...config,
      server: { ...config.server, trustProxy },
    });
    const send = async (attempt: number) => {
      const headers = { ...withPassword('wrong'), 'x-forwarded-for': forward(attempt) };
      return (await browse(`${url}/storage.csv`, { headers, from })).status;
    };
    for (let attempt = 1; attempt <= 10; attempt++) await send(attempt);
    const status = await send(11);
    await close();
    expect(errors).toEqual([]);
    return status;
  }
  const other = (attempt: number) => `192.0.2.${attempt}`;
  const appended = (attempt: number) => `192.0.2.${attempt}, 198.51.100.7`;

  it('is that of the connection, unless a trusted proxy says another one: a forged one evades nothing', async () => {
    expect(await statusOfEleventh(false, other)).toBe(429);
    expect(await statusOfEleventh(['10.0.0.0/8'], other)).toBe(429);
    expect(await statusOfEleventh(['127.0.0.1'], other, '127.0.0.2')).toBe(429);
    for (const trustProxy of [true, ['127.0.0.0/8']]) {
      expect([trustProxy, await statusOfEleventh(trustProxy, other)]).toEqual([trustProxy, 401]);
    }
  });

  it('is the last one that no trusted proxy has: those before it may be forged', async () => {
    expect(await statusOfEleventh(true, appended)).toBe(429);
    expect(await statusOfEleventh(['127.0.0.1'], appended)).toBe(429);
    expect(await statusOfEleventh(['127.0.0.1', '198.51.100.0/24'], appended)).toBe(401);
  });

  it('is the same with another port, and in the whole network of an IPv6 address', async () => {
    const forms = [
      ['192.0.2.1:500#', 429],
      ['::ffff:192.0.2.1', 429],
      ['2001:db8:1:2::#', 429],
      ['[2001:db8:1:2::#]:500#', 429],
      ['2001:db8:1:#::1', 401],
      ['[2001:db8:1:#::1]:5001', 401],
      ['unknown', 429],
    ] as const;
    for (const [form, status] of forms) {
      const forward = (attempt: number) => form.replaceAll('#', String(attempt));
      expect([form, await statusOfEleventh(true, forward)]).toEqual([form, status]);
    }
  });
});
