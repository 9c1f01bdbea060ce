import { get } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigError } from '../../src/lib/errors.ts';
import { browse } from '../support/browser/browser-request.ts';
import { CANARY_KEY, findCanary } from '../support/fixtures/awkward-key.ts';
import { execute } from '../support/fixtures/live-file.ts';
import {
  DAYS,
  KEY,
  fetchResponse,
  configToServe,
  liveFileToServe,
  MAIN,
  openSite,
  openSiteOver,
  SERVICE_KEYS,
  STORAGE,
  VIDEOS,
} from '../support/servers/open-web-server.ts';
import { readPrometheusText, valueIn } from '../support/prometheus-text.ts';
import { withPassword } from '../support/with-password.ts';

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
      '/healthz?',
      '/readyz?',
      '/openapi.json?',
      '/metrics?',
      '/?',
      `/${query}?`,
      `${MAIN}${VIDEOS}?pkg=101`,
      `${MAIN}${DAYS}`,
      `/accounts/${query}${VIDEOS}?pkg=1`,
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
