/** Random histories of a package between quick walks: uploads, deletions, records that cannot be stored. */
import { expect } from 'vitest';
import fc from 'fast-check';
import type { PackageService } from '../servers/test-service.ts';
import { openTestPipeline, type TestPipeline } from '../fixtures/open-pipeline.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/**
 * The changes before one quick walk. Positions count through the current list, and wrap around at its end.
 */
export interface Round {
  uploads: readonly number[];
  /** Of the uploads, every n-th cannot be stored; 0: none. */
  badEvery: number;
  deletions: readonly number[];
  /** Positions among the removed videos that return. */
  returns: readonly number[];
}

export interface History {
  pageSize: number;
  videos: number;
  rounds: readonly Round[];
}

/** Pages of less than 5: no smaller page covers each of their boundaries (docs/contributing/architecture.md). */
const pageSize = fc.integer({ min: 5, max: 12 });

/** `withReturns`: videos also return under their old ids. */
export function histories(withReturns: boolean): fc.Arbitrary<History> {
  const place = fc.nat(400);
  const round = fc.record({
    uploads: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 25 }),
    badEvery: fc.constantFrom(0, 0, 0, 3, 7),
    deletions: fc.array(place, { maxLength: 8 }),
    returns: withReturns ? fc.array(place, { maxLength: 3 }) : fc.constant([]),
  });
  return fc.record({
    pageSize,
    videos: fc.integer({ min: 1, max: 150 }),
    rounds: fc.array(round, { minLength: 1, maxLength: 6 }),
  });
}

/** Runs a history; after each round a quick walk, and `check`. */
export async function runQuickHistory(
  service: PackageService,
  history: History,
  check: (pipeline: TestPipeline, round: Round) => Promise<void> | void,
): Promise<void> {
  service.records.clear();
  for (let id = 10; service.records.size < history.videos; id += 1 + (id % 3)) service.add(id);
  const pipeline = openTestPipeline({
    url: service.url,
    silent: true,
    pageSize: history.pageSize,
    folder: temporaryFolder(),
  });
  await pipeline.run();
  const deleted: number[] = [];
  for (const round of history.rounds) {
    change(service, round, deleted);
    pipeline.clock.advance(HOUR_MS);
    service.requests.length = 0;
    await pipeline.run({ mode: 'quick' });
    await check(pipeline, round);
  }
  await pipeline.close();
}

/** The first video is never deleted: the removal of a complete package waits for a second proof. */
function change(service: PackageService, round: Round, deleted: number[]): void {
  const back = round.returns.flatMap((place) =>
    deleted.length > 0 ? deleted.splice(place % deleted.length, 1) : [],
  );
  for (const place of round.deletions) {
    const ids = listedIds(service);
    if (ids.length < 2) break;
    const id = ids[1 + (place % (ids.length - 1))] ?? 0;
    service.remove(id);
    deleted.push(id);
  }
  service.add(...back);
  let id = Math.max(...listedIds(service), ...deleted);
  round.uploads.forEach((step, index) => {
    service.add((id += step));
    if (round.badEvery > 0 && index % round.badEvery === 0) service.edit(id, { duration: 'long' });
  });
}

/** The ids that the service lists, rising. */
export function listedIds({ records }: PackageService): number[] {
  return [...records.keys()].sort((one, other) => one - other);
}

/** Live rows, and quarantined records without one: all videos that exist by the warehouse. */
export function believedIds(pipeline: TestPipeline): number[] {
  return pipeline
    .query<{ id: number }>(
      `select id from video where removed_at is null
       union select cast(record_id as integer) from quarantine where resolved_at is null
       order by id`,
    )
    .map(({ id }) => id);
}

/** After any uploads and deletions, a quick walk makes the ids equal to those of the service. */
export async function checkQuickWalks(service: PackageService, runs: number, seed: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(histories(false), async (history) => {
      await runQuickHistory(service, history, (pipeline) => {
        expect(believedIds(pipeline)).toEqual(listedIds(service));
        const pages = Math.ceil(service.records.size / history.pageSize);
        expect(service.requests.length).toBeLessThanOrEqual(3 * pages + 4);
      });
    }),
    { numRuns: runs, seed, endOnFailure: false },
  );
}

/** The next full walk finds the returned videos that a quick walk missed. */
export async function checkReturnsAfterFullWalks(
  service: PackageService,
  runs: number,
  seed: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(histories(true), async (history) => {
      let hasDeletions = false;
      await runQuickHistory(service, history, async (pipeline, round) => {
        hasDeletions ||= round.deletions.length > 0;
        if (!hasDeletions) expect(believedIds(pipeline)).toEqual(listedIds(service));
        if (round !== history.rounds.at(-1)) return;
        pipeline.clock.advance(HOUR_MS);
        await pipeline.run();
        expect(believedIds(pipeline)).toEqual(listedIds(service));
      });
    }),
    { numRuns: runs, seed, endOnFailure: false },
  );
}
