/** What analysts would otherwise write in every query. */
import { expect, it } from 'vitest';
import {
  change,
  insert,
  liveFileWith,
  packageRow,
  storageRow,
  videoRow,
} from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

it('videos_now has the videos that are in a configured package', async () => {
  const live = liveFileWith(
    packageRow(101),
    packageRow(102, { retired_at: '2026-03-05 00:00:00' }),
    videoRow(1),
    videoRow(2, { removed_at: '2026-03-04 00:00:00' }),
    videoRow(3, { package_id: 102 }),
  );
  const { select } = await published(live);
  expect(select('select video_key, package_name from videos_now')).toEqual([
    { video_key: 'main/101/1', package_name: 'Package 101' },
  ]);
  expect(select('select count(*) as videos from videos')).toEqual([{ videos: 3 }]);
});

it('a video has the day of its creation, on the clock of the service', async () => {
  const live = liveFileWith(
    packageRow(101),
    videoRow(1, { cdate: '2026-02-01 23:59:59.9' }),
    videoRow(2, { cdate: 'soon' }),
  );
  const { select } = await published(live);
  expect(select('select created_day from videos order by video_id')).toEqual([
    { created_day: '2026-02-01' },
    { created_day: null },
  ]);
});

it('every moment of a table has its day in the calendar of the service beside it', async () => {
  const [before, after] = ['2026-03-04 14:59:59', '2026-03-04 15:00:00']; // midnight in Seoul
  const live = liveFileWith(
    packageRow(101, { first_walked_at: before, walked_at: after, retired_at: after }),
    videoRow(1, { first_seen_at: before, changed_at: before }),
    change(1, after, `removed_at = '${after}'`),
    storageRow('2026-03-04', 1, { observed_at: after }),
    insert('run', {
      ...{ trigger: 'manual', mode: 'full', status: 'succeeded' },
      ...{ started_at: before, finished_at: after },
    }),
    insert('walk', {
      ...{ run_id: 1, account: 'main', package_id: 101, mode: 'full', status: 'succeeded' },
      ...{ origin_started_at: before, started_at: before, finished_at: after },
    }),
  );
  const { select } = await published(live);
  const columns = select(
    `select table_name, column_name from dictionary
     where data_type = 'TIMESTAMP' and table_name <> 'dates' and column_name not in ('valid_from', 'valid_to', 'created_at')`,
  );
  expect(columns.length).toBeGreaterThan(15);
  for (const { table_name: table, column_name: column } of columns) {
    const [name, label] = [String(column), `${String(table)}.${String(column)}`];
    const wrong = `select * from ${String(table)} where ${name} is not null
      and ${name.replace(/_at$/, '_day')} is not date(${name}, '+9 hours') or (${name} is null) <> (${name.replace(/_at$/, '_day')} is null)`;
    expect(select(wrong), label).toEqual([]);
  }
  expect(select('select removed_day, first_seen_day from videos')).toEqual([
    { removed_day: '2026-03-05', first_seen_day: '2026-03-04' },
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

it('storage_daily shows that an account is no longer read, package_daily the first day of a package', async () => {
  const live = liveFileWith(
    packageRow(101, { first_walked_at: '2026-03-01 03:00:00' }),
    videoRow(1),
    storageRow('2026-03-02', 1),
    storageRow('2026-03-02', 1, { account: 'closed' }),
  );
  const { select } = await published(live);
  expect(select('select distinct account, is_retired from storage_daily order by account')).toEqual([
    { account: 'closed', is_retired: 1 },
    { account: 'main', is_retired: 0 },
  ]);
  expect(select('select day, added_count, is_first_day from package_daily order by day limit 2')).toEqual([
    { day: '2026-03-01', added_count: 1, is_first_day: 1 },
    { day: '2026-03-02', added_count: 0, is_first_day: 0 },
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
  const run = 'select run_id, status, duration_seconds, request_count, failure_count from runs';
  expect(select(run)).toEqual([
    { run_id: 1, status: 'partial', duration_seconds: 90, request_count: 7, failure_count: 1 },
    { run_id: 2, status: 'running', duration_seconds: null, request_count: 0, failure_count: 0 },
  ]);
  expect(select('select run_id, package_name, duration_seconds, added_count from walks')).toEqual([
    { run_id: 1, package_name: 'Package 101', duration_seconds: 90, added_count: 3 },
  ]);
});
