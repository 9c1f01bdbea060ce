/** Packages of one account that are walked by the real pipeline, while their service may mix them up. */
import { expect } from 'vitest';
import type { RunSummary } from '../../../src/sync/run.ts';
import { openTestPipeline, type TestPipelineOptions, type TestPipeline } from '../fixtures/open-pipeline.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { idsFrom, startSeveralPackages, type SeveralPackages } from './several-packages.ts';
import type { RunRequest } from '../../../src/app/pipeline.ts';

/** Ids of two packages, interleaved as they are where one account numbers all of its videos. */
export const OF_101 = idsFrom(1, 250, 3);
export const OF_102 = idsFrom(2, 90, 3);

export interface Scene {
  service: SeveralPackages;
  pipeline: TestPipeline;
  /** One run, an hour after the last one. */
  run: (wish?: Partial<RunRequest>) => Promise<RunSummary>;
  /** Answers for the package with the page of another one, so many times. */
  mixUp: (packageId: number, other: number, times: number, page?: number) => void;
  /** The live ids of a package. */
  live: (packageId: number) => number[];
  /** Rows that any run left for a person. */
  leftovers: () => unknown[];
}

/** A service with these packages, and a pipeline that has walked them, one after the other. */
export async function createScene(
  lists: Readonly<Record<number, readonly number[]>>,
  wishes: Partial<TestPipelineOptions> & { walked?: boolean } = {},
): Promise<Scene> {
  const service = await startSeveralPackages(lists);
  const packages = wishes.packages ?? Object.keys(lists).map(Number);
  const settings = { pageSize: 1000, concurrency: 1, removalBrake: 0.2, ...wishes, packages };
  const pipeline = openTestPipeline({ url: service.url, ...settings });
  if (wishes.walked ?? true) expect((await pipeline.run()).status).toBe('succeeded');
  service.requests.length = 0;
  return {
    service,
    pipeline,
    run: (wish) => {
      pipeline.clock.advance(HOUR_MS);
      return pipeline.run(wish);
    },
    mixUp: (packageId, other, times, page) => {
      let left = times;
      service.instead = (asked) =>
        asked.packageId === packageId && (page === undefined || asked.page === page) && left-- > 0
          ? { packageId: other }
          : undefined;
    },
    live: (packageId) =>
      pipeline
        .query<{
          id: number;
        }>('select id from video where package_id = ? and removed_at is null order by id', packageId)
        .map(({ id }) => id),
    leftovers: () => [
      ...pipeline.query('select * from removal_candidate'),
      ...pipeline.query('select * from quarantine'),
      ...pipeline.query('select * from video where removed_at is not null'),
      ...pipeline.query('select * from video_version'),
    ],
  };
}

/** What failed first. */
export const failureOf = (summary: RunSummary) => summary.failures[0];
