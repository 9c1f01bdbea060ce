import { beforeEach, describe, expect, it } from 'vitest';
import { readHeldBack } from '../../src/queries/named/status.ts';
import { openReadOnly } from '../../src/database/connection.ts';
import { readRows, readValue } from '../support/fixtures/live-file.ts';
import {
  ACCOUNT,
  type PackageWalker,
  EVERYTHING,
  PACKAGE,
  videos,
} from '../support/fixtures/package-walker.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';
const firstIds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const NONE = { removed: 0, heldBack: 0 };

let path: string;
let clock: VirtualClock;
let walker: PackageWalker;

beforeEach(async () => {
  ({ path, clock, walker } = await openTestWarehouse());
});

const candidates = () => readRows(path, 'select id, proved_at, held_back from removal_candidate order by id');
const findLiveIds = () =>
  readRows(path, 'select id from video where removed_at is null order by id').map(({ id }) => id);
const removedIds = () =>
  readRows(path, 'select id from video where removed_at is not null order by id').map(({ id }) => id);

describe('a removal', () => {
  it('is a candidate with the time of its proof until the walk ends', async () => {
    await walker.walkOnce(videos([1, 2, 3, 4, 5]));
    clock.advance(60_000);
    const walk = await walker.begin();
    await walker.page(walk, { videos: videos([1, 3, 5]), proof: EVERYTHING });
    const proved_at = '2026-03-01 12:01:00';
    expect(candidates()).toEqual([2, 4].map((id) => ({ id, proved_at, held_back: 0 })));
    expect(findLiveIds()).toEqual([1, 2, 3, 4, 5]);
    clock.advance(60_000);
    expect(await walker.finish(walk)).toEqual({ removed: 2, heldBack: 0 });
    expect(candidates()).toEqual([]);
    const at = '2026-03-01 12:02:00';
    const row = { removed_at: at, changed_at: at, first_missing_at: proved_at };
    expect(
      readRows(
        path,
        'select id, removed_at, changed_at, first_missing_at, change_seq from video where removed_at is not null order by id',
      ),
    ).toEqual([
      { id: 2, ...row, change_seq: 6 },
      { id: 4, ...row, change_seq: 7 },
    ]);
    expect(readValue(path, 'select live_count from package')).toBe(3);
    expect(readValue(path, 'select change_seq from warehouse_state')).toBe(7);
    expect(
      readRows(path, 'select removed, held_back, status from walk order by walk_id desc limit 1'),
    ).toEqual([{ removed: 2, held_back: 0, status: 'succeeded' }]);
  });

  it('retains the time of its first proof', async () => {
    await walker.walkOnce(videos([1, 2]));
    const walk = await walker.begin();
    await walker.page(walk, { videos: videos([1]), proof: EVERYTHING });
    clock.advance(60_000);
    await walker.page(walk, { videos: videos([1]), proof: EVERYTHING });
    await walker.finish(walk);
    expect(readRows(path, 'select removed_at, first_missing_at from video where id = 2')).toEqual([
      { removed_at: '2026-03-01 12:01:00', first_missing_at: '2026-03-01 12:00:00' },
    ]);
  });

  it('was first missing no later than it took effect, also where the clock was set back in between', async () => {
    await walker.walkOnce(videos([1, 2]));
    clock.advance(HOUR_MS);
    const walk = await walker.begin();
    await walker.page(walk, { videos: videos([1]), proof: EVERYTHING });
    clock.advance(-30 * 60_000);
    await walker.finish(walk);
    const at = '2026-03-01 12:30:00';
    expect(readRows(path, 'select removed_at, first_missing_at from video where id = 2')).toEqual([
      { removed_at: at, first_missing_at: at },
    ]);
  });
});

