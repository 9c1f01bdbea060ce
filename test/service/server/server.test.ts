import { Agent, get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { expectDescribed } from '../../support/openapi-document.ts';
import { BusyError } from '../../../src/lib/errors.ts';
import { createGate } from '../../support/servers/scripted-service.ts';
import { createFixture, KEY, startServer } from '../../support/servers/plain-catalogue.ts';

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
