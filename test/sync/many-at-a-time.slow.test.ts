import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { listBody, videoRecord } from '../support/fixtures/service-responses.ts';
import { openTestPipeline } from '../support/fixtures/open-pipeline.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';
import { idsFrom, startPackageService } from '../support/servers/test-service.ts';

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
    if (query.get('pkg') !== String(first)) await waitForAll(); // no other package begins before its first response
    const records = [videoRecord(id, { content: `${'x'.repeat(500_000)}${id}` })];
    const paging = { page, pagesize: 1, totalcount: 3, totalpage: 3 };
    return { body: listBody({ records, sort_direction, ...paging }) };
  });
  const options = { concurrency: packages.length + 1, pageSize: 1 };
  const pipeline = openTestPipeline({ url, packages: [first, ...packages], ...options });
  expect(await pipeline.run()).toMatchObject({ status: 'succeeded' });
  const [before = 0, ...others] = heaps;
  expect(others).toHaveLength(4); // after a probe, the third page, a look from the other end, and the second page
  for (const heap of others) expect(heap - before).toBeLessThan(10_000_000);
});
