import { describe, expect, it } from 'vitest';
import { insert, packageRow, storageRow, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { published } from '../../support/fixtures/published-file.ts';
import { onlyMain, openPages, type ReadPage } from '../../support/servers/open-pages.ts';
import { recordRunner } from '../../support/fixtures/run-holder.ts';
import { listElements, linksIn, named, rowsIn, getText } from '../../support/read-html.ts';

const AT = '2026-03-10 11:00:00';

/** Packages 102 and 103 of `main` with a walk half an hour ago, so that all is well. */
const ALL_WELL = [
  `update package set walked_at = '2026-03-10 11:30:00' where package_id = 102;`,
  packageRow(103, { walked_at: '2026-03-10 11:30:00' }),
];

const run = (row: Record<string, string | number | null>) =>
  insert('run', {
    ...{ trigger: 'schedule', mode: 'full', status: 'succeeded', started_at: AT },
    ...{ finished_at: '2026-03-10 11:02:05', requests: 12, ...row },
  });
const walk = (row: Record<string, string | number | null>) =>
  insert('walk', {
    ...{ run_id: 1, account: 'main', package_id: 101, mode: 'full', status: 'succeeded' },
    ...{ started_at: AT, origin_started_at: AT, finished_at: AT, ...row },
  });
const candidate = (id: number, row: Record<string, string | number | null> = {}) =>
  insert('removal_candidate', {
    ...{ account: 'main', package_id: 104, id, proved_at: AT, walk_id: 9 },
    ...{ held_back: 1, held_at: AT, held_by: 9, held_reason: 'many', ...row },
  });
const quarantined = (record_id: string | null, row: Record<string, string | number | null> = {}) =>
  insert('quarantine', {
    ...{ account: 'main', stream: 'videos', package_id: 104, record_id, reason: 'no id', raw: '{}' },
    ...{ seen_at: AT, ...row },
  });
const drift = (
  kind: string,
  field: string,
  sample: string | null,
  first_seen_at = AT,
  acknowledged_at: string | null = null,
) =>
  insert('drift', {
    account: 'main',
    stream: 'videos',
    field,
    kind,
    sample,
    first_seen_at,
    acknowledged_at,
    last_seen_at: AT,
  });
const gap = (date: string, row: Record<string, string | null> = {}) =>
  insert('storage_gap', { account: 'main', date, first_missed_at: AT, last_requested_at: AT, ...row });
const pause = (until: string, back_at: string, account = 'main') =>
  insert('pause', {
    account,
    until,
    reason: 'asked too often',
    since: AT,
    full_rate_at: back_at,
    consecutive_restrictions: 1,
  });
const request = (account: string, secondsAgo: number) => {
  const at_ms = Date.parse('2026-03-10T12:00:00Z') - secondsAgo * 1_000;
  return insert('request', { account, at_ms, purpose: 'page', status: 200, spent_until_ms: at_ms });
};

/** The items that need attention: the texts, and the lines below. */
const needsOn = ({ part }: ReadPage) =>
  named(part('problems'), 'li').map((item) => named(item, 'p').map(getText));

describe('the status page', () => {
  it('shows its parts by importance, and a message where all is well', async () => {
    const { title, partText, root } = await (await openPages(ALL_WELL)).page();
    const ids = named(root, 'section', 'div').flatMap(({ attributes }) => attributes.get('id') ?? []);
    const parts = ['overall-status', 'progress', 'problems', 'packages', 'changes'];
    expect(ids.filter((id) => parts.includes(id))).toEqual(parts);
    expect(partText('overall-status')).toBe(
      'Fine All 6 packages fresh; last full walk 30 min ago As of 2026-03-10 21:00:00',
    );
    expect(title).toBe('All 6 packages fresh; last full walk 30 min ago · Vodhouse test');
    expect(partText('problems')).toBe('Needs attention Nothing.');
    expect(partText('progress')).toBe('Last run – next full run at 22:00');
    expect(partText('tile-freshness')).toBe('Oldest package 30 min ago');
  });

  it('explains a word of the glossary where it stands, and all of them for a screen reader', async () => {
    const { root, partText } = await (await openPages(ALL_WELL)).page();
    const tooltips = named(root, 'th').flatMap(({ attributes }) => attributes.get('title') ?? []);
    expect(tooltips).toEqual(['walk: one pass over all pages of one package, within a run']);
    expect(partText('words')).toContain('booked a past day with its figures');
  });

  it('is read from the file at that moment, and has a stamp for changes', async () => {
    const { page, data, change, clock } = await openPages(ALL_WELL);
    const getStamp = ({ root }: ReadPage) => named(root, 'body')[0]?.attributes.get('data-stamp');
    const before = await page();
    expect(await data('/live.json')).toMatchObject({ stamp: getStamp(before), running: false });
    change(run({ status: 'succeeded' }));
    const after = await page();
    expect(getStamp(after)).not.toBe(getStamp(before));
    expect(await data('/live.json')).toMatchObject({ stamp: getStamp(after), running: false });
    clock.advance(3 * 3_600_000);
    expect((await page()).partText('overall-status')).toContain(
      'no worker is running (6 packages, storage of 2 accounts)',
    );
  });
});

/** Of a video of 104; it takes effect at AT. */
const removal = (id: number, proved: string) =>
  `update video set removed_at = '${proved}', changed_at = '${AT}', change_seq = change_seq + 1000
    where account = 'main' and package_id = 104 and id = ${id};`;

describe('the tiles', () => {
  const tile = (page: ReadPage, name: string) => page.partText(`tile-${name}`);

  it('have the videos with the changes of the day of the service, and the last run', async () => {
    const { page, change } = await openPages(ALL_WELL);
    const before = await page();
    expect(tile(before, 'videos')).toBe('Videos 66 no change today');
    change(
      run({ started_at: '2026-03-09 14:59:59' }),
      walk({ started_at: '2026-03-09 14:59:59', inserted: 1_000 }), // 23:59:59 in Seoul
      walk({ started_at: '2026-03-09 15:00:00', inserted: 9 }),
      walk({ restored: 1, package_id: 104 }),
      ...[1, 2, 3].map((id) => removal(id, '2026-03-09 15:00:00')),
    );
    const after = await page();
    expect(tile(after, 'videos')).toBe('Videos 66 +7 today (+10 \u22123)');
    expect(after.partText('progress')).toBe('Last run: succeeded 57 min ago next full run at 22:00');
    change(`update walk set inserted = 0, restored = 0;`);
    expect(tile(await page(), 'videos')).toBe('Videos 66 \u22123 today');
  });

  it('have no growth by the first import of a package: its videos are first seen', async () => {
    const { page, change } = await openPages([
      ...ALL_WELL,
      run({}),
      walk({ inserted: 12_308 }),
      `update package set first_walked_at = '2026-03-09 15:00:00' where account = 'main' and package_id = 101;`,
    ]);
    expect(tile(await page(), 'videos')).toBe('Videos 66 12,308 first seen today');
    change(walk({ inserted: 2, package_id: 104 }));
    expect(tile(await page(), 'videos')).toBe('Videos 66 +2 today, 12,308 first seen today');
    change(`update package set first_walked_at = '2026-03-09 14:59:59' where account = 'main';`);
    expect(tile(await page(), 'videos')).toBe('Videos 66 +12,310 today');
  });

  it('have a line of all videos by day, back from those of now', async () => {
    const counted = (package_id: number, date: string, videos: number) =>
      insert('package_day', { account: 'main', package_id, date, videos });
    const { page } = await openPages([
      ...ALL_WELL,
      `update package set first_walked_at = iif(package_id = 104, '2026-03-08 03:00:00', '2026-01-01 00:00:00');`,
      counted(101, '2026-02-08', 1), // not among the last 30 days
      ...[counted(101, '2026-02-10', 5), counted(101, '2026-03-08', 3), counted(104, '2026-03-08', 60)],
      counted(101, '2026-03-10', 6),
    ]);
    const [line] = named((await page()).part('tile-videos'), 'polyline');
    // 66 now, 63 on the 8th, and 5 before: 60 came with the first walk of 104
    expect(line?.attributes.get('points')).toBe('62,2 57.7,2.8 2,18');
  });

  it('count removals by the day of their proof, as the published file does, also of restored videos', async () => {
    const { page, live } = await openPages([
      ...ALL_WELL,
      run({}),
      walk({ removed: 4, restored: 1, package_id: 104 }),
      removal(1, '2026-03-09 14:59:59'), // held back until today
      removal(2, '2026-03-10 03:00:00'),
      removal(3, '2026-03-10 03:00:00'),
      removal(4, '2026-03-10 03:00:00'),
      `update video set removed_at = null, changed_at = '2026-03-10 04:00:00', change_seq = change_seq + 1000
        where account = 'main' and package_id = 104 and id = 4;`,
    ]);
    const { select } = await published(live, { now: Date.parse('2026-03-10T12:00:00Z') });
    expect(
      select(
        `select sum(added_count + restored_count) as added, sum(removed_count) as removed from package_daily where is_live`,
      ),
    ).toEqual([{ added: 1, removed: 3 }]);
    expect(tile(await page(), 'videos')).toBe('Videos 66 \u22122 today (+1 \u22123)');
  });

  it('have the storage with its change since the same figures a week before', async () => {
    const only = { accounts: onlyMain([{ id: 101, name: null }], true) };
    const emptied = ['drop trigger storage_day_booked_delete;', 'delete from storage_day;'];
    const { page, change } = await openPages(emptied, only);
    expect(tile(await page(), 'storage')).toBe('Storage – not read yet');
    change(storageRow('2026-03-09', 2 ** 30));
    expect(tile(await page(), 'storage')).toBe('Storage 5 GiB no older day');
    change(storageRow('2026-03-03', 1), storageRow('2026-02-28', 2 ** 29));
    expect(tile(await page(), 'storage')).toBe('Storage 5 GiB +2.5 GiB in 9 days');
    change(storageRow('2026-03-02', 2 ** 30 + 2 ** 20), storageRow('2026-03-01', 5));
    expect(tile(await page(), 'storage')).toBe('Storage 5 GiB \u22125 MiB a week');
    change(storageRow('2026-03-10', 2 ** 30, { image_size: null, state: 'live' }));
    expect(tile(await page(), 'storage')).toBe('Storage (live) at least 4 GiB \u22125 MiB a week');
    change(`delete from storage_day;`, storageRow('2026-03-10', 2 ** 30, { state: 'live' }));
    expect(tile(await page(), 'storage')).toBe('Storage (live) 5 GiB no older day');
  });
});

describe('a run under way', () => {
  const UNDER_WAY = [
    run({ status: 'running', finished_at: null, started_at: '2026-03-10 11:58:30' }),
    walk({ package_id: 101 }),
    walk({
      ...{ package_id: 104, status: 'running', finished_at: null, totalcount: 60, page_size: 10 },
      ...{ checkpoint_page: 5, pages: 2 },
    }),
    walk({ package_id: 102, status: 'running', finished_at: null }),
  ];

  it('is shown with packages and pages, on the page and for its script', async () => {
    const { page, data, change, live } = await openPages(UNDER_WAY);
    recordRunner(live);
    const { partText, part, text } = await page();
    expect(partText('progress')).toBe('Run 1, full, for 1m 30s 1 of 6 packages Package 104');
    const bars = named(part('progress'), 'progress').map(({ attributes }) => [
      attributes.get('value'),
      attributes.get('max'),
    ]);
    expect(bars).toEqual([['2', '6']]);
    const { progress } = (await data('/live.json')) as { progress: string };
    expect(text).toContain(
      `<div id="progress" class="tile" role="group" aria-label="Current run">${progress}</div>`,
    );
    change(`update run set mode = 'quick';`, `delete from walk;`);
    expect((await page()).partText('progress')).toBe('Run 1, quick, for 1m 30s in progress');
  });

  it('is about to read what was never read: that needs no attention yet', async () => {
    const opened = await openPages(UNDER_WAY);
    recordRunner(opened.live);
    const page = await opened.page();
    expect(needsOn(page)).toEqual([]);
    expect(page.partText('overall-status')).toContain('Loading First load: 4 of 6 packages read');
    const states = rowsIn(page.part('packages')).map(([name, state]) => [name, state]);
    expect(states).toContainEqual(['main/102', 'first sync in progress']);
    expect(states).toContainEqual(['main/103', 'waiting for its first sync']);
    opened.change(`update run set scope = 'package 102';`);
    const ofOne = await opened.page();
    expect(needsOn(ofOne).flat().join()).toContain('main/103 is not synced yet');
    expect(rowsIn(ofOne.part('packages')).map((row) => row[1])).toContain('not synced yet');
    opened.change(`update run set status = 'failed', error = 'killed', scope = null;`);
    expect(
      needsOn(await opened.page())
        .flat()
        .join(),
    ).toContain('main/103 is not synced yet');
  });
});

describe('the attention list', () => {
  const plain = (partText = '') => partText.replace(/ --config \S+$/, '');

  it('has each kind of problem, with examples, and the command or the query that helps', async () => {
    const differing = ['2026-03-07', '2026-03-08'].map((date) =>
      insert('storage_discrepancy', {
        ...{ account: 'main', date, field: 'f', booked: 1, observed: 2, observed_at: AT },
      }),
    );
    const { page } = await openPages([
      pause('2026-03-10 12:30:00', '2026-03-10 13:30:00'),
      pause('2026-03-10 11:30:00', '2026-03-10 12:10:00', 'other'),
      pause('2026-03-10 11:10:00', '2026-03-10 11:20:00', 'alone'),
      run({ status: 'failed', error: 'not shown: its failed walks explain it' }),
      walk({ status: 'failed', error: 'HTTP 500' }),
      `update package set failed_walks = 1 where account = 'main' and package_id = 101;`,
      walk({ package_id: 104, status: 'partial', error: 'page 3 was not read' }),
      ...[1, 2, 3, 4].map((id) => candidate(id)),
      candidate(5, { held_back: 0 }),
      `update package set walked_at = '2026-03-10 03:00:00' where account = 'other';`,
      `update package set "order" = 'untrusted', totalcount = 30, page_size = 10 where account = 'other';`,
      `update package set "order" = 'untrusted', totalcount = 9, page_size = 10 where account = 'alone';`,
      gap('2026-03-09'),
      gap('2026-03-01', { given_up_at: AT }),
      storageRow('2026-03-07', 5),
      ...differing,
      `update storage_reading set observed_at = '2026-03-10 01:00:00' where account = 'main';`,
      `delete from storage_reading where account = 'other';`,
      ...['17', null, '18', '19'].map((id) => quarantined(id)),
      quarantined('20', { resolved_at: AT }),
      quarantined('2026-03-09', { account: 'other', stream: 'storage', package_id: null }),
      drift('new', 'colour', '"red"'),
      drift('missing', 'rate', null),
      drift('type', 'duration', '"1:00"'),
      drift('new', 'old', '1', '2026-03-03 12:00:00', AT),
    ]);
    const shown = await page();
    const items = needsOn(shown).map((lines) => lines.map(plain));
    expect(
      items.map(([first]) =>
        first?.replace(/ (?:of main )?(?:failed|is|has|was|have|held|in|differ|now)\b.*/, ''),
      ),
    ).toEqual([
      'account main',
      'main/101',
      'other/101',
      'storage of other',
      'main/104: the last full walk',
      'main/104: 4 removals',
      'other/101',
      'storage of main: the service did not serve 1 day yet (2026-03-09)',
      'storage of main: the service',
      '4 records of main (videos)',
      '1 record of other (storage)',
      'videos',
    ]);
    expect(items[0]?.slice(1, 4)).toEqual([
      'main/102 is not synced yet',
      'main/103 is not synced yet',
      'storage of main is stale: last read at 2026-03-10 10:00:00',
    ]);
    expect(items[5]?.slice(1, 5)).toEqual([
      '1 main 1 가나다',
      '2 main 2 가나다 가나다',
      '3 main 3 가나다 가나다 가나다',
      'and 1 more',
    ]);
    const codes = named(shown.part('problems'), 'code').map(getText);
    expect(codes.map(plain)).toEqual([
      'vodhouse resume main',
      'vodhouse plan',
      'vodhouse sync --storage',
      'vodhouse sync --package 104 --accept-removals 9',
      'vodhouse correct main 2026-03-08',
      'vodhouse sync --storage --from 2026-03-07 --to 2026-03-08',
      "select * from quarantine where account = 'main' and resolved_at is null",
      "select * from quarantine where account = 'other' and resolved_at is null",
      'vodhouse acknowledge',
    ]);
    expect(codes[0]).toMatch(/ --config \/\S+\/vodhouse\.yaml$/);
    expect(rowsIn(shown.part('packages')).map(([name, state]) => [name, state])).toEqual([
      ['Package', 'State'],
      ['main/101', 'last walk failed'],
      ['main/102', 'not synced yet'],
      ['main/103', 'not synced yet'],
      ['other/101', 'stale'],
      ['main/104', 'last walk partial'],
      ['alone/7', 'fresh'],
    ]);
    expect(rowsIn(shown.part('budgets')).map((row) => row.at(-1))).toEqual([
      'Restriction',
      'paused until 2026-03-10 21:30:00: asked too often',
      'ended at 2026-03-10 20:30:00; full rate again at 2026-03-10 21:10:00',
    ]);
  });

  it('comes first among the packages, for any problem', async () => {
    const { page } = await openPages([
      ...ALL_WELL,
      candidate(1),
      `update package set "order" = 'untrusted', totalcount = 30, page_size = 10 where account = 'alone';`,
    ]);
    const { part, partText } = await page();
    expect(rowsIn(part('packages')).map(([name, state]) => [name, state])).toEqual([
      ['Package', 'State'],
      ['main/104', '1 removal held back'],
      ['alone/7', 'not ordered by id'],
      ...['main/101', 'main/102', 'main/103', 'other/101'].map((name) => [name, 'fresh']),
    ]);
    expect(partText('overall-status')).toMatch(
      /^Attention main\/104: 1 removal held back.*; 1 more item below/,
    );
  });

  it('has a run that failed or is parked, with its error, where no other item has the reason', async () => {
    const { page, change } = await openPages([
      ...ALL_WELL,
      run({}),
      run({ status: 'failed', error: 'the disk is full' }),
    ]);
    const failed = await page();
    expect(needsOn(failed).map((lines) => lines.map(plain))).toEqual([
      ['run 2 failed: the disk is full', 'the run in full: vodhouse runs 2'],
    ]);
    expect(failed.partText('overall-status')).toMatch(/^Bad Run 2 failed: the disk is full As of /);
    expect(rowsIn((await page('/runs')).part('runs')).at(2)).toEqual(['', 'the disk is full']);
    change(run({ status: 'parked', error: 'no requests left', resume_at: '2026-03-10 15:00:00' }));
    const parked = await page();
    expect(needsOn(parked)[1]?.map(plain)).toEqual([
      'run 3 is parked until 2026-03-11 00:00:00: no requests left',
      'a worker resumes by itself; without one, after that time: vodhouse sync',
    ]);
    expect(rowsIn((await page('/runs')).part('runs')).at(2)?.[1]).toBe(
      'no requests left; it can resume at 2026-03-11 00:00:00',
    );
  });

  it('has one line for many packages, with three of them, and still lists others', async () => {
    const packages = Array.from({ length: 42 }, (_, index) => ({ id: 1_000 + index, name: null }));
    const page = await (await openPages([], { accounts: onlyMain(packages, true) })).page();
    expect(needsOn(page)[0]).toEqual([
      '42 packages of main are stale, or not synced yet',
      ...[1_000, 1_001, 1_002].map((id) => expect.stringContaining(`main/${id} is not synced yet`) as string),
      'and 39 more',
      expect.stringMatching(/^all of them: vodhouse status --json/) as string,
    ]);
  });

  it('has thirty items at most', async () => {
    const packages = Array.from({ length: 33 }, (_, index) => ({ id: 1_000 + index, name: null }));
    const walkedAt = ['2026-03-10 11:30:00', '2026-03-10 11:30:00', null, '2026-03-10 11:30:00'];
    const page = await (
      await openPages(
        [
          ...packages.map(({ id }, index) =>
            packageRow(id, { walked_at: walkedAt[Math.floor(index / 10)] ?? null }),
          ),
          ...packages.slice(0, 10).map(({ id }) => candidate(1, { package_id: id })),
          `update package set "order" = 'untrusted', totalcount = 30, page_size = 10
            where package_id between 1010 and 1019;`,
          drift('new', 'field', '1'),
          run({ status: 'partial' }),
          ...packages.slice(30).map(({ id }) => walk({ package_id: id, status: 'partial', error: 'page 3' })),
        ],
        { accounts: onlyMain(packages) },
      )
    ).page();
    expect(needsOn(page)).toHaveLength(30);
    expect(page.partText('problems')).toMatch(/and 4 more: vodhouse status --json --config \S+$/);
  });

  it('has one item a cause, with its severity, since when, and a link to its place', async () => {
    const { page } = await openPages([
      ...ALL_WELL,
      run({ status: 'failed' }),
      walk({ status: 'failed', error: 'HTTP 500', finished_at: '2026-03-10 10:30:00' }),
      `update package set failed_walks = 1, walked_at = '2026-03-10 03:00:00' where package_id = 101;`,
      pause('2026-03-10 12:30:00', '2026-03-10 13:30:00', 'alone'),
      gap('2026-03-09'),
      drift('new', 'colour', '"red"'),
    ]);
    const { part, partText } = await page();
    const abouts = named(part('problems'), 'div').filter(
      ({ attributes }) => attributes.get('class') === 'about',
    );
    expect(abouts.map((about) => [getText(about), linksIn(about)[0]?.[0]])).toEqual([
      ['✕ problem began 90 min ago Package', '/packages/main/101'],
      ['✕ problem began 9 h ago Package', '/packages/other/101'],
      ['! attention began 60 min ago next try 2026-03-10 21:30:00 Requests', '#budgets'],
      ['! attention began 60 min ago Storage by day', '/storage?account=main'],
      ['i note began 60 min ago', undefined],
    ]);
    expect(partText('problems')).toMatch(
      /^Needs attention main\/101 failed: HTTP 500 .* main\/101 is stale: /,
    );
  });
});

describe('the packages', () => {
  const THOUSANDS = Array.from({ length: 230 }, (_, index) => ({
    id: 1_000 + index,
    name: index % 2 === 0 ? `Course ${index}` : null,
  }));
  const WALKED = [
    ...THOUSANDS.map(({ id }) =>
      packageRow(id, { walked_at: '2026-03-10 11:30:00', live_count: 1_234, totalcount: 5, page_size: 10 }),
    ),
    `update package set walked_at = '2026-03-10 02:00:00' where package_id = 1229;`,
  ];

  it('are twelve, the worst first, with a link to all', async () => {
    const { page } = await openPages(WALKED, { accounts: onlyMain(THOUSANDS) });
    const { part } = await page();
    const rows = rowsIn(part('packages')).slice(1);
    expect(rows.slice(0, 3).map(([name, state, , videos, walked]) => [name, state, videos, walked])).toEqual([
      ['main/1229', 'stale', '1,234', '10 h ago'],
      ['Course 0', 'fresh', '1,234', '30 min ago'],
      ['main/1001', 'fresh', '1,234', '30 min ago'],
    ]);
    expect(rows).toHaveLength(12);
    expect(linksIn(part('packages'))[0]).toEqual(['/packages', 'All packages']);
  });

  it('have a strip of the last 30 days of the service: read, partial, failed or none', async () => {
    const counted = (date: string) =>
      insert('package_day', { account: 'main', package_id: 104, date, videos: 60 });
    const troubled = (started_at: string, status: string) => walk({ package_id: 104, started_at, status });
    const { page } = await openPages([
      ...ALL_WELL,
      run({}),
      ...['2026-02-08', '2026-02-09', '2026-03-08', '2026-03-09', '2026-03-10'].map(counted),
      troubled('2026-03-06 15:00:00', 'failed'), // 00:00 of the 7th in Seoul
      troubled('2026-03-07 15:00:00', 'failed'),
      troubled('2026-03-04 03:00:00', 'failed'),
      troubled('2026-03-05 03:00:00', 'parked'),
      troubled('2026-03-10 03:00:00', 'running'),
    ]);
    const { part } = await page();
    expect(linksIn(part('packages'))).toContainEqual(['/packages/main/104', 'main/104']);
    expect(rowsIn(part('packages')).find(([name]) => name === 'main/104')?.[2]).toBe(
      '3 days read; partial: 2026-03-05, 2026-03-08; failed: 2026-03-04, 2026-03-07; none: 23 days',
    );
  });
});

describe('the latest changes of a file without videos', () => {
  it('are none', async () => {
    const { page } = await openPages(['delete from video;']);
    expect((await page()).partText('changes')).toBe('Latest changes None yet.');
  });
});

describe('spent requests', () => {
  it('are shown of an account that is restricted, or has used half of its day', async () => {
    const requests = [0, 0, 30, 3_600, 86_399, 86_400].map((seconds) => request('main', seconds));
    const { page, change } = await openPages([...requests, request('other', 5)]);
    expect(
      named((await page()).root, 'section').some((each) => each.attributes.get('id') === 'budgets'),
    ).toBe(false);
    change(pause('2026-03-10 12:30:00', '2026-03-10 13:30:00'));
    const { part } = await page();
    expect(rowsIn(part('budgets'))).toEqual([
      ['Account', 'In the last minute', 'In the last 24 hours', 'Restriction'],
      ['main', '3 of 120', '5 of 20,000', 'paused until 2026-03-10 21:30:00: asked too often'],
    ]);
    change(
      'delete from pause;',
      `insert into request (account, at_ms, purpose, status, spent_until_ms)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 10_001)
        select 'other', at_ms, purpose, status, spent_until_ms from request, n where account = 'other';`,
    );
    expect(
      rowsIn((await page()).part('budgets'))
        .slice(1)
        .map(([account]) => account),
    ).toEqual(['other']);
  });
});

describe('the latest changes', () => {
  const edit = (id: number, at: string, what: string) =>
    `update video set ${what}, changed_at = '${at}', change_seq = change_seq + 1000
     where account = 'main' and package_id = 104 and id = ${id};`;

  it('are additions, edits with the old title next to the new one, restored videos, and removals', async () => {
    const rows = [
      videoRow(901, { package_id: 104, title: ' ', duration: null, filesize: null, first_seen_at: AT }),
      videoRow(900, { package_id: 104, title: 'A new one', first_seen_at: '2026-03-10 11:50:00' }),
      edit(1, '2026-03-10 11:01:00', `title = 'retitled', author = 'X'`),
      edit(2, '2026-03-10 11:02:00', `tag = 'T'`),
      edit(901, '2026-03-10 11:06:00', `removed_at = '2026-03-10 11:06:00'`),
      edit(4, '2026-03-10 11:07:00', `removed_at = '2026-03-10 11:07:00'`),
      edit(4, '2026-03-10 11:30:00', `removed_at = null, title = null, tag = 'T'`),
    ];
    const page = await (await openPages([...ALL_WELL, ...rows])).page();
    const name = (id: number) => `main ${id} ${'가나다 '.repeat(id).trim()}`;
    expect(named(page.part('changes'), 'li').map(getText)).toEqual([
      'added A new one Package 104 · 10 min ago · 1:00 · 1 GiB',
      `restored ${name(4)} no title Package 104 · 30 min ago · title, tags`,
      `removed ${name(4)} Package 104 · 53 min ago`,
      'removed empty title Package 104 · 54 min ago',
      `edited ${name(2)} Package 104 · 58 min ago · tags`,
      `edited ${name(1)} retitled Package 104 · 59 min ago · title, author`,
      'added empty title Package 104 · 60 min ago · since removed',
      expect.stringMatching(/^added /),
    ]);
    expect(named(page.part('changes'), 'del', 'ins').map(getText)).toEqual([
      ...[name(4), 'no title', name(1), 'retitled'],
    ]);
  });
});

describe('the cells of every table', () => {
  it('have the heading of their column, for the cards of a phone', async () => {
    const { page } = await openPages([run({ status: 'failed', error: 'HTTP 500' })]);
    const labelsOn = async (path: string, id: string, row: number) =>
      named((await page(path)).part(id), 'tr')
        .slice(row, row + 1)
        .flatMap((each) => named(each, 'th', 'td'))
        .map(({ attributes }) => attributes.get('data-label') ?? null);
    expect(await labelsOn('/runs', 'runs', 1)).toEqual([
      ...[null, 'Started', 'Duration', 'Status', 'Added', 'Edited', 'Removed', 'Restored', 'Requests'],
    ]);
    expect(await labelsOn('/runs', 'runs', 2)).toEqual([null, null]);
    expect((await labelsOn('/packages', 'content', 1)).slice(0, 3)).toEqual([null, 'State', 'Videos']);
  });
});

describe('every time', () => {
  it('is of the zone of the service, which the footer names once, also in messages and errors', async () => {
    const until = '2026-03-10 15:00:00';
    const error = `account main is paused until ${until} UTC`;
    const at = { started_at: AT, origin_started_at: '2026-03-10 10:00:00', resume_at: until };
    const { page, data } = await openPages([
      run({ ...at, status: 'parked', error }),
      walk({ status: 'failed', error, package_id: 104 }),
      removal(1, AT),
      pause(until, until),
      gap('2026-03-09'),
    ]);
    const paths = ['/', '/runs', '/runs/1', '/packages/main/104?kind=removed', '/videos/main/104/1'];
    for (const path of [
      ...paths,
      '/packages/main/500',
      '/changes?q=main&kind=present',
      '/changes',
      '/storage?month=2026-03',
    ]) {
      const { root } = await page(path);
      const texts = listElements(root).flatMap((each) => [getText(each), each.attributes.get('title') ?? '']);
      expect([path, texts.filter((text) => /UTC|2026-03-10 1[0-5]:/.test(text))]).toEqual([path, []]);
      expect([path, getText(root).split('Asia/Seoul').length]).toEqual([path, 2]);
    }
    const facts = (await page('/runs/1')).partText('content');
    expect(facts).toContain('Can resume from 2026-03-11 00:00:00');
    expect(facts).toContain('paused until 2026-03-11 00:00:00');
    expect(await data('/live.json')).toMatchObject({
      progress: expect.stringContaining('>22:00<') as string,
    });
  });
});

describe('every referenced element', () => {
  it('exists: labels and addresses within the page have a target', async () => {
    const { page } = await openPages([run({})]);
    for (const path of [
      '/',
      '/packages/main/104',
      '/packages/main/102',
      '/videos/main/104/1',
      '/storage?account=main&month=2026-03',
    ]) {
      const { root } = await page(path);
      const all = listElements(root);
      const ids = all.flatMap(({ attributes }) => attributes.get('id') ?? []);
      expect(new Set(ids).size).toBe(ids.length);
      const meant = all.flatMap(({ attributes }) => [
        ...(attributes.get('aria-labelledby')?.split(' ') ?? []),
        ...(attributes.get('for')?.split(' ') ?? []),
        ...(/^#(.*)/.exec(attributes.get('href') ?? '')?.slice(1) ?? []),
      ]);
      expect([path, meant.filter((id) => !ids.includes(id))]).toEqual([path, []]);
    }
  });
});
