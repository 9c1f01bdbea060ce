/** Random histories of a package between quick walks: uploads, deletions, records that cannot be stored. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { openTestPipeline } from '../../support/fixtures/open-pipeline.ts';
import type { ValueOf } from '../../support/models/steps.ts';
import { rounds } from '../../support/rounds.ts';
import { startPackageService, type PackageService } from '../../support/servers/test-service.ts';

const round = fc.record({
  uploads: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 25 }),
  /** Of the uploads, every n-th cannot be stored; 0: none. */
  badEvery: fc.constantFrom(0, 0, 0, 3, 7),
  /** Positions count through the current list, and wrap around at its end. */
  deletions: fc.array(fc.nat(400), { maxLength: 8 }),
});

const history = fc.record({
  // pages of less than 5: no smaller page covers each of their boundaries (docs/contributing/walking.md)
  pageSize: fc.integer({ min: 5, max: 12 }),
  videos: fc.integer({ min: 1, max: 150 }),
  rounds: fc.array(round, { minLength: 1, maxLength: 6 }),
});

it('after any uploads and deletions, a quick walk makes the ids equal to those of the service', async () => {
  const service = await startPackageService([]);
  const property = fc.asyncProperty(history, (one) => runHistory(service, one));
  await fc.assert(property, { numRuns: rounds(250), seed: 1 });
}, 600_000);

async function runHistory(service: PackageService, { pageSize, videos, rounds }: ValueOf<typeof history>) {
  service.records.clear();
  for (let id = 10; service.records.size < videos; id += 1 + (id % 3)) service.add(id);
  const pipeline = openTestPipeline({ url: service.url, silent: true, pageSize });
  await pipeline.run();
  for (const each of rounds) {
    change(service, each);
    pipeline.clock.advance(HOUR_MS);
    service.requests.length = 0;
    await pipeline.run({ mode: 'quick' });
    expect(pipeline.query<{ id: number }>(BELIEVED).map(({ id }) => id)).toEqual(listedIds(service));
    const pages = Math.ceil(service.records.size / pageSize);
    expect(service.requests.length).toBeLessThanOrEqual(3 * pages + 4);
  }
  pipeline.close();
}

/** Live rows, and quarantined records without one: all videos that exist by the warehouse. */
const BELIEVED = `
  select id from video where removed_at is null
  union select cast(record_id as integer) from quarantine where resolved_at is null order by id`;

/** The first video is never deleted: the removal of a complete package waits for a second proof. */
function change(service: PackageService, { uploads, badEvery, deletions }: ValueOf<typeof round>): void {
  let id = Math.max(...listedIds(service));
  for (const place of deletions) {
    const ids = listedIds(service);
    if (ids.length >= 2) service.remove(ids[1 + (place % (ids.length - 1))] ?? 0);
  }
  uploads.forEach((step, index) => {
    service.add((id += step));
    if (badEvery > 0 && index % badEvery === 0) service.edit(id, { duration: 'long' });
  });
}

/** The ids that the service lists, rising. */
function listedIds({ records }: PackageService): number[] {
  return [...records.keys()].sort((one, other) => one - other);
}
