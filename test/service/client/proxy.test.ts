import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RefusedError, TransientError } from '../../../src/lib/errors.ts';
import {
  accountAt,
  catchFailure,
  createTestClient,
  pageRequest,
  type TestClientOptions,
} from '../../support/fixtures/service-client.ts';
import { AUTHORITY, SELF_SIGNED, SIGNED } from '../../support/fixtures/self-signed.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';
import { listenOnLoopback } from '../../support/servers/loopback.ts';
import { startProxy, type ProxyOptions } from '../../support/servers/proxy-server.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';

const body = listBody({ records: [videoRecord(1)] });
const PASSWORD = 'p@ss:word/1';
const withLogin = (url: string) => url.replace('://', `://me:${encodeURIComponent(PASSWORD)}@`);
const BASE = 'https://service.example.test';

/** A service over TLS, known to its clients by a name that only the proxy can resolve. */
async function startBehind(options: ProxyOptions = {}) {
  const service = await startScriptedService(() => ({ body }), SIGNED);
  const port = Number(new URL(service.url).port);
  const proxy = await startProxy({ ports: { 'service.example.test': port }, ...options });
  return { service, proxy };
}

/** A client of the service at `base`, by the proxy. */
async function clientBy(base: string, proxy: string, options: TestClientOptions = {}) {
  const proxies = { httpProxy: proxy, httpsProxy: proxy, noProxy: 'direct.example.test' };
  const account = { ...accountAt(base), proxies, ca: [AUTHORITY], ...options.account };
  return createTestClient(() => 'hang', { ...options, account });
}

async function failBy(base: string, proxy: string, options: TestClientOptions = {}) {
  const { client, budget } = await clientBy(base, proxy, options);
  const error = await catchFailure(client.videoPage(pageRequest()));
  return { error, sent: budget.spent.map(({ result }) => result?.sent) };
}

describe('a proxy', () => {
  it('gives a tunnel to a service over TLS, which sees nothing of the proxy', async () => {
    const { service, proxy } = await startBehind({ login: `me:${PASSWORD}` });
    const { client, budget } = await clientBy(BASE, withLogin(proxy.url), { account: { concurrency: 1 } });
    for (const page of [1, 2]) expect((await client.videoPage(pageRequest(page))).videos).toHaveLength(1);
    expect(proxy.requests).toEqual(['CONNECT service.example.test:443']);
    expect(service.requests.map(({ headers }) => headers.host)).toEqual(
      Array(2).fill('service.example.test'),
    );
    expect(JSON.stringify(service.requests[0]?.headers)).not.toContain('proxy');
    expect(budget.spent.map(({ result }) => result?.sent)).toEqual([true, true]);
    expect(proxy.tunnels()).toBe(1);
    client.close();
    await expect.poll(proxy.tunnels).toBe(0);
  });

  it('gets requests for plain http with their complete address', async () => {
    const service = await startScriptedService(() => ({ body }));
    const proxy = await startProxy({ login: `me:${PASSWORD}` });
    const { client } = await clientBy(`${service.url}/api`, withLogin(proxy.url));
    expect((await client.videoPage(pageRequest())).videos).toHaveLength(1);
    expect(proxy.requests).toEqual([`GET ${service.url}/api/info/v1/videos.json`]);
    expect(service.requests[0]?.headers.host).toBe(new URL(service.url).host);
  });

  it('may speak TLS itself', async () => {
    const { proxy } = await startBehind({ tls: SIGNED });
    const { client } = await clientBy(BASE, proxy.url.replace('127.0.0.1', 'localhost'));
    expect((await client.videoPage(pageRequest())).videos).toHaveLength(1);
    expect(proxy.requests).toEqual(['CONNECT service.example.test:443']);
  });

  it('is not asked for a host of NO_PROXY', async () => {
    const { proxy } = await startBehind();
    const { error } = await failBy('http://direct.example.test', proxy.url);
    expect(error.message).toContain('ENOTFOUND');
    expect(proxy.requests).toEqual([]);
  });

  it('has as many tunnels at once as the account has requests in flight', async () => {
    const slow = () => new Promise<{ body: string }>((resolve) => setTimeout(() => resolve({ body }), 30));
    const service = await startScriptedService(slow, SIGNED);
    const port = Number(new URL(service.url).port);
    const proxy = await startProxy({ ports: { 'service.example.test': port } });
    const { client } = await clientBy(BASE, proxy.url, { account: { concurrency: 2 } });
    await Promise.all([1, 2, 3, 4, 5, 6].map((page) => client.videoPage(pageRequest(page))));
    expect(proxy.requests).toHaveLength(2);
    expect(service.mostAtOnce()).toBe(2);
  });
});

