import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startChangingPackage, type ChangingPackage } from '../../support/changing-package.ts';
import { openTestPipeline } from '../../support/open-pipeline.ts';

interface Change {
  /** Videos uploaded at the end of the list. */
  uploads: number;
  /** Places in the list: which are deleted, edited, and before which an old id is put back. */
  deletions: number[];
  edits: number[];
  returns: number[];
}

/** What the service does before it answers one request. */
const change = (returns: number): fc.Arbitrary<Change> =>
  fc.record({
    uploads: fc.nat(3),
    deletions: fc.array(fc.nat(), { maxLength: 6 }),
    edits: fc.array(fc.nat(), { maxLength: 2 }),
    returns: fc.array(fc.nat(), { maxLength: returns }),
  });

const history = (returns: number) =>
  fc.record({
    videos: fc.integer({ min: 0, max: 60 }),
    pageSize: fc.integer({ min: 3, max: 9 }),
    changes: fc.array(change(returns), { maxLength: 30 }),
  });

/** Makes the next change before each answer. Gives the ids that were there all the time, as far as it has got. */
function play(service: ChangingPackage, changes: readonly Change[]): Set<number> {
  const throughout = new Set(service.records.keys());
  const left = [...changes];
  let highest = Math.max(0, ...throughout);
  const at = (place: number) =>
    [...service.records.keys()].sort((one, other) => one - other)[place % Math.max(1, service.records.size)];
  service.beforeAnswer = () => {
    const next = left.shift();
    for (const place of next?.deletions ?? []) {
      const id = at(place) ?? 0;
      service.remove(id);
      throughout.delete(id);
    }
    for (const place of next?.edits ?? []) {
      const id = at(place);
      if (id !== undefined) service.edit(id, { title: `edited ${place}` });
    }
    for (const place of next?.returns ?? []) {
      const old = (at(place) ?? 1) - 1;
      if (old > 0 && !service.records.has(old)) service.add(old);
    }
    for (let upload = 0; upload < (next?.uploads ?? 0); upload++) service.add((highest += 3));
  };
  return throughout;
}

const startWith = (videos: number) =>
  startChangingPackage(Array.from({ length: videos }, (_, index) => 3 * index + 3));

describe('a walk while the service changes', () => {
  it('stores every video that was there throughout, whatever is uploaded, deleted and edited', async () => {
    await fc.assert(
      fc.asyncProperty(history(0), async ({ videos, pageSize, changes }) => {
        const service = await startWith(videos);
        const throughout = play(service, changes);
        const pipeline = openTestPipeline({ url: service.url, pageSize });
        await pipeline.run();
        const stored = new Set(pipeline.query<{ id: number }>('select id from video').map((row) => row.id));
        expect([...throughout].filter((id) => !stored.has(id))).toEqual([]);
        await pipeline.close();
        await service.close();
      }),
      { numRuns: 100 },
    );
  });

  it('never removes a video that was there throughout, also when old ids are put back', async () => {
    await fc.assert(
      fc.asyncProperty(history(4), async ({ videos, pageSize, changes }) => {
        const service = await startWith(videos);
        const pipeline = openTestPipeline({ url: service.url, pageSize });
        await pipeline.run();
        const throughout = play(service, changes);
        await pipeline.run();
        const removed = pipeline.query<{ id: number }>('select id from video where removed_at is not null');
        expect(removed.map((row) => row.id).filter((id) => throughout.has(id))).toEqual([]);
        await pipeline.close();
        await service.close();
      }),
      { numRuns: 100 },
    );
  });
});
