import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { openBucket } from '../../src/publishing/targets/stores/s3.ts';
import { listenOnLoopback } from '../support/servers/loopback.ts';

/** The limit of the product is 60 s. */
const SILENCE_MS = 1_000;
const OBJECT = Buffer.alloc(48_000_000, 'x');

/** A store that does with each request what the test says. */
async function openSlowBucket(work: (request: IncomingMessage, response: ServerResponse) => unknown) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    request.on('error', () => undefined);
    void work(request, response);
  });
  const { host, close } = await listenOnLoopback(server);
  onTestFinished(close);
  const store = openBucket(
    {
      kind: 's3',
      bucket: 'lake',
      prefix: '',
      endpoint: `http://${host}`,
      region: 'eu-central-1',
      accessKeyId: 'id',
      secretAccessKey: 'key',
      sessionToken: null,
    },
    { silenceMs: SILENCE_MS, retries: 0 },
  );
  return { store, countRequests: () => requests };
}

it('a store that reads or writes for longer than the limit of silence, but steadily, is left alone', async () => {
  let bytes = 0;
  const { store, countRequests } = await openSlowBucket(async (request, response) => {
    if (request.method === 'PUT') {
      for await (const piece of request) {
        bytes += (piece as Buffer).length;
        await sleep((piece as Buffer).length / 12_000); // 12 MB/s
      }
      response.end();
      return;
    }
    response.writeHead(200, { 'content-length': OBJECT.length });
    for (let sent = 0; sent < OBJECT.length; sent += 1_000_000) {
      response.write(OBJECT.subarray(sent, sent + 1_000_000));
      await sleep(80);
    }
    response.end();
  });
  const startedAt = performance.now();
  await store.put('one', [OBJECT.subarray(0, 40_000_000), OBJECT.subarray(40_000_000)]);
  expect(performance.now() - startedAt).toBeGreaterThan(3 * SILENCE_MS);
  expect(bytes).toBe(OBJECT.length);
  expect((await store.get('one'))?.byteLength).toBe(OBJECT.length);
  expect(performance.now() - startedAt).toBeGreaterThan(6 * SILENCE_MS);
  expect(countRequests()).toBe(2);
});

it.each<[string, (request: IncomingMessage, response: ServerResponse) => unknown]>([
  ['takes a body and never answers', (request) => request.resume()],
  ['never reads', () => undefined],
  ['stops reading', (request) => request.once('data', () => request.pause())],
  [
    'stops in its answer',
    (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-length': 1000 }).write('half');
    },
  ],
])('a store that %s is given up, also after a garbage collection', async (_, work) => {
  const { store } = await openSlowBucket(work);
  setFlagsFromString('--expose-gc');
  const collector = setInterval(runInNewContext('gc') as () => void, SILENCE_MS / 3);
  onTestFinished(() => clearInterval(collector));
  const startedAt = performance.now();
  const expected = {
    code: 'ETIMEDOUT',
    message: expect.stringContaining('took and sent nothing for 1 s') as string,
  };
  await expect(store.put('one', [OBJECT])).rejects.toMatchObject(expected);
  await expect(store.get('one')).rejects.toMatchObject(expected);
  expect(performance.now() - startedAt).toBeLessThan(10 * SILENCE_MS);
});