describe('a connection that cannot be opened', () => {
  const NOT_SENT = Array<boolean>(5).fill(false);

  it.each<[string, ProxyOptions, (url: string) => string, string]>([
    ['asks for a password', { login: 'me:x' }, (url) => url, '407'],
    ['rejects the password', { login: 'me:x' }, withLogin, '407'],
    ['refuses the tunnel', { answer: { status: 403 } }, withLogin, '403'],
    ['cannot reach the service', { answer: { status: 503 } }, withLogin, '503'],
    ['has TLS behind http', { tls: SIGNED }, (url) => url.replace('https:', 'http:'), 'closed'],
    ['is not there', {}, () => withLogin('http://127.0.0.1:1'), 'ECONNREFUSED 127.0.0.1:1'],
  ])('by a proxy that %s is tried again, and counts as not sent', async (_, options, toUrl, reason) => {
    const { proxy } = await startBehind(options);
    const { error, sent } = await failBy(BASE, toUrl(proxy.url));
    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ fault: 'connection', hint: expect.stringContaining('`proxy`') as string });
    expect(error.message).toContain(reason);
    expect(`${error.message}${error.hint}`).not.toContain('word');
    expect(sent).toEqual(NOT_SENT);
  });

  it('by a proxy that closes each one is tried once an attempt', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.once('data', () => socket.destroy());
    });
    const { host, close } = await listenOnLoopback(server);
    onTestFinished(close);
    const { error, sent } = await failBy(BASE, `http://${host}`);
    expect(error).toMatchObject({ fault: 'connection' });
    expect([connections, sent]).toEqual([5, NOT_SENT]);
  });

  it('in time ends, also by a proxy that does not answer', async () => {
    const { proxy } = await startBehind({ answer: 'hang' });
    const retry = { attempts: 1, baseMs: 1, capMs: 1 };
    const { error, sent } = await failBy(BASE, proxy.url, { connectTimeoutMs: 200, retry });
    expect(error).toMatchObject({ fault: 'connection' });
    expect(sent).toEqual([false]);
  });

  it('for its certificate, or because one end has no TLS, is not tried again', async () => {
    const { proxy } = await startBehind({ tls: SELF_SIGNED });
    const { proxy: plain } = await startBehind();
    const service = await startScriptedService(() => 'hang');
    const secure = await startScriptedService(() => 'hang', SELF_SIGNED);
    for (const [hint, failed] of [
      ['`ca`', await failBy(BASE, proxy.url.replace('127.0.0.1', 'localhost'))],
      ['`ca`', await failBy(BASE, plain.url, { account: { ca: null } })],
      ['`ca`', await failBy(secure.url, '')],
      ['`proxy`', await failBy(BASE, plain.url.replace('http:', 'https:').replace('127.0.0.1', 'localhost'))],
      ['write http:// in base_url', await failBy(service.url.replace('http:', 'https:'), '')],
    ] as const) {
      expect(failed.error).toBeInstanceOf(RefusedError);
      expect(failed.error).toMatchObject({
        fault: 'connection',
        hint: expect.stringContaining(hint) as string,
      });
      expect(failed.error.message.includes('(the server speaks no TLS)')).toBe(hint !== '`ca`');
      expect(failed.error.message).not.toContain('OpenSSL');
      expect(failed.sent).toEqual([false]);
    }
  });
});

it.each([
  ['besides those of Node', [SELF_SIGNED.cert, AUTHORITY]],
  ['also that of the service itself', [SIGNED.cert]],
])('trusts the certificates of the config, %s', async (_, ca) => {
  const { url } = await startScriptedService(() => ({ body }), SIGNED);
  const { client } = await createTestClient(() => 'hang', { account: { ...accountAt(url), ca } });
  expect((await client.videoPage(pageRequest())).videos).toHaveLength(1);
});
