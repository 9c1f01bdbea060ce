/** Packages of a test service that the real pipeline has already walked. */
import { expect } from 'vitest';
import type { RunRequest } from '../../../src/app/pipeline.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import type { RunSummary } from '../../../src/sync/run.ts';
import { openTestPipeline, type TestPipelineOptions, type TestPipeline } from '../fixtures/open-pipeline.ts';
import { idsFrom, startPackageService, startTestService, type PackageService } from './test-service.ts';

/** Ids of two packages, interleaved as in an account that numbers all of its videos. */
export const OF_101 = idsFrom(1, 250, 3);
export const OF_102 = idsFrom(2, 90, 3);

export type WalkedAccount = Awaited<ReturnType<typeof openWalkedAccount>>;

/** Starts a service with these packages; walks them once unless `walked` is false. */
export async function openWalkedAccount(
  lists: Readonly<Record<number, readonly number[]>>,
  options: Partial<TestPipelineOptions> & { walked?: boolean } = {},
) {
  const service = await startTestService(lists);
  const packages = options.packages ?? Object.keys(lists).map(Number);
  const settings = { pageSize: 1000, concurrency: 1, removalBrake: 0.2, ...options, packages };
  const pipeline = openTestPipeline({ url: service.url, ...settings });
  if (options.walked ?? true) expect((await pipeline.run()).status).toBe('succeeded');
  service.requests.length = 0;
  return {
    service,
    pipeline,
    /** One run, an hour after the last one. */
    run: (request?: Partial<RunRequest>) => {
      pipeline.clock.advance(HOUR_MS);
      return pipeline.run(request);
    },
    /** Responds to the next `times` requests for the package with a page of another package. */
    serveForeignPage: (packageId: number, other: number, times: number, page?: number) => {
      let left = times;
      service.intercept = (request) =>
        request.packageId === packageId && (page === undefined || request.page === page) && left-- > 0
          ? { packageId: other }
          : undefined;
    },
    /** The live ids of a package. */
    live: (packageId: number) => liveIds(pipeline, packageId),
    /** Removals, candidates, quarantined records and versions. */
    leftovers: (): unknown[] => [
      ...pipeline.query('select * from removal_candidate'),
      ...pipeline.query('select * from quarantine'),
      ...pipeline.query('select * from video where removed_at is not null'),
      ...pipeline.query('select * from video_version'),
    ],
  };
}

/** Starts a service with one package and walks it once. */
export async function openWalkedPackage(ids: readonly number[], options: Partial<TestPipelineOptions> = {}) {
  const service = await startPackageService(ids);
  const pipeline = openTestPipeline({ url: service.url, silent: true, ...options });
  await pipeline.run();
  service.requests.length = 0;
  return { service, pipeline };
}

/** One quick run an hour later: its summary, and the pages that it requested. */
export async function runQuick({ service, pipeline }: { service: PackageService; pipeline: TestPipeline }) {
  service.requests.length = 0;
  pipeline.clock.advance(HOUR_MS);
  const summary = await pipeline.run({ mode: 'quick' });
  return { summary, pages: service.pages() };
}

/** The ids of live rows, rising; of one package or of all. */
export function liveIds(pipeline: TestPipeline, packageId: number | null = null): number[] {
  const rows = pipeline.query<{ id: number }>(
    'select id from video where removed_at is null and package_id = coalesce(?, package_id) order by id',
    packageId,
  );
  return rows.map(({ id }) => id);
}

/** The row of the last walk. */
export const lastWalk = (pipeline: TestPipeline): Record<string, unknown> =>
  pipeline.query<Record<string, unknown>>('select * from walk order by walk_id desc limit 1')[0] ?? {};

/** The first failure of a run. */
export const firstFailure = (summary: RunSummary) => summary.failures[0];
