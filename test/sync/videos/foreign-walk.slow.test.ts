import { describe, expect, it } from 'vitest';
import { firstFailure, openWalkedAccount } from '../../support/servers/walked-packages.ts';
import { idsFrom } from '../../support/servers/test-service.ts';

/** Interleaved ids, as in an account that numbers all of its videos. */
const OWN = idsFrom(2, 200, 3);
const OTHER = idsFrom(1, 200, 3);
/** A walk believes no more of pages without a known video than replaces so many. */
const MOST_REPLACED = 20;

/** Package 102 is walked by pages of this size; 101 is another one. */
const open = (pageSize: number, own: readonly number[] = OWN) =>
  openWalkedAccount({ 101: OTHER, 102: own }, { pageSize, silent: true });

type Scene = Awaited<ReturnType<typeof open>>;

/** The pages of 102 that match come from 101. */
function mixUp({ service }: Scene, matches: (page: number) => boolean = () => true): void {
  service.intercept = ({ packageId, page }) =>
    packageId === 102 && matches(page) ? { packageId: 101 } : undefined;
}

/** The service answers rightly again: two walks hold nothing back, and leave the videos of 102. */
async function expectRightWalks(scene: Scene, own: readonly number[] = OWN): Promise<void> {
  scene.service.intercept = () => undefined;
  for (const again of [await scene.run(), await scene.run()]) {
    expect(again.failures).toEqual([]);
    expect(again.walks.at(-1)).toMatchObject({ package_id: 102, status: 'succeeded', held_back: 0 });
  }
  expect([scene.live(101), scene.live(102)]).toEqual([OTHER, own]);
}

describe('a walk by small pages that is answered with another package', () => {
  it.each([
    [1, 'full'],
    [20, 'full'],
    [7, 'quick'],
  ] as const)('of %i videos, stores nothing of it in %s runs', async (pageSize, mode) => {
    const scene = await open(pageSize);
    mixUp(scene);
    for (const { failures } of [await scene.run({ mode }), await scene.run({ mode })]) {
      expect(failures).toMatchObject([{ packageId: 102, kind: 'foreign' }]);
      expect([scene.live(102), scene.leftovers()]).toEqual([OWN, []]);
    }
    await expectRightWalks(scene);
  });

  it('fails with the number of videos, and with the command', async () => {
    const scene = await open(20);
    mixUp(scene);
    expect(firstFailure(await scene.run())).toMatchObject({
      message:
        'account main, package 102, page 10: it holds not one of the 40 known videos whose ids ' +
        'it and other pages cover; it came twice, and is not stored',
      hint: expect.stringContaining('vodhouse sync --package 102 --accept-removals') as string,
    });
    expect(scene.service.takePages(102)).toEqual([10, 9, 10, 9]);
  });

  it('stores it where a person accepts it', async () => {
    const scene = await open(20);
    const others = idsFrom(3, 200, 3);
    scene.service.getPackage(102).refill(others);
    expect(firstFailure(await scene.run())?.packageId).toBe(102);
    const packages = [{ account: null, packageId: 102 }];
    expect((await scene.run({ packages, acceptRemovals: true })).failures).toEqual([]);
    for (let again = 0; again < 4; again++) expect((await scene.run()).failures).toEqual([]);
    expect(scene.live(102)).toEqual(others);
  });

  it('from the middle on, stores nothing of it', async () => {
    const scene = await open(20);
    mixUp(scene, (page) => page < 5);
    for (const { failures } of [await scene.run(), await scene.run()]) {
      expect(failures).toMatchObject([{ packageId: 102, kind: 'foreign' }]);
      expect(scene.live(102)).toEqual(OWN);
    }
    await expectRightWalks(scene);
  });

  it('after a stop, stores nothing of it', async () => {
    const scene = await open(5);
    scene.service.beforeAnswer = ({ packageId, page }) => {
      if (packageId === 102 && page === 20) scene.pipeline.stop();
    };
    await scene.run();
    scene.service.beforeAnswer = () => undefined;
    mixUp(scene);
    expect((await scene.run()).failures).toMatchObject([{ packageId: 102, kind: 'foreign' }]);
    expect(scene.live(102)).toEqual(OWN);
    await expectRightWalks(scene);
  });

  it('on every other page, leaves few of them', async () => {
    const pageSize = 10;
    const scene = await open(pageSize);
    mixUp(scene, (page) => page % 2 === 0);
    expect(firstFailure(await scene.run())?.packageId).toBe(102);
    const foreign = scene.live(102).length - OWN.length;
    expect(foreign).toBeLessThanOrEqual(MOST_REPLACED + pageSize); // the last page lies above all known ids
    await expectRightWalks(scene);
  });

  it('stores nothing of one that is much denser', async () => {
    const own = idsFrom(300, 200, 300);
    const scene = await open(5, own);
    mixUp(scene);
    expect((await scene.run()).failures).toMatchObject([{ packageId: 102, kind: 'foreign' }]);
    expect(scene.live(102)).toEqual(own);
    await expectRightWalks(scene, own);
  });
});

describe('videos that are exchanged, a few in each walk', () => {
  it.each([5, 20])('pass, with pages of %i', async (pageSize) => {
    const scene = await open(pageSize);
    const listed = scene.service.getPackage(102);
    for (let round = 0; round < 4; round++) {
      const gone = [...listed.records.keys()].slice(0, 20);
      listed.remove(...gone);
      listed.add(...gone.map((id) => id + 1));
      expect((await scene.run()).failures).toEqual([]);
    }
    await scene.run();
    expect(scene.live(102)).toEqual([...listed.records.keys()].sort((one, other) => one - other));
  });

  it.each([1, 20])('pass where they are all of the package, with pages of %i', async (pageSize) => {
    const own = idsFrom(2, 20, 3);
    const scene = await open(pageSize, own);
    const others = own.map((id) => id + 1);
    scene.service.getPackage(102).refill(others);
    expect((await scene.run()).failures).toEqual([]);
    expect(scene.live(102)).toEqual(expect.arrayContaining(others));
  });
});
