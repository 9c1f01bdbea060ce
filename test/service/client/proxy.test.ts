import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RefusedError, TransientError } from '../../../src/lib/errors.ts';
import type { Proxy } from '../../../src/lib/http/proxy.ts';
import {
  accountAt,
  catchFailure,
  createTestClient,
  pageRequest,
  type TestClientOptions,
} from '../../support/fixtures/service-client.ts';
import { AUTHORITY, SELF_SIGNED, SIGNED } from '../../support/fixtures/self-signed.ts';
import { listBody, videoRecord } from '../../support/fixtures/service-responses.ts';
import { startProxy, type ProxyOptions } from '../../support/servers/proxy-server.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';

const body = listBody({ records: [videoRecord(1)] });
const PASSWORD = 'p@ss:word/1';
const LOGIN = `me:${encodeURIComponent(PASSWORD)}@`;

/** A service over TLS, known to its clients by the name service.example.test, that only the proxy can resolve. */
async function startBehind(options: ProxyOptions = {}) {
  const service = await startScriptedService(() => ({ body }), SIGNED);
  const port = Number(new URL(service.url).port);
  const proxy = await startProxy({ ports: { 'service.example.test': port }, ...options });
  return { service, proxy, base: 'https://service.example.test' };
}

/** A client of the service at `base`, by the proxy. */
async function clientBy(
  base: string,
  proxy: string | Proxy,
  { ca = [AUTHORITY], ...options }: TestClientOptions & { ca?: readonly string[] | null } = {},
) {
  const by = typeof proxy === 'string' ? { url: proxy, variable: null } : proxy;
  const { videoList } = accountAt(base);
  const account = { videoList: { ...videoList, proxy: by }, ca, ...options.account };
  return createTestClient(() => 'hang', { ...options, account });
}

async function failBy(base: string, proxy: string | Proxy, options: TestClientOptions = {}) {
  const { client, budget } = await clientBy(base, proxy, options);
  const error = await catchFailure(client.videoPage(pageRequest()));
  return { error, spent: budget.spent };
}

describe('a proxy', () => {
  it('gives a tunnel to a service over TLS, which sees nothing of the proxy', async () => {
    const { service, proxy, base } = await startBehind({ login: `me:${PASSWORD}` });
    const account = { concurrency: 1 };
    const { client, budget } = await clientBy(base, proxy.url.replace('://', `://${LOGIN}`), { account });
    const page = await client.videoPage(pageRequest());
    await client.videoPage(pageRequest(2));
    expect(page.videos).toHaveLength(1);
    expect(proxy.requests).toEqual(['CONNECT service.example.test:443']);
    expect(service.requests.map(({ headers }) => headers.host)).toEqual([
      'service.example.test',
      'service.example.test',
    ]);
    expect(JSON.stringify(service.requests[0]?.headers)).not.toContain('proxy');
    expect(budget.spent.map(({ result }) => result?.sent)).toEqual([true, true]);
  });

  it('gets requests for plain http with their complete address', async () => {
    const service = await startScriptedService(() => ({ body }));
    const proxy = await startProxy({ login: `me:${PASSWORD}` });
    const { client } = await clientBy(`${service.url}/api`, proxy.url.replace('://', `://${LOGIN}`));
    expect((await client.videoPage(pageRequest())).videos).toHaveLength(1);
    expect(proxy.requests).toEqual([`GET ${service.url}/api/info/v1/videos.json`]);
    expect(service.requests[0]?.headers.host).toBe(new URL(service.url).host);
  });

  it('may speak TLS itself', async () => {
    const { service, proxy, base } = await startBehind({ tls: SIGNED });
    const { client } = await clientBy(base, proxy.url);
    expect((await client.videoPage(pageRequest())).videos).toHaveLength(1);
    const plain = await startScriptedService(() => ({ body }));
    const { client: other } = await clientBy(plain.url, proxy.url);
    expect((await other.videoPage(pageRequest())).videos).toHaveLength(1);
    expect([service.requests.length, plain.requests.length]).toEqual([1, 1]);
    expect(proxy.requests).toEqual([
      'CONNECT service.example.test:443',
      `GET ${plain.url}/info/v1/videos.json`,
    ]);
  });

  it('has as many tunnels at once as the account has requests in flight', async () => {
    const service = await startScriptedService(
      () => new Promise((resolve) => setTimeout(() => resolve({ body }), 30)),
      SIGNED,
    );
    const port = Number(new URL(service.url).port);
    const proxy = await startProxy({ ports: { 'service.example.test': port } });
    const { client } = await clientBy('https://service.example.test', proxy.url, {
      account: { concurrency: 2 },
    });
    await Promise.all([1, 2, 3, 4, 5, 6].map((page) => client.videoPage(pageRequest(page))));
    expect(proxy.requests).toHaveLength(2);
    expect(service.mostAtOnce()).toBe(2);
  });

  it('is left when the client closes', async () => {
    const { proxy, base } = await startBehind();
    const { client } = await clientBy(base, proxy.url);
    await client.videoPage(pageRequest());
    expect(proxy.tunnels()).toBe(1);
    await client.close();
    await expect.poll(proxy.tunnels).toBe(0);
  });
});

