import { createServer } from 'node:http';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { RefusedError, TransientError } from '../../../src/lib/errors.ts';
import { send } from '../../../src/service/client/transport.ts';
import { AWKWARD_KEY } from '../../support/fixtures/awkward-key.ts';
import {
  accountAt,
  createTestClient,
  catchFailure,
  JANUARY,
  pageRequest,
} from '../../support/fixtures/service-client.ts';
import { listenOnLoopback } from '../../support/servers/loopback.ts';
import { createGate, startScriptedService } from '../../support/servers/scripted-service.ts';
import { listBody, listRefusal, storageBody, videoRecord } from '../../support/fixtures/service-responses.ts';

const ONCE = { retry: { attempts: 1, baseMs: 1, capMs: 1 } };
const ATTEMPT = {
  headers: {},
  now: 0,
  signal: undefined,
  deadlineMs: 5_000,
  maxBytes: 1_000,
  graceMs: 1_000,
  hideSecrets: (text: string) => text,
};
const success = { body: listBody({ records: [videoRecord(1)] }) };

describe('the deadline', () => {
  it('ends an attempt without a response', async () => {
    const { client, budget } = await createTestClient(() => 'hang', { ...ONCE, deadlineMs: 200 });
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({
      fault: 'timeout',
      hint: expect.stringContaining('lower page_size') as string,
    });
    expect(error.message).toContain('within 0.2 s');
    expect((await catchFailure(client.storageDays(JANUARY))).hint).toBeUndefined(); // it has no pages
    expect(budget.spent[0]).toMatchObject({
      entry: { deadlineMs: 200 },
      result: { status: null, bytes: null, sent: true },
    });
  });

  it('ends a response that arrives byte by byte without end', async () => {
    const { client, budget } = await createTestClient(() => ({ drip: ' ', everyMs: 20 }), {
      ...ONCE,
      deadlineMs: 300,
    });
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(error).toMatchObject({ fault: 'timeout' });
    expect(budget.spent[0]?.result).toMatchObject({ status: 200, sent: true });
  });

  it('ends a redirect or an error whose body arrives byte by byte without end', async () => {
    for (const status of [302, 500]) {
      const service = createServer((_, response) => {
        response.writeHead(status, { location: 'https://elsewhere.test/' });
        response.write('x');
      });
      const { host, close } = await listenOnLoopback(service);
      const { client } = await createTestClient(() => success, {
        ...ONCE,
        deadlineMs: 200,
        account: accountAt(`http://${host}`),
      });
      const error = await catchFailure(client.videoPage(pageRequest()));
      expect(error.message).toMatch(/account main, package 101, page 1: /);
      client.close();
      await close();
    }
  });

  it('applies to each attempt, and the next one may succeed', async () => {
    const { client, budget } = await createTestClient(({ number }) => (number === 1 ? 'hang' : success), {
      deadlineMs: 300,
    });
    expect((await client.videoPage(pageRequest())).ids).toEqual([1]);
    expect(budget.spent).toHaveLength(2);
  });
});

describe('a redirect', () => {
  it('is not followed, not retried, and reported by its host alone', async () => {
    const other = await startScriptedService(() => success);
    const location = `${other.url}/login?key=${encodeURIComponent(AWKWARD_KEY)}`;
    const { client, service } = await createTestClient(() => ({
      status: 302,
      headers: { location },
      body: 'moved',
    }));
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ fault: 'redirect', status: 302 });
    expect(error.message).toContain(new URL(other.url).host);
    expect(error.message).not.toContain('login');
    expect(other.requests).toHaveLength(0);
    expect(service.requests).toHaveLength(1);
  });

  it('without a readable address is also a redirect', async () => {
    for (const headers of [{}, { location: 'http://' }]) {
      const { client } = await createTestClient(() => ({ status: 301, headers }));
      expect(await catchFailure(client.videoPage(pageRequest()))).toMatchObject({ fault: 'redirect' });
    }
  });
});

