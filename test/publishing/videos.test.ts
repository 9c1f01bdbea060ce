import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { change, liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

const GIB = 1_073_741_824;

describe('a published video', () => {
  it('has NULL for the empty text of the service, and texts with units for its numbers', async () => {
    const live = liveFileWith(
      packageRow(101),
      videoRow(7, {
        title: '',
        series: null,
        author: ' ',
        tag: 'a,b',
        duration: 90_500,
        filesize: 5 * GIB,
        v_framerate: 29.97,
        v_width: 1920,
        encoding_success: 'Y',
        extra: '{"new":1}',
      }),
    );
    const { select } = await published(live);
    expect(select('select * from all_videos')).toMatchObject([
      {
        video_key: 'main/101/7',
        package_key: 'main/101',
        account: 'main',
        package_name: 'Package 101',
        video_id: 7,
        title: null,
        series: null,
        author: ' ',
        tags: 'a,b',
        duration_seconds: 90.5,
        size_bytes: 5 * GIB,
        size_gib: 5,
        frames_per_second: 29.97,
        width_pixels: 1920,
        height_pixels: null,
        created_at: '2026-02-01 10:20:30',
        is_encoded: 1,
        other_fields: '{"new":1}',
        is_removed: 0,
        removed_at: null,
        changed_at: '2026-03-01 03:00:00',
        change: 'added',
        version_number: 1,
      },
    ]);
  });

  it('has a duration in seconds, also where the service counts in seconds', async () => {
    const live = liveFileWith(packageRow(101), videoRow(1, { duration: 90 }));
    const { select } = await published(live, { durationUnit: 's' });
    const duration = [{ duration_seconds: 90 }];
    expect(select('select duration_seconds from videos')).toEqual(duration);
    expect(select('select duration_seconds from packages')).toEqual(duration);
    expect(select('select duration_seconds from package_daily where is_live')).toEqual(duration);
  });

  it.each(['', 'yesterday', '2026-02-30 10:00:00.0', '2026-2-1 1:00:00', '2026-02-01', '2460000.5', null])(
    'has no creation time where the service has %j',
    async (cdate) => {
      const { select } = await published(liveFileWith(packageRow(101), videoRow(1, { cdate })));
      expect(select('select created_at from videos')).toEqual([{ created_at: null }]);
    },
  );

  it('has all of its states: former ones, removed ones and the present one', async () => {
    const live = liveFileWith(
      packageRow(101),
      videoRow(1),
      change(1, '2026-03-03 00:00:00', "title = 'New'"),
      change(
        1,
        '2026-03-05 00:00:00',
        "removed_at = '2026-03-05 00:00:00', first_missing_at = '2026-03-04 23:00:00'",
      ),
      change(1, '2026-03-06 00:00:00', 'removed_at = null'),
    );
    const { select, publication } = await published(live);
    const columns = 'title, is_removed, valid_from, valid_to, is_current';
    expect(select(`select ${columns} from video_versions order by change_seq`)).toEqual([
      {
        title: 'Video 1',
        is_removed: 0,
        valid_from: '2026-03-01 03:00:00',
        valid_to: '2026-03-03 00:00:00',
        is_current: 0,
      },
      {
        title: 'New',
        is_removed: 0,
        valid_from: '2026-03-03 00:00:00',
        valid_to: '2026-03-05 00:00:00',
        is_current: 0,
      },
      {
        title: 'New',
        is_removed: 1,
        valid_from: '2026-03-05 00:00:00',
        valid_to: '2026-03-06 00:00:00',
        is_current: 0,
      },
      { title: 'New', is_removed: 0, valid_from: '2026-03-06 00:00:00', valid_to: null, is_current: 1 },
    ]);
    expect(publication.rows).toMatchObject({ all_videos: 1, videos: 1, video_history: 3 });
  });

  it('has no playback keys, anywhere in the file, unless the config includes them', async () => {
    const row = { access_key: 'play-me-level-2', org_access_key: 'play-me-level-1' };
    const live = liveFileWith(
      packageRow(101),
      videoRow(1, row),
      change(1, '2026-03-02 00:00:00', "title = ''"),
    );
    const without = await published(live);
    expect(readFileSync(without.file).includes('play-me')).toBe(false);
    expect(without.select("select value from about where key = 'excluded'")).toEqual([
      { value: 'access_key, org_access_key' },
    ]);
    const wanted = await published(live, { exclude: ['filesize', 'tags'] });
    expect(wanted.select('select * from videos')).toMatchObject([
      { access_key: 'play-me-level-2', original_access_key: 'play-me-level-1' },
    ]);
    const names = wanted
      .select("select name from pragma_table_info('video_versions')")
      .map(({ name }) => name);
    expect(names).not.toEqual(expect.arrayContaining(['size_bytes']));
    expect(names).not.toEqual(expect.arrayContaining(['size_gib']));
    expect(names).not.toEqual(expect.arrayContaining(['tags']));
  });
});

describe('a published package', () => {
  it('has its current contents, and that it is retired', async () => {
    const live = liveFileWith(
      packageRow(101, {
        totalcount: 3,
        walked_at: '2026-03-02 00:00:00',
        first_walked_at: '2026-03-01 00:00:00',
      }),
      packageRow(102, { order: null, retired_at: '2026-03-03 00:00:00', name: '' }),
      videoRow(1),
      videoRow(2, { removed_at: '2026-03-02 00:00:00', filesize: 9 * GIB }),
      videoRow(3, { filesize: null, duration: null }),
    );
    const { select } = await published(live);
    expect(select('select * from packages order by package_key')).toMatchObject([
      {
        package_key: 'main/101',
        package_name: 'Package 101',
        video_count: 2,
        removed_count: 1,
        size_bytes: GIB,
        size_gib: 1,
        duration_seconds: 60,
        service_video_count: 3,
        is_retired: 0,
      },
      {
        package_name: 'main/102',
        video_count: 0,
        removed_count: 0,
        size_bytes: 0,
        service_video_count: null,
        is_retired: 1,
      },
    ]);
  });
});
