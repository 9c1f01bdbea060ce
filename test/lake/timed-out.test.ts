import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openS3LakeSite } from '../support/fixtures/s3-lake-site.ts';
import { startS3Server } from '../support/servers/s3-server.ts';

it('a load that takes longer than load_timeout sends nothing afterwards, and the next one loads', async () => {
  const server = await startS3Server();
  const site = openS3LakeSite(server);
  site.register();
  await site.walk([1, 2, 3]);
  await site.publish();
  server.order(({ method }) =>
    method === 'PUT' ? { kind: 'answer', status: 503, code: 'SlowDown', message: 'later' } : null,
  );
  const slow = await site.load({}, { loadTimeoutMs: 250 });
  expect(slow['main']).toMatchObject({
    outcome: 'failed',
    error: expect.stringContaining('load_timeout') as string,
  });
  server.order(() => null);
  server.restart();
  await sleep(1_500); // a request was to be repeated by now
  expect(server.requests).toEqual([]);
  expect((await site.load())['main']).toMatchObject({ outcome: 'loaded' });
});