describe('an unreachable service', () => {
  it('is reported as such after five attempts, none of which was sent', async () => {
    const service = await startScriptedService(() => success);
    await service.close();
    const { client, budget, clock } = await createTestClient(() => success, {
      account: accountAt(service.url),
    });
    const error = await catchFailure(client.videoPage(pageRequest()));
    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ fault: 'connection' });
    expect(error.message).toContain('ECONNREFUSED');
    expect(budget.spent.map(({ result }) => result)).toEqual(
      Array(5).fill({ status: null, bytes: null, sent: false }),
    );
    expect(clock.sleeps).toEqual([500, 1000, 2000, 4000]);
    await catchFailure(client.videoPage({ ...pageRequest(), purpose: 'check' })); // a person waits
    expect(clock.sleeps).toHaveLength(4);
  });

  it('has the reason in its error, also where its name has several addresses', async () => {
    const service = await startScriptedService(() => success);
    await service.close();
    const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    const agent = new Agent({ connect: { lookup: (_name, _options, done) => done(null, addresses) } });
    const url = new URL(service.url.replace('127.0.0.1', 'localhost'));
    const outcome = await send(agent, { ...ATTEMPT, url });
    expect(outcome).toMatchObject({ sent: false, status: null });
    const { message } = 'error' in outcome.result ? (outcome.result.error as Error) : new Error('none');
    expect(message).toContain(`ECONNREFUSED 127.0.0.1:${url.port}`);
    expect(message).toContain(`ECONNREFUSED 127.0.0.2:${url.port}`);
    await agent.close();
  });
});

describe('connections', () => {
  it.each([
    [1, 1],
    [4, 2], // undici alternates between two
  ])('are reused by requests in sequence: with a concurrency of %i at most %i', async (concurrency, most) => {
    const { client, service } = await createTestClient(() => success, { account: { concurrency } });
    for (let page = 1; page <= 20; page++) await client.videoPage(pageRequest(page));
    expect(service.requests).toHaveLength(20);
    expect(service.connections()).toBeLessThanOrEqual(most);
  });

  it('are reused after error responses', async () => {
    const replies = [
      { status: 404, body: 'no' },
      { status: 500 },
      listRefusal('No'),
      { body: '<html>' },
      { status: 302 },
    ];
    const { client, service } = await createTestClient(({ number }) => replies[number % 5] ?? success, {
      ...ONCE,
      account: { concurrency: 1 },
    });
    for (let page = 1; page <= 20; page++) await catchFailure(client.videoPage(pageRequest(page)));
    expect(service.requests).toHaveLength(20);
    expect(service.connections()).toBe(1);
  });

  it('are never more than the concurrency, and neither are requests', async () => {
    const gate = createGate();
    const script = async () => {
      await gate.opened;
      return success;
    };
    const { client, service } = await createTestClient(script, { account: { concurrency: 3 } });
    const pages = Array.from({ length: 12 }, (_, index) => client.videoPage(pageRequest(index + 1)));
    await expect.poll(() => service.requests.length).toBe(3);
    gate.open();
    await Promise.all(pages);
    expect(service.requests).toHaveLength(12);
    expect(service.mostAtOnce()).toBe(3);
    expect(service.connections()).toBe(3);
  });
});

describe('the key', () => {
  it('is in the query of the video list', async () => {
    const { client, service } = await createTestClient(() => success);
    await client.videoPage(pageRequest());
    expect(service.requests[0]?.query.get('key')).toBe(AWKWARD_KEY);
  });

  const storage = (options: object) => ({
    ...accountAt('').storage,
    auth: 'none' as const,
    key: 'its-own',
    ...options,
  });

  it.each([
    ['none', null, undefined],
    ['query', 'its-own', undefined],
    [{ header: 'X-Api-Key' }, null, 'its-own'],
  ] as const)('is sent to the storage statistics as configured: %j', async (auth, inQuery, inHeader) => {
    const service = await startScriptedService(() => ({ body: storageBody([]) }));
    const { client } = await createTestClient(() => success, {
      account: { ...accountAt(service.url), storage: { ...storage({ auth }), baseUrl: service.url } },
    });
    await client.storageDays(JANUARY);
    expect(service.requests[0]?.query.get('key') ?? null).toBe(inQuery);
    expect(service.requests[0]?.headers['x-api-key']).toBe(inHeader);
  });
});

describe('an account without statistics', () => {
  it('receives no requests for them', async () => {
    const { client, service } = await createTestClient(() => success, { account: { storage: null } });
    await expect(async () => client.storageDays(JANUARY)).rejects.toThrow(
      'account main has no storage statistics',
    );
    expect(service.requests).toHaveLength(0);
  });
});

describe('the time of a response', () => {
  const date = 'Tue, 10 Mar 2026 12:00:00 GMT';
  it.each([
    ['its date', { date }, Date.parse(date)],
    ['later by its age, where a cache stored it', { date, age: '1200' }, Date.parse(date) + 1_200_000],
    ['its date, where its age is no number', { date, age: 'old' }, Date.parse(date)],
    ['not known without a readable date', { date: 'today', age: '5' }, null],
  ])('is %s', async (_what, headers, dateMs) => {
    const service = await startScriptedService(() => ({ ...success, headers }));
    const agent = new Agent();
    expect(await send(agent, { ...ATTEMPT, url: new URL(service.url) })).toMatchObject({
      status: 200,
      dateMs,
    });
    await agent.close();
  });
});
