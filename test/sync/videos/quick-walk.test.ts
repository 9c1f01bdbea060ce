import { describe, expect, it } from 'vitest';
import { idsBetween, PACKAGE, startPackageService } from '../../support/servers/test-service.ts';
import { openTestPipeline, type TestPipeline } from '../../support/fixtures/open-pipeline.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { liveIds, openWalkedAccount } from '../../support/servers/walked-packages.ts';
import { openWalkedPackage, runQuick } from '../../support/servers/walked-packages.ts';

const walkRows = (pipeline: TestPipeline) =>
  pipeline.query<Record<string, unknown>>("select * from walk where mode = 'quick' order by walk_id");

describe('a quick walk of an unchanged package', () => {
  it.each([1, 5, 23, 25])('of %i videos takes one request, and leaves no row', async (videos) => {
    const one = await openWalkedPackage(idsBetween(1, videos));
    const { summary, pages } = await runQuick(one);
    expect([summary.status, pages]).toEqual(['succeeded', [Math.ceil(videos / 5)]]);
    expect(walkRows(one.pipeline)).toEqual([]);
    expect(one.pipeline.query("select purpose from request where purpose = 'quick'")).toHaveLength(1);
  });

  it('records its time, and the requests it saved', async () => {
    const one = await openWalkedPackage(idsBetween(1, 23));
    await runQuick(one);
    await runQuick(one);
    expect(one.pipeline.query('select compared_at, walked_at from package')).toEqual([
      { compared_at: '2026-03-10 14:00:00', walked_at: '2026-03-10 12:00:00' },
    ]);
    expect(one.pipeline.query('select * from saved_requests')).toEqual([
      { account: 'main', date: '2026-03-10', quick_walks: 2, requests: 8 },
    ]);
  });

  it('is a walk of its day, as one that finds something', async () => {
    const one = await openWalkedPackage(idsBetween(1, 23));
    for (let hour = 13; hour <= 16; hour++) await runQuick(one); // 15:00 UTC is midnight in Seoul
    expect(one.pipeline.query('select date, videos from package_day order by date')).toEqual([
      { date: '2026-03-10', videos: 23 },
      { date: '2026-03-11', videos: 23 },
    ]);
  });

  it('that has no completed walk walks it', async () => {
    const service = await startPackageService(idsBetween(1, 12));
    const pipeline = openTestPipeline({ url: service.url, silent: true });
    const { summary } = await runQuick({ service, pipeline });
    expect(summary.walks).toMatchObject([{ mode: 'full', added: 12 }]);
  });
});

describe('a quick walk of a package with new videos', () => {
  it.each([1, 2, 3, 7, 12, 30])(
    'finds %i of them in one request more than the pages they fill',
    async (more) => {
      for (const before of [20, 23]) {
        const one = await openWalkedPackage(idsBetween(1, before));
        one.service.add(...idsBetween(101, 100 + more));
        const { summary, pages } = await runQuick(one);
        const fromTheOtherEnd = (before + more) % 5 === 0 ? 1 : 0;
        expect(pages.length).toBeLessThanOrEqual(1 + Math.ceil(more / 5) + fromTheOtherEnd);
        expect(summary.walks).toMatchObject([{ mode: 'quick', status: 'succeeded', added: more, edited: 0 }]);
        expect(liveIds(one.pipeline)).toEqual([...idsBetween(1, before), ...idsBetween(101, 100 + more)]);
        expect((await runQuick(one)).pages).toHaveLength(1);
      }
    },
  );

  it('does not find an edit on other pages: the next full walk does', async () => {
    const one = await openWalkedPackage(idsBetween(1, 23));
    one.service.edit(3, { title: 'another title' });
    expect((await runQuick(one)).summary.walks).toEqual([]);
    expect((await one.pipeline.run()).walks).toMatchObject([{ edited: 1 }]);
  });
});

