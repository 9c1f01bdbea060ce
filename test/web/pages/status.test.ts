import { describe, expect, it } from 'vitest';
import type { AccountConfig } from '../../../src/config/config.ts';
import { insert, packageRow, storageRow, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { ALL_WELL, AT, pause, removal, request, run, walk } from '../../support/fixtures/page-rows.ts';
import { published } from '../../support/fixtures/published-file.ts';
import { needsOn, onlyMain, openPages, type ReadPage } from '../../support/servers/open-pages.ts';
import { recordRunner } from '../../support/fixtures/run-holder.ts';
import { getText, linksIn, named, rowsIn } from '../../support/read-html.ts';

const refreshOf = ({ root }: ReadPage) => named(root, 'body')[0]?.attributes.get('data-refresh');

describe('the status page', () => {
  it('shows its parts by importance, and a message where all is well', async () => {
    const { title, partText, root } = await (await openPages(ALL_WELL)).page();
    const ids = named(root, 'section', 'div').flatMap(({ attributes }) => attributes.get('id') ?? []);
    const parts = ['overall-status', 'progress', 'problems', 'packages', 'changes'];
    expect(ids.filter((id) => parts.includes(id))).toEqual(parts);
    expect(partText('overall-status')).toBe(
      'All well: All 6 packages are fresh; last full walk 30 min ago As of 2026-03-10 21:00:00',
    );
    expect(title).toBe('All well: All 6 packages are fresh; last full walk 30 min ago · Vodhouse test');
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

  it('is read from the file at that moment, and refreshes itself', async () => {
    const { page, change, clock } = await openPages(ALL_WELL);
    expect(refreshOf(await page())).toBe('10');
    change(run({ status: 'succeeded' }));
    clock.advance(3 * 3_600_000);
    expect((await page()).partText('overall-status')).toContain(
      'no worker is running 0 of 6 packages are fresh. As of',
    );
  });
});

describe('the tiles', () => {
  const tile = (page: ReadPage, name: string) => page.partText(`tile-${name}`);

  it('have the videos with the changes of the day of the service, and the last run', async () => {
    const { page, change } = await openPages(ALL_WELL);
    const before = await page();
    expect(tile(before, 'videos')).toBe('Videos 66 no change today');
    change(
      run({ started_at: '2026-03-09 14:59:59' }),
      walk({ started_at: '2026-03-09 14:59:59', added: 1_000 }), // 23:59:59 in Seoul
      walk({ started_at: '2026-03-09 15:00:00', added: 9 }),
      walk({ restored: 1, package_id: 104 }),
      ...[1, 2, 3].map((id) => removal(id, '2026-03-09 15:00:00')),
    );
    const after = await page();
    expect(tile(after, 'videos')).toBe('Videos 66 +7 today (+10 \u22123)');
    expect(after.partText('progress')).toBe('Last run: succeeded 57 min ago next full run at 22:00');
    change(`update walk set added = 0, restored = 0;`);
    expect(tile(await page(), 'videos')).toBe('Videos 66 \u22123 today');
  });

  it('have no growth by the first import of a package: its videos are imported', async () => {
    const { page, change } = await openPages([
      ...ALL_WELL,
      run({}),
      walk({ added: 12_308 }),
      `update package set first_walked_at = '${AT}' where account = 'main' and package_id = 101;`,
    ]);
    expect(tile(await page(), 'videos')).toBe('Videos 66 12,308 imported today');
    change(walk({ added: 2, package_id: 104 }));
    expect(tile(await page(), 'videos')).toBe('Videos 66 +2 today, 12,308 imported today');
    change(`update package set first_walked_at = '2026-03-10 10:59:59' where account = 'main';`);
    expect(tile(await page(), 'videos')).toBe('Videos 66 +12,310 today');
  });

  it('have a line of all videos by day, back from those of now', async () => {
    const counted = (package_id: number, date: string, videos: number) =>
      insert('package_day', { account: 'main', package_id, date, videos });
    const { page } = await openPages([
      ...ALL_WELL,
      `update package set first_walked_at = iif(package_id = 104, '2026-03-08 03:00:00', '2026-01-01 00:00:00');`,
      counted(101, '2026-02-08', 1), // not among the last 30 days
      counted(101, '2026-02-10', 5),
      counted(101, '2026-03-08', 3),
      counted(104, '2026-03-08', 60),
      counted(101, '2026-03-10', 6),
    ]);
    const [line] = named((await page()).part('tile-videos'), 'polyline');
    // 66 now, 63 on the 8th, and 5 before: 60 came with the first walk of 104
    expect(line?.attributes.get('points')).toBe('62,2 57.7,2.8 2,18');
  });

  it('count removals by the day on which they took effect, as the published file does, also of restored videos', async () => {
    const { page, live } = await openPages([
      ...ALL_WELL,
      run({}),
      walk({ removed: 4, restored: 1, package_id: 104 }),
      removal(1, '2026-03-09 14:59:59'), // held back until today
      removal(2, '2026-03-10 03:00:00'),
      removal(3, '2026-03-10 03:00:00'),
      removal(4, '2026-03-10 03:00:00'),
      `update video set removed_at = null, first_missing_at = null, changed_at = '2026-03-10 11:30:00', change_seq = change_seq + 1000
        where account = 'main' and package_id = 104 and id = 4;`,
    ]);
    const { select } = await published(live, { now: Date.parse('2026-03-10T12:00:00Z') });
    expect(
      select(
        `select sum(added_count + restored_count) as added, sum(removed_count) as removed from package_daily where is_live`,
      ),
    ).toEqual([{ added: 1, removed: 4 }]);
    expect(tile(await page(), 'videos')).toBe('Videos 66 \u22123 today (+1 \u22124)');
  });

  it('have the storage with its change since the same figures a week before', async () => {
    const only = { accounts: onlyMain([{ id: 101, name: null }], true) };
    const emptied = ['drop trigger storage_day_booked_delete;', 'delete from storage_day;'];
    const { page, change } = await openPages(emptied, only);
    expect(tile(await page(), 'storage')).toBe('Storage – not read yet');
    change(storageRow('2026-03-09', 2 ** 30));
    expect(tile(await page(), 'storage')).toBe('Storage 5 GiB growth not known yet');
    change(storageRow('2026-03-03', 1), storageRow('2026-02-28', 2 ** 29));
    expect(tile(await page(), 'storage')).toBe('Storage 5 GiB +2.5 GiB in 9 days');
    change(storageRow('2026-03-02', 2 ** 30 + 2 ** 20), storageRow('2026-03-01', 5));
    expect(tile(await page(), 'storage')).toBe('Storage 5 GiB \u22125 MiB a week');
    change(storageRow('2026-03-10', 2 ** 30, { image_size: null, state: 'live' }));
    expect(tile(await page(), 'storage')).toBe('Storage (live) at least 4 GiB \u22125 MiB a week');
    change(`delete from storage_day;`, storageRow('2026-03-10', 2 ** 30, { state: 'live' }));
    expect(tile(await page(), 'storage')).toBe('Storage (live) 5 GiB growth not known yet');
    const without = await openPages([], { accounts: onlyMain([{ id: 101, name: null }], false) });
    expect(tile(await without.page(), 'storage')).toBe('Storage – not in the config');
  });
});

it('the storage of two accounts has a line over the days that both have', async () => {
  const both = ([main]: readonly AccountConfig[]) => (main ? [main, { ...main, name: 'second' }] : []);
  const second = (date: string, size: number) => storageRow(date, size, { account: 'second' });
  const emptied = ['drop trigger storage_day_booked_delete;', 'delete from storage_day;'];
  const { page, change } = await openPages(emptied, { accounts: both });
  const linePoints = async () =>
    named((await page()).part('tile-storage'), 'polyline').map(({ attributes }) => attributes.get('points'));
  change(storageRow('2026-03-08', 2 ** 30), storageRow('2026-03-09', 2 ** 30), second('2026-03-09', 2 ** 30));
  expect(await linePoints()).toEqual([]);
  change(second('2026-03-08', 2 ** 31));
  expect(await linePoints()).toEqual(['2,2 62,18']);
});

describe('a run under way', () => {
  const UNDER_WAY = [
    run({ status: 'running', finished_at: null, started_at: '2026-03-10 11:58:30' }),
    walk({ package_id: 101 }),
    walk({
      package_id: 104,
      status: 'running',
      finished_at: null,
      totalcount: 60,
      page_size: 10,
      checkpoint_page: 5,
      pages: 2,
    }),
    walk({ package_id: 102, status: 'running', finished_at: null }),
  ];

  it('is shown with packages and pages, and the page refreshes itself more often', async () => {
    const { page, change, live } = await openPages(UNDER_WAY);
    recordRunner(live);
    const shown = await page();
    const { partText, part } = shown;
    expect(refreshOf(shown)).toBe('2');
    expect(partText('progress')).toBe('Run 1, full, for 1m 30s 1 of 6 packages Package 104 main');
    const bars = named(part('progress'), 'progress').map(({ attributes }) => [
      attributes.get('value'),
      attributes.get('max'),
    ]);
    expect(bars).toEqual([['2', '6']]);
    change(`update run set mode = 'quick';`, `delete from walk;`);
    expect((await page()).partText('progress')).toBe('Run 1, quick, for 1m 30s in progress');
  });

  it('is about to read what was never read: that needs no attention yet', async () => {
    const opened = await openPages(UNDER_WAY);
    recordRunner(opened.live);
    const page = await opened.page();
    expect(needsOn(page)).toEqual([]);
    expect(page.partText('overall-status')).toContain('Loading: The first load has read 4 of 6 packages');
    const states = rowsIn(page.part('packages')).map(([name, state]) => [name, state]);
    expect(states).toContainEqual(['main/102', 'first sync in progress']);
    expect(states).toContainEqual(['main/103', 'waiting for its first sync']);
    opened.change(`update run set scope = 'package 102';`);
    const ofOne = await opened.page();
    expect(needsOn(ofOne).flat().join()).toContain('main/103 is not synced yet');
    expect(rowsIn(ofOne.part('packages')).map((row) => row[1])).toContain('not synced yet');
    opened.change(`update run set status = 'failed', error = 'killed', scope = null;`);
    expect((await opened.page()).partText('problems')).toContain('affects 2 packages');
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

  it('stand next to their account where two are configured', async () => {
    const accounts = (all: readonly AccountConfig[]) =>
      all.map((each) => ({
        ...each,
        packages: each.packages.map((one) => ({ ...one, name: one.id === 101 ? 'Lectures' : null })),
      }));
    const { page } = await openPages(ALL_WELL, { accounts });
    const names = rowsIn((await page()).part('packages')).map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(['Lectures main', 'Lectures other', 'main/102', 'alone/7']));
    expect((await page('/packages/other/101')).title).toBe('Package 101 (other) · Vodhouse test');
    const one = await openPages(ALL_WELL, { accounts: onlyMain([{ id: 101, name: 'Lectures' }]) });
    expect(rowsIn((await one.page()).part('packages')).map(([name]) => name)).toContain('Lectures');
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

describe('the latest changes', () => {
  const edit = (id: number, at: string, what: string) =>
    `update video set ${what}, changed_at = '${at}', change_seq = change_seq + 1000
     where account = 'main' and package_id = 104 and id = ${id};`;

  it('are additions, edits with the old title next to the new one, restored videos, removals and retirements', async () => {
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
      'added A new one Package 104 main · 10 min ago · 1:00 · 1 GiB',
      `restored ${name(4)} no title Package 104 main · 30 min ago · title, tags`,
      `removed ${name(4)} Package 104 main · 53 min ago`,
      'removed empty title Package 104 main · 54 min ago',
      `edited ${name(2)} Package 104 main · 58 min ago · tags`,
      `edited ${name(1)} retitled Package 104 main · 59 min ago · title, author`,
      'added empty title Package 104 main · 60 min ago · since removed',
      'retired main 1 가나다 Package 500 main · 36 h ago',
    ]);
    expect(named(page.part('changes'), 'del', 'ins').map(getText)).toEqual([
      name(4),
      'no title',
      name(1),
      'retitled',
    ]);
  });
});

describe('the latest changes of a file without videos', () => {
  it('are none', async () => {
    const { page } = await openPages(['delete from video;', 'delete from video_version;']);
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
