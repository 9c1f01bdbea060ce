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

it('videos has what is in the catalogue now, all_videos what ever was', async () => {
  const live = liveFileWith(
    packageRow(101),
    packageRow(102, { retired_at: '2026-03-05 00:00:00' }),
    videoRow(1),
    videoRow(2, { removed_at: '2026-03-04 00:00:00' }),
    videoRow(3, { package_id: 102, removed_at: '2026-03-05 00:00:00', change: 'retired' }),
  );
  const { select } = await published(live);
  expect(select('select video_key, package_name from videos')).toEqual([
    { video_key: 'main/101/1', package_name: 'Package 101' },
  ]);
  expect(select('select count(*) as videos from all_videos')).toEqual([{ videos: 3 }]);
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

it('a moment that people group by has its day in the calendar of the service beside it', async () => {
  const [before, after] = ['2026-03-04 14:59:59', '2026-03-04 15:00:00']; // midnight in Seoul
  const live = liveFileWith(
    packageRow(101, { first_walked_at: before, walked_at: after, retired_at: after }),
    videoRow(1, { first_seen_at: before, changed_at: before }),
    change(1, after, `removed_at = '${after}'`),
    storageRow('2026-03-04', 1, { observed_at: after }),
    insert('run', {
      trigger: 'manual',
      mode: 'full',
      status: 'succeeded',
      started_at: before,
      finished_at: after,
    }),
    insert('walk', {
      run_id: 1,
      account: 'main',
      package_id: 101,
      mode: 'full',
      status: 'succeeded',
      origin_started_at: before,
      started_at: before,
      finished_at: after,
    }),
  );
  const { select } = await published(live);
  const columns = select(
    `select table_name, column_name from dictionary
     where column_name in ('changed_at', 'first_seen_at', 'removed_at', 'started_at')`,
  );
  expect(columns.length).toBeGreaterThan(5);
  for (const { table_name: table, column_name: column } of columns) {
    const [name, label] = [String(column), `${String(table)}.${String(column)}`];
    const wrong = `select * from ${String(table)} where ${name} is not null
      and ${name.replace(/_at$/, '_day')} is not date(${name}, '+9 hours') or (${name} is null) <> (${name.replace(/_at$/, '_day')} is null)`;
    expect(select(wrong), label).toEqual([]);
  }
  expect(select('select removed_day, first_seen_day from all_videos')).toEqual([
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
  ['a'.repeat(300), ['a'.repeat(255)]],
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

it('video_tags has tags of the catalogue only', async () => {
  const live = liveFileWith(
    packageRow(101),
    videoRow(1, { tag: 'math, live' }),
    videoRow(2, { tag: 'math', removed_at: '2026-03-04 00:00:00' }),
  );
  const { select } = await published(live);
  expect(select('select * from video_tags order by tag')).toEqual([
    { tag: 'live', video_key: 'main/101/1' },
    { tag: 'math', video_key: 'main/101/1' },
  ]);
});

it('storage_daily shows that an account is no longer read', async () => {
  const live = liveFileWith(storageRow('2026-03-02', 1), storageRow('2026-03-02', 1, { account: 'closed' }));
  const { select } = await published(live);
  expect(select('select distinct account, is_retired from storage_daily order by account')).toEqual([
    { account: 'closed', is_retired: 1 },
    { account: 'main', is_retired: 0 },
  ]);
});

it('no two packages have one name', async () => {
  const live = liveFileWith(
    packageRow(101, { name: 'Lectures' }),
    packageRow(102, { name: 'Lectures' }),
    packageRow(103, { name: 'Campaigns' }),
    packageRow(104, { name: '' }),
  );
  const { select } = await published(live);
  expect(
    select('select package_name from packages order by package_key').map((row) => row['package_name']),
  ).toEqual(['Lectures (main/101)', 'Lectures (main/102)', 'Campaigns', 'main/104']);
});

it('dates begins with the year of the first upload, in 2000 at the earliest', async () => {
  const first = async (cdate: string) => {
    const { select } = await published(liveFileWith(packageRow(101), videoRow(1), videoRow(2, { cdate })));
    return select('select min(day) as day from dates');
  };
  expect(await first('2011-07-01 00:00:00.0')).toEqual([{ day: '2011-01-01' }]);
  expect(await first('1999-12-31 23:59:59.0')).toEqual([{ day: '2026-01-01' }]);
  expect(await first('2000-01-01T00:00:00+09:00')).toEqual([{ day: '2000-01-01' }]);
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
      run_id: 1,
      account: 'main',
      package_id: 101,
      mode: 'full',
      status: 'succeeded',
      added: 3,
      origin_started_at: times.started_at,
      ...times,
    }),
  );
  const { select } = await published(live);
  const run = 'select run_id, status, duration_seconds, request_count, failure_count from runs';
  expect(select(run)).toEqual([
    { run_id: 1, status: 'partial', duration_seconds: 90, request_count: 7, failure_count: 1 },
    { run_id: 2, status: 'running', duration_seconds: null, request_count: 0, failure_count: 0 },
  ]);
  const walk = 'package_name, walks.duration_seconds, imported_count, added_count';
  expect(select(`select run_id, ${walk} from walks join runs using (run_key)`)).toEqual([
    { run_id: 1, package_name: 'Package 101', duration_seconds: 90, imported_count: 3, added_count: 0 },
  ]);
});
