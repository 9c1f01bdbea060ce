import { Agent, get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { expectDescribed } from '../../support/openapi-document.ts';
import { BusyError } from '../../../src/lib/errors.ts';
import { createGate } from '../../support/servers/scripted-service.ts';
import { createFixture, KEY, startServer } from '../../support/servers/plain-catalogue.ts';
import type { Catalogue, VideoRecord } from '../../../src/service/server/catalogue.ts';
import type { StorageDay } from '../../../src/service/storage.ts';
import { connectRaw, requestText } from '../../support/servers/raw-connection.ts';
import { storageRecord, videoRecord } from '../../support/fixtures/service-responses.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';

describe('the server', () => {
  it('hides an exception of the catalogue behind a 500 and passes it to onError', async () => {
    const failure = new Error('disk /secret/place is gone');
    const failing = () => Promise.reject(failure);
    const errors: unknown[] = [];
    const { url } = await startServer({
      catalogue: { videos: failing, storage: failing },
      onError: (error) => void errors.push(error),
    });
    const response = await fetch(`${url}/info/v1/videos.json?key=${KEY}&pkg=1`);
    expect(response.status).toBe(500);
    const body: unknown = await response.json();
    expectDescribed('/info/v1/videos.json', 500, body);
    expect(body).toEqual({ error: 'internal error' });
    expect(errors).toEqual([failure]);
  });

  it('responds with 503 where the queue of the catalogue is full', async () => {
    const busy = () => Promise.reject(new BusyError('64 searches wait already'));
    const { url } = await startServer({ catalogue: { ...createFixture().catalogue, videos: busy } });
    const response = await fetch(`${url}/info/v1/videos.json?key=${KEY}&pkg=1`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toEqual({ error: '64 searches wait already' });
  });

  it('aborts the query of the catalogue when the client leaves, which is no failure', async () => {
    const { catalogue } = createFixture();
    const errors: unknown[] = [];
    const { open: markRequested, opened: requested } = createGate();
    const { open: gaveUp, opened: givenUp } = createGate();
    const videos: typeof catalogue.videos = (_query, signal) =>
      new Promise((_, reject) => {
        const give = () => {
          reject(signal.reason as Error);
          gaveUp();
        };
        signal.addEventListener('abort', give, { once: true });
        markRequested();
      });
    const onError = (error: unknown) => void errors.push(error);
    const { url } = await startServer({ catalogue: { ...catalogue, videos }, onError });
    const request = get(`${url}/info/v1/videos.json?key=${KEY}&pkg=1`).on('error', () => undefined);
    await requested;
    request.destroy();
    await givenUp;
    await fetch(`${url}/another`); // whose response follows that one
    expect(errors).toEqual([]);
  });

  it('closes although a client has its connection open', async () => {
    const { url, server } = await startServer({ catalogue: createFixture().catalogue });
    const agent = new Agent({ keepAlive: true });
    await new Promise((resolve, reject) => {
      get(`${url}/`, { agent }, (response) => response.resume().on('end', resolve)).on('error', reject);
    });
    await server.close();
    await expect(fetch(url)).rejects.toThrow();
    agent.destroy();
  });

  it('closes although a response is not ready, and ends its connection', async () => {
    const { catalogue } = createFixture();
    const { open: markRequested, opened: requested } = createGate();
    const videos = () => {
      markRequested();
      return new Promise<never>(() => undefined);
    };
    const { url, server } = await startServer({ catalogue: { ...catalogue, videos } });
    const answer = expect(fetch(`${url}/info/v1/videos.json?key=${KEY}&pkg=1`)).rejects.toThrow();
    await requested;
    await server.close();
    await answer;
  });
});

const LIST = `/info/v1/videos.json?key=${KEY}&pkg=1`;
const DAYS = '/report/stats/video/storage?sdate=2026-03-01&edate=2026-03-02';
const BOTH = [
  ['videos', LIST],
  ['storage', DAYS],
] as const;

const READ_AT = '2026-03-10T12:00:00Z';

const videos = [1, 2].map((id) => videoRecord(id) as VideoRecord);
const days = ['2026-03-01', '2026-03-02'].map((day) => storageRecord(day) as unknown as StorageDay);

/** A server whose catalogue was read at that moment, or is current, with the clock that it uses. */
async function startRead(readAt?: string) {
  const { catalogue } = createFixture(videos, days);
  const aged = readAt === undefined ? {} : { readAt: Date.parse(readAt) };
  const clock = createVirtualClock(READ_AT);
  const read: Catalogue = {
    videos: async (query, signal) => ({ ...(await catalogue.videos(query, signal)), ...aged }),
    storage: async (range) => ({ ...(await catalogue.storage(range)), ...aged }),
  };
  return { ...(await startServer({ catalogue: read, now: () => clock.now() })), clock };
}

describe.each(BOTH)('a response of %s', (_operation, path) => {
  it('has its age in whole seconds', async () => {
    const { url, clock } = await startRead(READ_AT);
    const age = async () => (await fetch(`${url}${path}`)).headers.get('age');
    expect(await age()).toBe('0');
    clock.advance(59_999);
    expect(await age()).toBe('59');
    clock.advance(1);
    expect(await age()).toBe('60');
    clock.advance(-3_600_000);
    expect(await age()).toBe('0');
  });

  it('has no age where it is read from the service itself', async () => {
    const { url } = await startRead();
    expect((await fetch(`${url}${path}`)).headers.has('age')).toBe(false);
  });

  it('is requested anew each time', async () => {
    const { url } = await startRead(READ_AT);
    const { headers } = await fetch(`${url}${path}`);
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  it('has the headers of GET and no body for HEAD', async () => {
    const { url } = await startRead(READ_AT);
    const got = await fetch(`${url}${path}`);
    const length = (await got.arrayBuffer()).byteLength;
    const answer = await connectRaw(url, requestText(path).replace('GET', 'HEAD')).ended;
    const [head = '', ...body] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    for (const name of ['age', 'cache-control', 'content-type']) {
      expect(head).toContain(`${name}: ${got.headers.get(name) ?? ''}\r\n`);
    }
    expect(head).toContain(`content-length: ${length}\r\n`);
    expect(body).toEqual(['']);
  });
});

describe('an error response', () => {
  it('has no age', async () => {
    const { url } = await startRead(READ_AT);
    for (const query of ['', '?key=wrong&pkg=1', `?key=${KEY}`, `?key=${KEY}&pkg=one`]) {
      const { status, headers } = await fetch(`${url}/info/v1/videos.json${query}`);
      expect([query, status, headers.has('age')]).toEqual([query, 200, false]);
    }
    expect((await fetch(`${url}${DAYS}&sort_direction=up`)).headers.has('age')).toBe(false);
  });
});
