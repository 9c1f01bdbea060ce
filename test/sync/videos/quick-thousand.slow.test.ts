import { describe, expect, it } from 'vitest';
import { idsBetween, startPackageService } from '../../support/servers/test-service.ts';
import { openTestPipeline } from '../../support/fixtures/open-pipeline.ts';
import { liveIds, runQuick, openWalkedPackage } from '../../support/servers/walked-packages.ts';

describe('a quick walk of a package of 1,000 pages', () => {
  const PAGES = 1000;
  const SIZE = 10;
  const ids = idsBetween(1, PAGES * SIZE);

  it('finds any one deletion, and proves it, in at most 14 requests', async () => {
    const one = await openWalkedPackage(ids, { pageSize: SIZE });
    // in the middle of a page, at both ends of one, on the first and the last page, in the middle of the list
    const deleted = [5, 1, 10_000, 9_991, 5_000, 5_001, 4_990, 2_505, 7_777, 9_990, 20, 21];
    const costs = [];
    for (const id of deleted) {
      one.service.remove(id);
      const { pages, summary } = await runQuick(one);
      costs.push(pages.length);
      expect([id, summary.walks[0]?.removed]).toEqual([id, 1]);
    }
    expect(Math.max(...costs)).toBeLessThanOrEqual(14);
    expect(liveIds(one.pipeline)).toHaveLength(ids.length - deleted.length);
  }, 120_000);

  it('finds a deletion as cheaply while records are in quarantine, and while removals are held back', async () => {
    const service = await startPackageService(ids);
    for (let id = 500; id < ids.length; id += 997) service.edit(id, { duration: 'long' });
    for (let id = 200; id < ids.length; id += 3001) service.edit(id, { id: `no. ${id}` });
    const pipeline = openTestPipeline({
      url: service.url,
      silent: true,
      pageSize: SIZE,
      removalBrake: 0.001,
    });
    await pipeline.run();
    expect((await runQuick({ service, pipeline })).pages).toHaveLength(1);
    service.remove(4_444);
    const first = await runQuick({ service, pipeline });
    expect(first.summary.walks).toMatchObject([{ removed: 1, held_back: 0 }]);
    expect(first.pages.length).toBeLessThanOrEqual(14);
    service.remove(...idsBetween(7_001, 7_040));
    expect((await runQuick({ service, pipeline })).summary.walks).toMatchObject([
      { removed: 0, held_back: 40 },
    ]);
    expect((await runQuick({ service, pipeline })).pages).toHaveLength(1);
    service.remove(2_222);
    const second = await runQuick({ service, pipeline });
    expect(second.summary.walks).toMatchObject([{ removed: 0, held_back: 41 }]);
    expect(second.pages.length).toBeLessThanOrEqual(14);
  }, 120_000);

  it.each(['with every page size', 'with one page size'])(
    'finds five deletions in at most 50 requests %s',
    async (kind) => {
      const one = await openWalkedPackage(ids, { pageSize: SIZE });
      if (kind === 'with one page size') one.service.fixedPageSize = SIZE;
      const sets = [
        [1003, 3007, 5001, 7009, 9005],
        [1000, 3000, 5000, 7000, 9000],
        [101, 102, 103, 104, 105],
      ];
      for (const deleted of sets) {
        one.service.remove(...deleted);
        const { pages, summary } = await runQuick(one);
        expect(summary.walks).toMatchObject([{ removed: 5 }]);
        expect(pages.length).toBeLessThanOrEqual(50);
      }
    },
    120_000,
  );
});
