/** What analysts would otherwise write in every query. */
import { expect, it } from 'vitest';
import {
  insert,
  liveFileWith,
  packageRow,
  storageRow,
  videoRow,
} from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

it('bi_videos_now has the videos that are in a configured package', async () => {
  const live = liveFileWith(
    packageRow(101),
    packageRow(102, { retired_at: '2026-03-05 00:00:00' }),
    videoRow(1),
    videoRow(2, { removed_at: '2026-03-04 00:00:00' }),
    videoRow(3, { package_id: 102 }),
  );
  const { select } = await published(live);
  expect(select('select video_id, package_name from bi_videos_now')).toEqual([
    { video_id: 1, package_name: 'Package 101' },
  ]);
  expect(select('select count(*) as videos from bi_videos')).toEqual([{ videos: 3 }]);
});

it('a video has the day of its creation and its length in minutes', async () => {
  const live = liveFileWith(
    packageRow(101),
    videoRow(1, { cdate: '2026-02-01 23:59:59.9', duration: 90_000 }),
    videoRow(2, { cdate: 'soon', duration: null }),
  );
  const { select } = await published(live);
  expect(select('select created_day, duration_minutes from bi_videos order by video_id')).toEqual([
    { created_day: '2026-02-01', duration_minutes: 1.5 },
    { created_day: null, duration_minutes: null },
  ]);
});

const TAGS: [string | null, string[]][] = [
  ['math', ['math']],
  ['math, 수학,math ;  live', ['live', 'math', '수학']],
  ['a"b,c\\d,\\n', ['\\n', 'a"b', 'c\\d']],
  ['["x","y"]', ['"y"]', '["x"']],
  ["it's\n2 lines, \t\u3000", ["it's\n2 lines"]],
  ['😀,\u0001', ['\u0001', '😀']],
  [', ;,,', []],
  ['', []],
  [null, []],
];

it.each(TAGS)('video_tags has the tags of %j', async (tag, tags) => {
  const live = liveFileWith(packageRow(101), videoRow(1, { tag }));
  const { select } = await published(live);
  expect(select('select tag from video_tags order by tag').map((row) => row['tag'])).toEqual(tags);
});

it('video_tags is left out where tags are', async () => {
  const live = liveFileWith(packageRow(101), videoRow(1, { tag: 'a' }));
  for (const exclude of [['tag'], ['tags']]) {
    const { select } = await published(live, { exclude });
    expect(select(`select name from sqlite_schema where name = 'video_tags'`)).toEqual([]);
  }
});

it('storage_daily shows that an account is no longer read, catalog_daily the first day of a package', async () => {
  const live = liveFileWith(
    packageRow(101, { first_walked_at: '2026-03-01 03:00:00' }),
    videoRow(1),
    storageRow('2026-03-02', 1),
    storageRow('2026-03-02', 1, { account: 'closed' }),
  );
  const { select } = await published(live);
  expect(select('select distinct account, is_retired from bi_storage_daily order by account')).toEqual([
    { account: 'closed', is_retired: 1 },
    { account: 'main', is_retired: 0 },
  ]);
  expect(select('select day, added, is_first_day from catalog_daily order by day limit 2')).toEqual([
    { day: '2026-03-01', added: 1, is_first_day: 1 },
    { day: '2026-03-02', added: 0, is_first_day: 0 },
  ]);
});

it('runs and walks are published with their times, counts and failures', async () => {
  const times = { started_at: '2026-03-01 03:00:00', finished_at: '2026-03-01 03:01:30' };
  const live = liveFileWith(
    packageRow(101),
    insert('run', { trigger: 'schedule', mode: 'full', status: 'partial', requests: 7, ...times }),
    insert('run', { trigger: 'manual', mode: 'quick', status: 'running', started_at: '2026-03-01 04:00:00' }),
    insert('run_failure', {
      run_id: 1,
      account: 'main',
      stream: 'storage',
      kind: 'status',
      message: 'HTTP 500',
    }),
    insert('walk', {
      ...{ run_id: 1, account: 'main', package_id: 101, mode: 'full', status: 'succeeded', inserted: 3 },
      ...{ origin_started_at: times.started_at, ...times },
    }),
  );
  const { select } = await published(live);
  expect(select('select run_id, status, elapsed_seconds, requests, failures from runs')).toEqual([
    { run_id: 1, status: 'partial', elapsed_seconds: 90, requests: 7, failures: 1 },
    { run_id: 2, status: 'running', elapsed_seconds: null, requests: 0, failures: 0 },
  ]);
  expect(select('select run_id, package_name, elapsed_seconds, inserted from bi_walks')).toEqual([
    { run_id: 1, package_name: 'Package 101', elapsed_seconds: 90, inserted: 3 },
  ]);
});
