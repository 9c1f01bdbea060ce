import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listBody, videoRecord, serveEverything } from '../support/fixtures/service-responses.ts';
import { openTestPipeline } from '../support/fixtures/open-pipeline.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';
import { idsFrom, startPackageService } from '../support/servers/test-service.ts';
import { openPipeline } from '../../src/app/pipeline.ts';
import { InterruptedError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { silentProgress } from '../../src/sync/context.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { readRows, readValue } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createStorageConfig, createTestConfig } from '../support/fixtures/test-config.ts';

it('a run with more than ten requests at a time makes no warning of Node', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const service = await startPackageService([1, 2, 3]);
  service.delayMs = 50;
  const pipeline = openTestPipeline({ url: service.url, packages: idsFrom(101, 20), concurrency: 15 });
  expect(await pipeline.run()).toMatchObject({ status: 'succeeded', packagesDone: 20 });
  expect(warnings).toEqual([]);
});

/** Bytes in use, without garbage. */
function measureHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

it('walks that wait for their next page hold no records', async () => {
  const [first = 0, ...packages] = idsFrom(101, 41);
  const heaps: number[] = [];
  let requests = 0;
  let answerAll: () => void = () => undefined;
  let areAllThere = Promise.resolve();
  /** Resolves once each package has a request. */
  const waitForAll = () => {
    if (requests++ % packages.length === 0)
      areAllThere = new Promise((resolve) => {
        answerAll = resolve;
      });
    if (requests % packages.length === 0) {
      heaps.push(measureHeap());
      answerAll();
    }
    return areAllThere;
  };
  const { url } = await startScriptedService(async ({ query }) => {
    const page = Number(query.get('page'));
    const sort_direction = query.get('sort_direction') === 'desc' ? 'DESC' : 'ASC';
    const id = sort_direction === 'DESC' ? 4 - page : page;
    // no other package begins before its first response
    if (query.get('pkg') !== String(first)) await waitForAll();
    const records = [videoRecord(id, { content: `${'x'.repeat(500_000)}${id}` })];
    const paging = { page, pagesize: 1, totalcount: 3, totalpage: 3 };
    return { body: listBody({ records, sort_direction, ...paging }) };
  });
  const options = { concurrency: packages.length + 1, pageSize: 1 };
  const pipeline = openTestPipeline({ url, packages: [first, ...packages], ...options });
  expect(await pipeline.run()).toMatchObject({ status: 'succeeded' });
  const [before = 0, ...others] = heaps;
  // after a probe, the third page, a look from the other end, and the second page
  expect(others).toHaveLength(4);
  for (const heap of others) expect(heap - before).toBeLessThan(10_000_000);
});

/**
 * Two accounts, of which undici loses the requests of the first: a key that no header can carry blocks the
 * two connections of its pool. No config file may have such a key, so the config is made here.
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

it('a run ends next to an account whose requests are lost, and serves the others', async () => {
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

it('a run next to such an account ends within five seconds of its signal', async () => {
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
