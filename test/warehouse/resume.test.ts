import { beforeEach, describe, expect, it } from 'vitest';
import { readRows } from '../support/fixtures/live-file.ts';
import { type PackageWalker, videos, type Page } from '../support/fixtures/package-walker.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { HOUR_MS, DAY_MS } from '../../src/lib/clock.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';
const CHECKPOINT = {
  id: 500,
  page: 7,
  pageSize: 20,
  totalcount: 140,
  orderViolated: false,
  unreadReason: null,
};
const PAGE: Page = { page: 7, videos: videos([500, 501]), checkpoint: CHECKPOINT };

describe('a walk', () => {
  let path: string;
  let clock: VirtualClock;
  let walker: PackageWalker;

  beforeEach(async () => {
    ({ path, clock, walker } = await openTestWarehouse());
  });

  const walks = () =>
    readRows(
      path,
      'select status, resumed, pages, started_at, origin_started_at, error from walk order by walk_id',
    );

  it.each(['interrupted', 'parked', 'failed'] as const)('resumes one that was %s', async (status) => {
    const stopped = await walker.begin();
    await walker.page(stopped, PAGE);
    await walker.stop(stopped, status);
    clock.advance(HOUR_MS);
    const walk = await walker.begin();
    expect(walk.checkpoint).toEqual(CHECKPOINT);
    const [before, after] = ['2026-03-01 12:00:00', '2026-03-01 13:00:00'];
    expect(walks()).toMatchObject([
      { status, resumed: 0, pages: 1, started_at: before, error: `it was ${status}` },
      { status: 'running', resumed: 1, pages: 0, started_at: after, origin_started_at: before },
    ]);
  });

  it('resumes one whose process was killed: the next run marks it as interrupted', async () => {
    await walker.page(await walker.begin(), PAGE);
    const walk = await walker.begin();
    expect(walk.checkpoint).toEqual(CHECKPOINT);
    expect(walks()[0]).toMatchObject({
      status: 'interrupted',
      error: 'the process ended before the run did',
    });
  });

  it('starts from scratch after one that had read no id yet', async () => {
    const empty = await walker.begin();
    await walker.page(empty, { checkpoint: { id: null } });
    await walker.stop(empty, 'interrupted');
    expect((await walker.begin()).checkpoint).toBeNull();
  });

  it('starts from scratch after one that is too old, counted from the first of a chain', async () => {
    const resumeWithinMs = 2 * DAY_MS;
    for (const checkpoint of [null, CHECKPOINT, CHECKPOINT]) {
      const walk = await walker.begin({ resumeWithinMs });
      expect(walk.checkpoint).toEqual(checkpoint);
      await walker.page(walk, PAGE);
      await walker.stop(walk, 'interrupted');
      clock.advance(DAY_MS);
    }
    const walk = await walker.begin({ resumeWithinMs });
    expect(walk.checkpoint).toBeNull();
    expect(walks().map(({ resumed, origin_started_at }) => [resumed, origin_started_at])).toEqual([
      [0, '2026-03-01 12:00:00'],
      [1, '2026-03-01 12:00:00'],
      [1, '2026-03-01 12:00:00'],
      [0, '2026-03-04 12:00:00'],
    ]);
  });

  it('starts from scratch after one that resumed and failed without a new page', async () => {
    const first = await walker.begin();
    await walker.page(first, PAGE);
    await walker.stop(first, 'failed');
    const stuck = await walker.begin();
    expect(stuck.checkpoint).toEqual(CHECKPOINT);
    await walker.stop(stuck, 'failed');
    expect((await walker.begin()).checkpoint).toBeNull();
  });

  it('resumes one that resumed and was interrupted or parked without a new page', async () => {
    const first = await walker.begin();
    await walker.page(first, PAGE);
    await walker.stop(first, 'failed');
    for (const status of ['interrupted', 'parked', 'interrupted'] as const) {
      const next = await walker.begin();
      expect(next.checkpoint).toEqual(CHECKPOINT);
      await walker.stop(next, status);
    }
  });

  it('records that the list was seen out of order', async () => {
    const stopped = await walker.begin();
    await walker.page(stopped, { ...PAGE, checkpoint: { ...CHECKPOINT, orderViolated: true } });
    await walker.stop(stopped, 'interrupted');
    expect((await walker.begin()).checkpoint).toEqual({ ...CHECKPOINT, orderViolated: true });
  });

  it('resumes one of the same mode only', async () => {
    const full = await walker.begin();
    await walker.page(full, PAGE);
    await walker.stop(full, 'interrupted');
    const quick = await walker.begin({ mode: 'quick' });
    expect(quick.checkpoint).toBeNull();
    await walker.stop(quick, 'failed');
    expect((await walker.begin()).checkpoint).toEqual(CHECKPOINT);
  });
});