describe('the brake', () => {
  /** Walks a package of `size`, then again without the last `missing`. */
  async function walkWithMissing(size: number, missing: number, brake = {}) {
    await walker.walkOnce(videos(firstIds(size)));
    clock.advance(60_000);
    return walker.walkOnce(videos(firstIds(size - missing)), brake);
  }

  it.each([
    [40, 20, 'half of it, but no more than 20'],
    [200, 30, 'more than 20, but no fifth'],
    [105, 21, 'exactly a fifth'],
    [21, 20, 'nearly all of it, but no more than 20'],
  ])('accepts, of %i, %i: %s', async (size, missing) => {
    expect(await walkWithMissing(size, missing)).toEqual({ removed: missing, heldBack: 0 });
    expect(findLiveIds()).toEqual(firstIds(size - missing));
    expect(candidates()).toEqual([]);
  });

  it.each([
    [104, 21, 'more than a fifth and more than 20'],
    [40, 21, 'half of it'],
    [3, 3, 'all of it'],
    [1, 1, 'the only one'],
    [30, 30, 'all of it'],
  ])('holds back, of %i, %i: %s', async (size, missing) => {
    expect(await walkWithMissing(size, missing)).toEqual({ removed: 0, heldBack: missing });
    expect(findLiveIds()).toEqual(firstIds(size));
    expect(candidates().map(({ held_back }) => held_back)).toEqual(Array<number>(missing).fill(1));
    expect(readValue(path, 'select live_count from package')).toBe(size);
    expect(readRows(path, 'select removed, held_back from walk order by walk_id desc limit 1')).toEqual([
      { removed: 0, held_back: missing },
    ]);
  });

  it('lists what it holds back', async () => {
    await walkWithMissing(40, 30);
    const db = openReadOnly(path);
    expect(readHeldBack(db)).toEqual([
      {
        account: ACCOUNT,
        package_id: PACKAGE,
        removals: 30,
        since: '2026-03-01 12:01:00',
        held_by: 2,
        reasons: ['many'],
        examples: [11, 12, 13].map((id) => ({ id, title: `Video ${id}` })),
      },
    ]);
    db.$client.close();
  });

  it('does not release for a walk that is too early, and that one does not restart the wait', async () => {
    await walkWithMissing(40, 30);
    clock.advance(HOUR_MS - 1000);
    expect(await walker.walkOnce(videos(firstIds(10)))).toEqual({ removed: 0, heldBack: 30 });
    expect(findLiveIds()).toEqual(firstIds(40));
    clock.advance(1000);
    expect(await walker.walkOnce(videos(firstIds(10)))).toEqual({ removed: 30, heldBack: 0 });
  });

  it('releases only removals that are proved again; the others continue to wait', async () => {
    await walkWithMissing(60, 50);
    clock.advance(2 * HOUR_MS);
    const walk = await walker.begin();
    await walker.page(walk, { videos: videos(firstIds(10)), proof: { low: 1, high: 30 } });
    expect(await walker.finish(walk)).toEqual({ removed: 20, heldBack: 30 });
    expect(removedIds()).toEqual(firstIds(30).slice(10));
    expect(candidates()).toHaveLength(30);
  });

  it('dates what is confirmed days later by that moment, and leaves every earlier day as it was', async () => {
    const catalogue = (at: string) =>
      readRows(
        path,
        `select id from video_version where removed_at is null and changed_at <= :at and :at < valid_to
         union all select id from video where removed_at is null and changed_at <= :at`,
        { at },
      ).length;
    await walkWithMissing(1000, 300);
    const days = ['2026-03-01', '2026-03-02', '2026-03-03'].map((day) => `${day} 23:59:59`);
    clock.advance(3 * DAY_MS);
    expect(days.map(catalogue)).toEqual([1000, 1000, 1000]);
    expect(await walker.walkOnce(videos(firstIds(700)))).toEqual({ removed: 300, heldBack: 0 });
    expect(days.map(catalogue)).toEqual([1000, 1000, 1000]);
    expect(['2026-03-04 12:00:59', '2026-03-04 12:01:00'].map(catalogue)).toEqual([1000, 700]);
    const times = `select distinct removed_at, changed_at, first_missing_at from video where change = 'removed'`;
    const [at, proof] = ['2026-03-04 12:01:00', '2026-03-01 12:01:00'];
    expect(readRows(path, times)).toEqual([{ removed_at: at, changed_at: at, first_missing_at: proof }]);
  });

  it('clears videos that are seen again', async () => {
    await walkWithMissing(40, 30);
    clock.advance(2 * HOUR_MS);
    expect(await walker.walkOnce(videos(firstIds(35)))).toEqual({ removed: 5, heldBack: 0 });
    expect(findLiveIds()).toEqual(firstIds(35));
    expect(candidates()).toEqual([]);
  });
});

