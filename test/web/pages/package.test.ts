import { describe, expect, it, vi } from 'vitest';
import { insert, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { AT, run, walk, type Row } from '../../support/fixtures/page-rows.ts';
import { openPages, type ReadPage } from '../../support/servers/open-pages.ts';
import { linksIn, named, rowsIn, getText } from '../../support/read-html.ts';

let seq = 1_000;
const edit = (ids: string, at: string, what: string) =>
  `update video set ${what}, changed_at = '${at}', change_seq = ${(seq += 1_000)} + id
   where account = 'main' and package_id = 104 and ${ids};`;

const listed = ({ part }: ReadPage) => rowsIn(part('videos')).slice(1);
const figures = ({ part }: ReadPage) =>
  ['videos', 'hours', 'size', 'added', 'removed'].map((name) =>
    getText(named(part(`tile-${name}`), 'p')[0] ?? part(`tile-${name}`)),
  );

/** Waits until the thread has added up the package. */
const counted = (page: (path: string) => Promise<ReadPage>) =>
  vi.waitFor(async () => {
    const shown = await page('/packages/main/104');
    expect(shown.partText('tile-hours')).not.toContain('…');
    return shown;
  }, 10_000);

describe('the page of a package', () => {
  it('lists its videos, its removals and all its changes, fifty a page', async () => {
    const { page } = await openPages([
      edit('id <= 3', AT, `title = 'Edited'`),
      edit('id = 2', AT, `removed_at = '${AT}'`),
      `update video set title = null, duration = 3723000, filesize = 1536 where package_id = 104 and id = 60;`,
    ]);
    const first = await page('/packages/main/104');
    expect([first.title, getText(named(first.root, 'h1')[0] ?? first.root)]).toEqual([
      'Package 104 (main) · Vodhouse test',
      'Package 104 main/104',
    ]);
    expect(rowsIn(first.part('videos'))[0]).toEqual(['Title', 'Length', 'Size', 'First stored', 'Run']);
    expect(listed(first)[0]?.slice(0, 4)).toEqual(['no title', '1:02:03', '1.5 KiB', '9 days ago']);
    const tabs = linksIn(named(first.part('videos'), 'nav')[0] ?? first.root);
    expect(tabs).toEqual([
      ['/packages/main/104', 'Videos'],
      ['/packages/main/104?kind=removed', 'Removed'],
      ['/packages/main/104?kind=all', 'Changes'],
    ]);
    const older = linksIn(first.part('videos')).find(([, text]) => text === 'Older')?.[0] ?? '';
    const counts = [
      '',
      '?kind=removed',
      '?kind=all',
      '?kind=edited',
      '?q=EDIT',
      '?q=none',
      '?kind=all&q=edit',
    ];
    const paths = [...counts.map((query) => `/packages/main/104${query}`), older];
    const found: number[] = [];
    for (const path of paths) found.push(listed(await page(path)).length);
    expect(found).toEqual([50, 1, 50, 4, 2, 0, 7, 9]);
  });

  it('adds up its videos, and what came and went in thirty days', async () => {
    const { page } = await openPages([
      edit('id = 1', AT, `removed_at = '${AT}', first_missing_at = '2026-01-09 11:00:00'`),
      edit('id = 2', AT, `removed_at = '${AT}'`),
      edit('id = 2', AT, `removed_at = null`),
    ]);
    const shown = await counted(page);
    expect(figures(shown)).toEqual(['60', '1.0', '59 GiB', '1', '2']); // the tests leave `live_count` as it is
    const titles = named(shown.part('growth'), 'title').map(getText);
    expect(titles).toEqual([
      'Videos: 60 on 2026-03-01, 59 on 2026-03-10',
      'Size: 60 GiB on 2026-03-01, 59 GiB on 2026-03-10',
    ]);
  });

  it('counts no first import as added', async () => {
    const { page } = await openPages([videoRow(900, { package_id: 104, changed_at: AT, first_seen_at: AT })]);
    expect(figures(await counted(page)).at(3)).toBe('1');
  });

  it('says what needs attention in it, with the command, and nothing where all is fine', async () => {
    const held = { held_back: 1, held_at: AT, held_by: 9, held_reason: 'many' };
    const { page } = await openPages([
      insert('removal_candidate', {
        account: 'main',
        package_id: 104,
        id: 1,
        proved_at: AT,
        walk_id: 9,
        ...held,
      }),
    ]);
    const { part } = await page('/packages/main/104');
    expect(named(part('problems'), 'li')).toHaveLength(1);
    expect(named(part('problems'), 'code').map(getText)[0]).toContain(
      'sync --package 104 --accept-removals walk:9',
    );
    expect(linksIn(part('problems'))).toEqual([]); // its place is this page
    expect((await page('/packages/main/101')).partText('content')).not.toContain('Needs attention');
  });

  it('has its state and its last walks', async () => {
    const walkOf104 = (row: Row) =>
      walk({ package_id: 104, pages: 6, requests: 7, finished_at: '2026-03-10 11:00:09', ...row });
    const { page } = await openPages([
      run({ status: 'partial' }),
      ...Array.from({ length: 9 }, () => walkOf104({})),
      ...Array.from({ length: 2 }, () =>
        walkOf104({
          status: 'partial',
          error: 'page 3 was not read',
          finished_at: null,
          pages: 1,
          requests: 1,
        }),
      ),
    ]);
    const { part } = await page('/packages/main/104');
    const [state = ''] = named(part('content'), 'p').map(getText);
    expect(state).toMatch(/^last walk partial last full walk \d+ min ago$/);
    const walks = rowsIn(part('walks'));
    expect(walks[1]?.slice(0, 4)).toEqual(['1 full', '60 min ago', '', 'partial']);
    expect(walks[2]).toEqual(['', 'page 3 was not read']);
    expect(walks).toHaveLength(12); // the error of two walks in a row is shown once
  });

  it('counts what left with its package as removed, and as added what came back with it', async () => {
    const { page } = await openPages([
      edit('id <= 50', '2026-03-05 00:00:00', `removed_at = '2026-03-05 00:00:00', change = 'retired'`),
      edit('id <= 45', AT, `removed_at = null`),
    ]);
    expect(figures(await counted(page)).slice(3)).toEqual(['45', '50']);
  });

  it('exists for one that was never walked, and for one that is retired, with the videos that it had; and for no other', async () => {
    const { page } = await openPages();
    for (const id of [102, 103])
      expect((await page(`/packages/main/${id}`)).partText('content')).toContain('not synced yet');
    const retired = await page('/packages/main/500');
    expect(retired.partText('content')).toContain(
      'No longer in the config since 2026-03-09 09:00:00. It had 1 video when it left; what was stored is kept.',
    );
    expect(listed(retired)).toHaveLength(0);
    const [link] = linksIn(retired.part('content')).filter(([, text]) => text === '1 video');
    expect(rowsIn((await page(link?.[0])).part('videos')).map((row) => row.slice(0, 4))).toEqual([
      ['Title', 'Length', 'Size', 'Retired'],
      ['main 1 가나다', '1:00', '1 GiB', '36 h ago'],
    ]);
    for (const path of ['main/999', 'alone/101', 'nobody/104', 'MAIN/104'])
      expect((await page(`/packages/${path}`, 404)).partText('content')).toContain('No such package');
  });
});
