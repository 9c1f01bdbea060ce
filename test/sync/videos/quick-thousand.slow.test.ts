import { describe, expect, it } from 'vitest';
import { idsBetween } from '../../support/servers/test-service.ts';
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
});