describe('a quick walk', () => {
  it('finds old ids that return, where the count shows them', async () => {
    const one = await openWalkedPackage([...idsBetween(1, 30), ...idsBetween(41, 90)]);
    one.service.add(33, 35);
    const { summary } = await runQuick(one);
    expect(summary.walks).toMatchObject([{ added: 2, removed: 0 }]);
    expect((await runQuick(one)).pages).toHaveLength(1);
  });

  it('respects the brake: held-back removals cost no request afterwards', async () => {
    const one = await openWalkedPackage(idsBetween(1, 200), { removalBrake: 0.2 });
    one.service.remove(...idsBetween(11, 60));
    const { summary } = await runQuick(one);
    expect(summary.walks).toMatchObject([{ removed: 0, held_back: 50 }]);
    expect((await runQuick(one)).pages).toHaveLength(1);
    one.service.remove(123);
    const again = await runQuick(one);
    expect(again.summary.walks).toMatchObject([{ removed: 0, held_back: 51 }]);
    expect(again.pages.length).toBeLessThanOrEqual(9);
  });

  it('counts the records in quarantine, with an id or without', async () => {
    const service = await startPackageService(idsBetween(1, 200));
    for (const id of [50, 120]) service.edit(id, { duration: 'long' });
    for (const id of [31, 100, 193]) service.edit(id, { id: `no. ${id}` });
    const pipeline = openTestPipeline({ url: service.url, silent: true });
    await pipeline.run();
    expect(pipeline.query('select * from quarantine where resolved_at is null')).toHaveLength(5);
    expect((await runQuick({ service, pipeline })).pages).toHaveLength(1);
    for (const deleted of [77, 149, 2, 51]) {
      service.remove(deleted);
      const { summary, pages } = await runQuick({ service, pipeline });
      expect(summary.walks).toMatchObject([{ removed: 1 }]);
      expect(pages.length).toBeLessThanOrEqual(10);
      expect((await runQuick({ service, pipeline })).pages).toHaveLength(1);
    }
  });

  it('searches once for videos that it cannot settle, and for further changes', async () => {
    const one = await openWalkedPackage(idsBetween(1, 200));
    one.service.edit(120, { id: 'no. 120' });
    await one.pipeline.run();
    const runs = [await runQuick(one), await runQuick(one)];
    expect(runs.map(({ pages }) => pages.length)).toEqual([expect.any(Number), 1]);
    one.service.remove(77);
    expect((await runQuick(one)).summary.walks).toMatchObject([{ removed: 1 }]);
    expect((await runQuick(one)).pages).toHaveLength(1);
  });

  it('reads a page again where the list has shifted since: a new video may be on it', async () => {
    const one = await openWalkedPackage(idsBetween(1, 60));
    one.service.add(...idsBetween(101, 106));
    one.service.beforeAnswer = ({ page }) => {
      if (page === 13) one.service.remove(3); // 101 moves to page 12, which was read
    };
    expect((await runQuick(one)).summary.walks).toMatchObject([{ added: 6, removed: 1 }]);
    expect(liveIds(one.pipeline)).toEqual([...one.service.records.keys()].sort((a, b) => a - b));
    expect(one.pipeline.query('select missing_records from package')).toEqual([{ missing_records: null }]);
  });

  it('leaves a row each time where it proves nothing', async () => {
    const one = await openWalkedPackage(idsBetween(1, 3));
    one.service.edit(2, { id: 'no. 2' });
    for (const count of [1, 2]) {
      await runQuick(one);
      expect(walkRows(one.pipeline).map(({ error }) => error)).toEqual(
        Array(count).fill('1 page proves no removal (a record whose id cannot be read)'),
      );
    }
  });

  it('counts the videos that it cannot settle', async () => {
    const one = await openWalkedPackage(idsBetween(1, 16));
    one.service.remove(6);
    one.service.add(20);
    one.service.intercept = ({ query, isDescending }) =>
      isDescending || query.get('pagesize') !== '5' ? { status: 400 } : undefined;
    await runQuick(one);
    expect(walkRows(one.pipeline)).toMatchObject([{ added: 1, removed: 0, unsettled: 1 }]);
  });

  it('leaves a list that is no longer sorted to full walks', async () => {
    const one = await openWalkedPackage(idsBetween(1, 12));
    one.service.refill(idsBetween(1, 12).reverse());
    one.service.order = 'arrival';
    expect((await runQuick(one)).pages).toEqual([3]);
    await one.pipeline.run();
    one.service.remove(8);
    const { summary, pages } = await runQuick(one);
    expect([pages, summary.walks]).toEqual([[3], []]);
    one.service.add(99);
    const later = await runQuick(one);
    expect([later.pages, later.summary.walks]).toMatchObject([[3], [{ added: 1, unsettled: 0 }]]);
  });

  it('removes nothing from a list whose parts were swapped, though each of its pages is sorted', async () => {
    const one = await openWalkedPackage(idsBetween(1, 40), { pageSize: 10, removalBrake: 0.2 });
    const order = [...idsBetween(1, 10), ...idsBetween(21, 30), ...idsBetween(11, 14), ...idsBetween(16, 20)];
    const records = new Map(one.service.records);
    one.service.records = new Map(
      [...order, ...idsBetween(31, 40)].map((id) => [id, records.get(id) ?? {}] as const),
    );
    one.service.order = 'arrival';
    const { summary } = await runQuick(one);
    const error = 'the list is not sorted by id: nothing is marked removed (page 3 reaches over page 2)';
    expect(summary.walks).toMatchObject([
      { removed: 0, held_back: 0, order_violated: true, unsettled: 0, error },
    ]);
    expect(liveIds(one.pipeline)).toEqual(idsBetween(1, 40));
    expect(one.pipeline.query('select "order" from package')).toEqual([{ order: 'untrusted' }]);
  });

  it('removes nothing by an order of which it saw too little', async () => {
    const one = await openWalkedPackage(idsBetween(1, 15));
    one.service.edit(2, { id: 'no. 2' });
    await one.pipeline.run();
    one.service.remove(13);
    await runQuick(one); // nine ids in order; the first page proves nothing
    expect(liveIds(one.pipeline)).toContain(13);
  });

  it.each([109, 117])('finds new videos below a page that proves nothing: that of %i', async (unreadable) => {
    const one = await openWalkedPackage(idsBetween(1, 10));
    one.service.add(...idsBetween(101, 117));
    one.service.edit(unreadable, { id: 'x' });
    await runQuick(one);
    const found = idsBetween(101, 117).filter((id) => id !== unreadable);
    expect(liveIds(one.pipeline)).toEqual([...idsBetween(1, 10), ...found]);
  });

  it('requests no page twice, and reads both sides of one that proves nothing', async () => {
    const one = await openWalkedPackage(idsBetween(1, 80));
    for (const id of [38, 43]) one.service.edit(id, { id: 'x' });
    one.service.remove(23);
    expect((await runQuick(one)).pages).toEqual([16, 8, 9, 7, 11, 10, 3, 5]);
  });

  it('reads the pages around what is gone', async () => {
    const one = await openWalkedPackage(idsBetween(1, 80));
    const pages: number[][] = [];
    for (const id of [23, 2, 80]) {
      one.service.remove(id);
      pages.push((await runQuick(one)).pages);
      expect(liveIds(one.pipeline)).not.toContain(id);
    }
    expect(pages.join(' ')).toBe('16,8,4,6,5 16,8,4,2,1 16,15,14');
  });

  it('reads a list of new videos only to its first page', async () => {
    const one = await openWalkedPackage(idsBetween(1, 10));
    one.service.refill(idsBetween(101, 117));
    const { pages, summary } = await runQuick(one);
    expect([pages, summary.walks]).toMatchObject([[2, 4, 3, 1], [{ added: 17, removed: 10 }]]);
  });

  it('shares its account with the other packages', async () => {
    const { service, pipeline, run } = await openWalkedAccount({ 101: [1], 102: [2] }, { pageSize: 5 });
    service.getPackage(101).add(...idsBetween(10, 400));
    service.getPackage(102).add(3, 4);
    await run({ mode: 'quick' });
    const packages = service.requests.map(({ query }) => query.get('pkg'));
    expect(packages.lastIndexOf('101')).toBeGreaterThan(packages.indexOf('102'));
    expect(liveIds(pipeline, 102)).toEqual([2, 3, 4]);
  });

  it('stores no page of another size', async () => {
    const one = await openWalkedPackage(idsBetween(1, 80));
    one.service.remove(23);
    one.service.beforeAnswer = ({ page }) => {
      one.service.fixedPageSize = page === 8 ? 10 : null;
    };
    const { pages, summary } = await runQuick(one);
    expect(pages).toEqual([16, 8, 9, 4, 6, 5]);
    expect([summary.walks, liveIds(one.pipeline).length]).toMatchObject([[{ removed: 1 }], 79]);
  });

  it('finds new and removed videos where the count is too high and the last page empty', async () => {
    const service = await startPackageService(idsBetween(1, 20));
    service.extraCount = 1;
    const pipeline = openTestPipeline({ url: service.url, silent: true });
    await pipeline.run();
    service.remove(3);
    service.add(101);
    await runQuick({ service, pipeline });
    expect(liveIds(pipeline)).toEqual([1, 2, ...idsBetween(4, 20), 101]);
  });

  it('leaves a package to full walks that no full walk could read completely', async () => {
    const service = await startPackageService(idsBetween(1, 60));
    service.intercept = ({ page }) => (page === 3 ? { status: 403 } : undefined);
    const pipeline = openTestPipeline({ url: service.url, silent: true });
    expect((await pipeline.run()).status).toBe('failed');
    const { summary, pages } = await runQuick({ service, pipeline });
    expect([summary.status, pages]).toEqual(['succeeded', []]);
  });

  it('changes neither the checkpoint nor the proofs of a stopped full walk', async () => {
    const one = await openWalkedPackage(idsBetween(1, 60));
    one.service.remove(48, 13);
    one.service.beforeAnswer = ({ page }) => {
      if (page === 8) one.pipeline.stop();
    };
    one.pipeline.clock.advance(HOUR_MS);
    expect((await one.pipeline.run()).status).toBe('interrupted');
    one.service.beforeAnswer = () => undefined;
    one.service.add(70);
    const { summary } = await runQuick(one);
    expect(summary.walks).toMatchObject([{ mode: 'quick', added: 1, removed: 1 }]);
    one.service.requests.length = 0;
    const full = await one.pipeline.run();
    expect(full.walks).toMatchObject([{ resumed: true, removed: 1 }]);
    expect(liveIds(one.pipeline)).toEqual([...one.service.records.keys()].sort((a, b) => a - b));
    expect(one.service.pages()).not.toContain(12);
  });

  it('of a package that fails leaves a row with the error, and the other packages continue', async () => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 12), {
      silent: true,
      packages: [PACKAGE, 102],
    });
    service.intercept = ({ query }) => (query.get('pkg') === '102' ? { status: 404 } : undefined);
    service.add(20);
    const { summary } = await runQuick({ service, pipeline });
    expect(summary.status).toBe('partial');
    expect(summary.walks).toMatchObject([
      { package_id: PACKAGE, status: 'succeeded', added: 1 },
      { package_id: 102, status: 'failed' },
    ]);
  });
});
