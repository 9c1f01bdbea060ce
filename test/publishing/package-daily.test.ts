import { describe, expect, it, vi } from 'vitest';
import { change, insert, liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

vi.setConfig({ testTimeout: 60_000 });

describe('package_daily', () => {
  it('begins with the first walk of a package that never had a video, and not before', async () => {
    const live = liveFileWith(
      packageRow(101, { first_walked_at: '2026-03-08 16:00:00', walked_at: '2026-03-09 00:00:00' }),
      packageRow(102),
      packageRow(103, { first_walked_at: '2026-03-09 14:00:00' }),
      videoRow(1, { package_id: 103, changed_at: '2026-03-08 14:59:59' }),
    );
    const { select } = await published(live);
    const days =
      'select package_key, day, video_count, is_walked from package_daily order by package_key, day';
    expect(select(days)).toEqual([
      { package_key: 'main/101', day: '2026-03-09', video_count: 0, is_walked: 0 },
      { package_key: 'main/101', day: '2026-03-10', video_count: 0, is_walked: 0 },
      { package_key: 'main/103', day: '2026-03-08', video_count: 1, is_walked: 0 },
      { package_key: 'main/103', day: '2026-03-09', video_count: 1, is_walked: 0 }, // its first walk goes on
      { package_key: 'main/103', day: '2026-03-10', video_count: 1, is_walked: 0 },
    ]);
  });

  it('counts the videos that leave with their package, and those that return with it', async () => {
    const live = liveFileWith(
      packageRow(101, { retired_at: null }),
      videoRow(1, { change: 'imported' }),
      videoRow(2),
      // the first moment of the 4th in Seoul
      change(1, '2026-03-03 15:00:00', "removed_at = '2026-03-03 15:00:00', change = 'retired'"),
      change(2, '2026-03-03 15:00:00', "removed_at = '2026-03-03 15:00:00', change = 'retired'"),
      change(2, '2026-03-05 15:00:00', 'removed_at = null'),
    );
    const { select } = await published(live, { now: Date.parse('2026-03-06T03:00:00Z') });
    const counts = 'video_count, imported_count, added_count, retired_count, returned_count';
    const rows = select(`select day, ${counts} from package_daily order by day`).map((row) =>
      Object.values(row),
    );
    expect(rows).toEqual([
      ['2026-03-01', 2, 1, 1, 0, 0],
      ['2026-03-02', 2, 0, 0, 0, 0],
      ['2026-03-03', 2, 0, 0, 0, 0],
      ['2026-03-04', 0, 0, 0, 2, 0],
      ['2026-03-05', 0, 0, 0, 0, 0],
      ['2026-03-06', 1, 0, 0, 0, 1],
    ]);
  });

  it('tells a day without a walk from a day without changes', async () => {
    const live = liveFileWith(
      packageRow(101),
      videoRow(1),
      insert('package_day', { account: 'main', package_id: 101, date: '2026-03-01', videos: 1 }),
      insert('package_day', { account: 'main', package_id: 101, date: '2026-03-03', videos: 1 }),
    );
    const { select } = await published(live, { now: Date.parse('2026-03-03T03:00:00Z') });
    expect(select('select day, is_walked from package_daily order by day')).toEqual([
      { day: '2026-03-01', is_walked: 1 },
      { day: '2026-03-02', is_walked: 0 },
      { day: '2026-03-03', is_walked: 1 },
    ]);
  });
});
