import { describe, expect, it } from 'vitest';
import { openWalkedAccount, firstFailure, OF_101, OF_102 } from '../../support/servers/walked-packages.ts';
import { idsFrom } from '../../support/servers/test-service.ts';

describe('the page of another package', () => {
  it('is fetched again when it arrives once, and leaves no trace', async () => {
    const { service, run, serveForeignPage, live, leftovers } = await openWalkedAccount({
      101: OF_101,
      102: OF_102,
    });
    serveForeignPage(102, 101, 1);
    const summary = await run();
    expect(summary.status).toBe('succeeded');
    expect(service.takePages(102)).toEqual([1, 1]);
    expect(live(102)).toEqual(OF_102);
    expect(leftovers()).toEqual([]);
  });

  it('fails the walk when it arrives again, with the reason and the command, and stores nothing', async () => {
    const { service, run, serveForeignPage, live, leftovers, pipeline } = await openWalkedAccount({
      101: OF_101,
      102: OF_102,
    });
    serveForeignPage(102, 101, 2);
    const summary = await run();
    expect(summary.status).toBe('partial');
    const message =
      'account main, package 102, page 1: it holds not one of the 90 known videos whose ids it covers; ' +
      'it came twice, and is not stored';
    const hint =
      'if the package was really filled with other videos: vodhouse sync --package 102 --accept-removals --config test';
    expect(summary.failures).toMatchObject([{ packageId: 102, message, hint, untilMs: null }]);
    const [walk] = pipeline.query<{ status: string; error: string; added: number }>(
      'select * from walk where package_id = 102 order by walk_id desc limit 1',
    );
    expect(walk).toMatchObject({ status: 'failed', error: `${message}; ${hint}`, added: 0, pages: 0 });
    expect([live(102), leftovers()]).toEqual([OF_102, []]);
    expect(service.takePages(102)).toEqual([1, 1]);
    expect((await run()).status).toBe('succeeded');
    expect([live(101), live(102), leftovers()]).toEqual([OF_101, OF_102, []]);
    expect(service.takePages(102)).toEqual([1]);
  });

  it('costs the other packages nothing, however many of them receive it', async () => {
    const lists = Object.fromEntries(idsFrom(102, 12).map((id) => [id, idsFrom(id * 10_000, 60)]));
    const { service, run } = await openWalkedAccount({ 101: idsFrom(1, 300), ...lists });
    service.intercept = ({ packageId }) => (packageId < 112 ? { packageId: 101 } : undefined);
    const { failures } = await run();
    expect(failures.map(({ packageId }) => packageId)).toEqual(idsFrom(102, 10));
    expect([service.takePages(112), service.takePages(113)]).toEqual([[1], [1]]);
  });

  it.each([
    ['the last page', 3],
    ['a page in the middle', 2],
    ['the first page', 1],
  ])('in the place of %s is not stored, and the pages read above it remain', async (_, page) => {
    const own = idsFrom(2, 270, 3);
    const scene = await openWalkedAccount({ 101: OF_101, 102: own }, { pageSize: 100 });
    scene.service.getPackage(102).add(2000);
    scene.serveForeignPage(102, 101, 2, page);
    expect(firstFailure(await scene.run())?.packageId).toBe(102);
    expect(scene.live(102)).toEqual(page === 3 ? own : [...own, 2000]);
    scene.service.takePages(102);
    expect((await scene.run()).walks.at(-1)).toMatchObject({ status: 'succeeded', resumed: page !== 3 });
    expect([scene.live(102), scene.leftovers()]).toEqual([[...own, 2000], []]);
  });

  it('is not stored where its ids are above or below those of the package', async () => {
    const lists = { 101: idsFrom(5000, 250), 102: idsFrom(2000, 250), 103: idsFrom(1, 250) };
    for (const [other, pages] of [[101, [2, 1]] as const, [103, [3, 2, 1]] as const]) {
      const { run, serveForeignPage, live, leftovers } = await openWalkedAccount(lists, { pageSize: 100 });
      for (const page of pages) {
        serveForeignPage(102, other, 2, page);
        expect(firstFailure(await run())?.packageId).toBe(102);
        expect([live(102), leftovers()]).toEqual([lists[102], []]);
      }
    }
  });

  it('removes nothing where the two share some videos, and its others are gone after the next walks', async () => {
    const own = [...idsFrom(1, 100, 3), ...idsFrom(2, 150, 3)].sort((one, other) => one - other);
    const { run, serveForeignPage, live } = await openWalkedAccount({ 101: OF_101, 102: own });
    serveForeignPage(102, 101, 1);
    expect((await run()).walks.at(-1)).toMatchObject({ package_id: 102, removed: 0, held_back: 150 });
    expect(live(102)).toEqual(expect.arrayContaining(own));
    await run();
    await run();
    expect(live(102)).toEqual(own);
  });

  it('does not mislead a quick walk', async () => {
    const { service, run, serveForeignPage, live, leftovers } = await openWalkedAccount({
      101: OF_101,
      102: OF_102,
    });
    serveForeignPage(102, 101, 1);
    expect((await run({ mode: 'quick' })).status).toBe('succeeded');
    expect(service.takePages(102)).toEqual([1, 1]);
    serveForeignPage(102, 101, 2);
    const summary = await run({ mode: 'quick' });
    expect(firstFailure(summary)?.message).toContain('it holds not one of the 90 known videos');
    expect(summary.walks).toMatchObject([{ package_id: 102, mode: 'quick', status: 'failed', added: 0 }]);
    expect([live(102), leftovers()]).toEqual([OF_102, []]);
    expect((await run({ mode: 'quick' })).walks).toEqual([]);
  });

  it('proves nothing and is not stored where it arrives for a boundary read', async () => {
    const own = idsFrom(2, 300, 3);
    const scene = await openWalkedAccount({ 101: OF_101, 102: own }, { pageSize: 100, boundaryReads: 1 });
    scene.service.getPackage(102).remove(own[100] ?? 0); // it was first on its page: between two pages now
    scene.service.getPackage(102).add(2000);
    const counts: number[] = [];
    scene.service.intercept = ({ packageId, page, size, isDescending }) => {
      if (packageId !== 102 || (size === 100 && !isDescending)) return undefined;
      counts.push(page);
      return { packageId: 101 };
    };
    expect((await scene.run()).failures).toEqual([]);
    expect(counts.length).toBeGreaterThan(0);
    expect(scene.live(102).filter((id) => id % 3 === 1)).toEqual([]);
    expect(scene.live(101)).toEqual(OF_101);
  });
});

