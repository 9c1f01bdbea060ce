import { beforeEach, expect, it } from 'vitest';
import { readRows } from '../support/fixtures/live-file.ts';
import { videos, type PackageWalker } from '../support/fixtures/package-walker.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';
let path: string;
let clock: VirtualClock;
let walker: PackageWalker;

beforeEach(async () => {
  ({ path, clock, walker } = await openTestWarehouse());
});

const days = () => readRows(path, 'select date, videos from package_day order by date');

it('a day has as many videos as its last completed walk left', async () => {
  await walker.walkOnce(videos([1, 2, 3]));
  expect(days()).toEqual([{ date: '2026-03-01', videos: 3 }]);
  clock.advance(2 * HOUR_MS);
  await walker.walkOnce(videos([1, 2, 3, 4, 5]));
  expect(days()).toEqual([{ date: '2026-03-01', videos: 5 }]);
  clock.advance(24 * HOUR_MS);
  await walker.walkOnce(videos([2, 3, 4, 5]), { share: 1, minimum: 10 });
  expect(days()).toEqual([
    { date: '2026-03-01', videos: 5 },
    { date: '2026-03-02', videos: 4 },
  ]);
});