describe('a manual acceptance of removals', () => {
  it('accepts exactly those that were held back by then', async () => {
    await walker.walkOnce(videos(firstIds(100)));
    await walker.walkOnce(videos(firstIds(60)));
    clock.advance(60_000);
    expect(await walker.walkOnce(videos(firstIds(30)), { accept: true })).toEqual({
      removed: 40,
      heldBack: 30,
    });
    expect(findLiveIds()).toEqual(firstIds(60));
    expect(candidates().map(({ id }) => id)).toEqual(firstIds(60).slice(30));
  });

  it('does not accept what this walk could not prove again', async () => {
    await walker.walkOnce(videos(firstIds(100)));
    await walker.walkOnce(videos(firstIds(60)));
    clock.advance(60_000);
    const walk = await walker.begin();
    await walker.page(walk, { videos: videos(firstIds(60)) });
    expect(await walker.finish(walk, { accept: true })).toEqual({ removed: 0, heldBack: 40 });
  });

  it('accepts what a walk and earlier ones held back, and nothing held back later', async () => {
    await walker.walkOnce(videos(firstIds(100)));
    await walker.walkOnce(videos(firstIds(60)));
    const [shown] = readRows(path, 'select max(held_by) as walk from removal_candidate') as {
      walk: number;
    }[];
    await walker.walkOnce(videos(firstIds(30)));
    const accept = shown?.walk ?? 0;
    expect(await walker.walkOnce(videos(firstIds(30)), { accept })).toEqual({ removed: 40, heldBack: 30 });
    expect(findLiveIds()).toEqual(firstIds(60));
  });
});

describe('a list out of order', () => {
  it('voids the proofs of the walk, also those from before the disorder was seen', async () => {
    await walker.walkOnce(videos(firstIds(10)));
    const walk = await walker.begin();
    await walker.page(walk, { videos: videos([8, 10]), proof: { low: 8, high: 10 } });
    expect(candidates().map(({ id }) => id)).toEqual([9]);
    await walker.page(walk, { videos: videos([1, 2]), checkpoint: { orderViolated: true } });
    expect(await walker.finish(walk)).toEqual(NONE);
    expect(candidates()).toEqual([]);
    expect(removedIds()).toEqual([]);
    expect(readValue(path, 'select "order" from package')).toBe('untrusted');
  });

  it('confirms no held-back removal, and clears none', async () => {
    await walker.walkOnce(videos(firstIds(40)));
    await walker.walkOnce(videos(firstIds(10)));
    clock.advance(2 * HOUR_MS);
    const walk = await walker.begin();
    await walker.page(walk, { videos: videos(firstIds(10)), proof: EVERYTHING });
    await walker.page(walk, { checkpoint: { orderViolated: true } });
    expect(await walker.finish(walk)).toEqual({ removed: 0, heldBack: 30 });
    expect(candidates()).toHaveLength(30);
    expect(await walker.walkOnce(videos(firstIds(10)))).toEqual({ removed: 30, heldBack: 0 });
    expect(readValue(path, 'select "order" from package')).toBe('trusted');
  });
});