describe('a package that was really filled with other videos', () => {
  const OTHERS = idsFrom(3, 120, 3);

  it('waits for --accept-removals, and is stored with it', async () => {
    const { service, run, live, pipeline } = await openWalkedAccount({ 101: OF_101, 102: OF_102 });
    service.getPackage(102).refill(OTHERS);
    expect(firstFailure(await run())?.hint).toMatch(/vodhouse sync --package 102 --accept-removals/);
    expect(live(102)).toEqual(OF_102);
    const packages = [{ account: null, packageId: 102 }];
    service.takePages(102);
    const accepted = await run({ packages, acceptRemovals: true });
    expect(accepted.failures).toEqual([]);
    expect(service.takePages(102)).toEqual([1, 1]);
    expect(pipeline.query('select scope from run order by run_id desc limit 1')).toEqual([
      { scope: 'packages 102' },
    ]);
    expect(live(102)).toEqual([...OF_102, ...OTHERS].sort((one, other) => one - other));
    const next = await run();
    expect(next.status).toBe('succeeded');
    expect(live(102)).toEqual(OTHERS);
    expect(pipeline.query('select * from removal_candidate')).toEqual([]);
  });

  it.each([1, 2, 5, 20])('needs no acceptance where it has %i videos', async (size) => {
    const { service, run, live } = await openWalkedAccount({ 101: OF_101, 102: idsFrom(2, size, 3) });
    const others = idsFrom(3, size, 3);
    service.getPackage(102).refill(others);
    expect((await run()).failures).toEqual([]);
    expect((await run()).failures).toEqual([]);
    expect(live(102)).toEqual(others);
  });
});

describe('a new package', () => {
  it('that began with the page of another one waits for --accept-removals', async () => {
    const scene = await openWalkedAccount({ 101: OF_101 }, { packages: [101, 102] });
    scene.service.getPackage(102).refill(OF_102);
    scene.serveForeignPage(102, 101, 1);
    expect((await scene.run()).failures).toEqual([]);
    expect(firstFailure(await scene.run())?.hint).toMatch(/--package 102 --accept-removals/);
    expect(scene.live(102)).toEqual(OF_101);
    await scene.run({ packages: [{ account: null, packageId: 102 }], acceptRemovals: true });
    expect((await scene.run()).failures).toEqual([]);
    expect(scene.live(102)).toEqual(OF_102);
  });
});
