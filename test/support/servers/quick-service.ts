/** A package that was walked whole once, and quick runs over it. */
import { startChangingPackage, type ChangingPackage } from './changing-package.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { openTestPipeline, type TestPipelineOptions, type TestPipeline } from '../fixtures/open-pipeline.ts';

/** The ids of live rows, rising. */
export function liveIds(pipeline: TestPipeline): number[] {
  return pipeline
    .query<{ id: number }>('select id from video where removed_at is null order by id')
    .map(({ id }) => id);
}

/** A service that was walked whole once. */
export async function walked(ids: readonly number[], wishes: Partial<TestPipelineOptions> = {}) {
  const service = await startChangingPackage(ids);
  const pipeline = openTestPipeline({ url: service.url, silent: true, ...wishes });
  await pipeline.run();
  service.requests.length = 0;
  return { service, pipeline };
}

/** One quick run an hour later: what it came to, and what it asked. */
export async function lookAt({ service, pipeline }: { service: ChangingPackage; pipeline: TestPipeline }) {
  service.requests.length = 0;
  pipeline.clock.advance(HOUR_MS);
  const summary = await pipeline.run({ mode: 'quick' });
  return { summary, pages: service.pages() };
}
