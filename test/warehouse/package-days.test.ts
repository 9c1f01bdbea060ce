import { readFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { insert, liveFileWith } from '../support/fixtures/filled-live-file.ts';
import { execute, readRows } from '../support/fixtures/live-file.ts';
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

it('a walk that stopped before its end does not count', async () => {
  const walk = await walker.begin();
  await walker.page(walk, { videos: videos([1, 2]) });
  await walker.stop(walk, 'failed');
  expect(days()).toEqual([]);
});

it('an older file gets the days of its stored walks, from the last completed one of each day', () => {
  const statements = readFileSync('drizzle/0007_package_days.sql', 'utf8').split('--> statement-breakpoint');
  const walk = (finished_at: string | null, totalcount: number | null, row = {}) =>
    insert('walk', {
      run_id: 1,
      account: 'main',
      package_id: 101,
      mode: 'full',
      status: 'succeeded',
      totalcount,
      started_at: '2026-02-01 00:00:00',
      finished_at,
      origin_started_at: '2026-02-01 00:00:00',
      ...row,
    });
  const run = { trigger: 'manual', mode: 'full', status: 'succeeded', started_at: '2026-02-01 00:00:00' };
  const old = liveFileWith(
    insert('run', run),
    walk('2026-02-01 08:00:00', 10),
    walk('2026-02-01 20:00:00', 12),
    walk('2026-02-01 22:00:00', 99, { status: 'partial' }),
    walk('2026-02-01 23:00:00', 99, { mode: 'quick' }),
    walk('2026-02-02 08:00:00', 13),
    walk(null, 14, { status: 'running' }),
    walk('2026-02-01 09:00:00', 7, { package_id: 102 }),
  );
  execute(old, statements.at(-1) ?? '');
  expect(readRows(old, 'select * from package_day order by package_id, date')).toEqual([
    { account: 'main', package_id: 101, date: '2026-02-01', videos: 12 },
    { account: 'main', package_id: 101, date: '2026-02-02', videos: 13 },
    { account: 'main', package_id: 102, date: '2026-02-01', videos: 7 },
  ]);
});