describe('an error of a proxy', () => {
  it('names a proxy that is not there, and where it is set', async () => {
    const { base, proxy } = await startBehind();
    await proxy.close();
    const { error, spent } = await failBy(base, proxy.url.replace('://', `://${LOGIN}`));
    expect(error).toBeInstanceOf(TransientError);
    expect(error.message).toContain(`no connection to the proxy ${proxy.host} (connect ECONNREFUSED`);
    expect(error.hint).toContain('check `proxy` of the account in the config');
    expect(`${error.message}${error.hint}`).not.toContain('word');
    expect(spent.map(({ result }) => result?.sent)).toEqual(Array(5).fill(false));
    const { error: other } = await failBy(base, { url: proxy.url, variable: 'HTTPS_PROXY' });
    expect(other.hint).toContain('check HTTPS_PROXY in the environment');
  });

  it('says that it asks for a password, or rejects the one it got', async () => {
    const { base, proxy } = await startBehind({ login: 'me:another' });
    const { error, spent } = await failBy(base, proxy.url);
    expect(error).toBeInstanceOf(RefusedError);
    expect(error.message).toContain(`the proxy ${proxy.host} asks for a name and a password (407)`);
    expect(error.hint).toBe(`write proxy: http://NAME:\${PROXY_PASSWORD}@${proxy.host}`);
    expect(spent.map(({ result }) => result?.sent)).toEqual([false]);
    const { error: rejected } = await failBy(base, proxy.url.replace('://', `://${LOGIN}`));
    expect(rejected.message).toContain(`the proxy ${proxy.host} rejects the name and the password (407)`);
    const { error: plain } = await failBy('http://service.example.test', proxy.url);
    expect(plain.message).toContain(`the proxy ${proxy.host} asks for a name and a password (407)`);
  });

  it('names the kind of authentication that it asks for', async () => {
    const headers = { 'proxy-authenticate': 'NTLM' };
    const { base, proxy } = await startBehind({ answer: { status: 407, headers } });
    const { error } = await failBy(base, proxy.url);
    expect(error.message).toContain(`the proxy ${proxy.host} asks for NTLM authentication (407)`);
  });

  it('says that the proxy does not allow the connection, at once', async () => {
    const { base, proxy } = await startBehind({ answer: { status: 403 } });
    const { error, spent } = await failBy(base, proxy.url);
    expect(error).toBeInstanceOf(RefusedError);
    expect(error.message).toContain(
      `the proxy ${proxy.host} does not allow a connection to service.example.test:443 (it answered 403)`,
    );
    expect(spent).toHaveLength(1);
  });

  it.each([503, 429])('says that the proxy cannot reach the service, and tries again: %d', async (status) => {
    const { base, proxy } = await startBehind({ answer: { status } });
    const { error, spent } = await failBy(base, proxy.url);
    expect(error).toBeInstanceOf(TransientError);
    expect(error.message).toContain(`the proxy ${proxy.host} cannot reach service.example.test:443`);
    expect(spent).toHaveLength(5);
    const { error: plain } = await failBy('http://service.example.test', proxy.url);
    expect(plain.message).toContain(`the service (by the proxy ${proxy.host}) answered ${status}`);
  });

  it('ends the wait for a proxy that does not answer', async () => {
    const { base, proxy } = await startBehind({ answer: 'hang' });
    const retry = { attempts: 1, baseMs: 1, capMs: 1 };
    const { error } = await failBy(base, proxy.url, { connectTimeoutMs: 200, retry });
    expect(error.message).toContain(
      `the proxy ${proxy.host} opened no connection to service.example.test:443 within 0.2 s`,
    );
  });

  it('names a proxy that closes the connection', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const host = `127.0.0.1:${(server.address() as { port: number }).port}`;
    for (const base of ['https://service.example.test', 'http://service.example.test']) {
      const { error } = await failBy(base, `http://${host}`);
      expect(error.message).toContain(`no connection to the proxy ${host}`);
    }
  });

  it('says which of the two certificates is not trusted', async () => {
    const { base, proxy } = await startBehind({ tls: SELF_SIGNED });
    const { error } = await failBy(base, proxy.url);
    expect(error.message).toContain(`the certificate of the proxy ${proxy.host} is not trusted`);
    const { base: at, proxy: plain } = await startBehind();
    const { error: own, spent } = await failBy(at, plain.url, { account: { ca: null } });
    expect(own.message).toContain('the certificate of service.example.test is not trusted');
    expect(own.hint).toContain('`ca: FILE` in the account');
    expect(spent).toHaveLength(1);
  });

  it('says that a proxy with http speaks TLS, at once', async () => {
    const { base, proxy } = await startBehind({ tls: SIGNED });
    const { error, spent } = await failBy(base, proxy.url.replace('https:', 'http:'));
    expect(error.message).toContain(`the proxy ${proxy.host} speaks TLS, \`proxy\` has http`);
    expect(error.hint).toBe(`write https://${proxy.host} in \`proxy\``);
    expect(spent).toHaveLength(1);
  });

  it('says that a proxy with https speaks plain http', async () => {
    const { base, proxy } = await startBehind();
    const { error } = await failBy(base, proxy.url.replace('http:', 'https:'));
    expect(error.message).toContain(
      `no TLS at the proxy ${proxy.host}: \`proxy\` has https, the proxy speaks plain http`,
    );
  });
});

describe('certificates of the config', () => {
  it('are trusted besides those of Node', async () => {
    const service = await startScriptedService(() => ({ body }), SIGNED);
    const { client } = await createTestClient(() => 'hang', {
      account: { ...accountAt(service.url), ca: [SELF_SIGNED.cert, AUTHORITY] },
    });
    expect((await client.videoPage(pageRequest())).videos).toHaveLength(1);
  });

  it('may be those of the service itself', async () => {
    const service = await startScriptedService(() => ({ body }), SIGNED);
    const { client } = await createTestClient(() => 'hang', {
      account: { ...accountAt(service.url), ca: [SIGNED.cert] },
    });
    expect((await client.videoPage(pageRequest())).videos).toHaveLength(1);
  });
});
