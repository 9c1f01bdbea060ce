import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openPipeline } from '../../src/app/pipeline.ts';
import { InterruptedError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { silentProgress } from '../../src/sync/context.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { readRows, readValue } from '../support/fixtures/live-file.ts';
import { listBody, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createStorageConfig, createTestConfig } from '../support/fixtures/test-config.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';

/**
 * Two accounts, of which undici loses the requests of the first: a key that no header can carry blocks the two connections of
 * its pool. No config file may have such a key, so the config is made here.
 */
async function openBesideLost() {
  const service = await startScriptedService(
    serveEverything(() => ({ body: listBody({ records: [videoRecord(1)] }) })),
  );
  const file = join(temporaryFolder(), 'vodhouse.db');
  const config = createTestConfig({ url: service.url }, file);
  const [account] = config.accounts;
  if (!account) throw new Error('the test config has an account');
  const auth = { header: 'x-api-key' };
  const storage = createStorageConfig(service.url, { auth, key: '“a key”' });
  const limits = { ...account.limits, concurrency: 2 };
  const lost = { ...account, name: 'lost', limits, storage };
  const logger = createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined });
  const environment = { clock: createVirtualClock(), logger, progress: silentProgress, command: 'test' };
  const pipeline = openPipeline({ ...config, accounts: [lost, account] }, environment);
  onTestFinished(() => pipeline.close());
  return { pipeline, file };
}

it('a run ends beside an account whose requests are lost, and serves the others', async () => {
  const { pipeline, file } = await openBesideLost();
  const { status, failures } = await pipeline.run({
    trigger: 'manual',
    signal: new AbortController().signal,
  });
  expect(status).toBe('partial');
  expect(failures.map(({ account }) => account)).not.toContain('main');
  expect(failures).toContainEqual(expect.objectContaining({ account: 'lost', kind: 'timeout' }));
  expect(readRows(file, `select status from walk where account = 'main'`)).toEqual([{ status: 'succeeded' }]);
});

it('a run beside such an account ends within five seconds of its signal', async () => {
  const { pipeline, file } = await openBesideLost();
  const controller = new AbortController();
  const run = pipeline.run({ trigger: 'manual', signal: controller.signal });
  const sent = `select count(*) from request where account = 'lost'`;
  await expect.poll(() => readValue(file, sent)).toBe(3); // undici answers two, and forgets the third
  const stoppedAt = performance.now();
  controller.abort(new InterruptedError('stopped by the test'));
  expect(await run).toMatchObject({ status: 'interrupted' });
  expect(performance.now() - stoppedAt).toBeLessThan(5_000);
});
