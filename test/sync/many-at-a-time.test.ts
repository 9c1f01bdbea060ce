import { expect, it, onTestFinished } from 'vitest';
import { openTestPipeline } from '../support/fixtures/open-pipeline.ts';
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
