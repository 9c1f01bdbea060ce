import { join } from 'node:path';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openWideReads } from '../../../src/queries/wide-reads.ts';
import { PublishedNote, readTotals } from '../../../src/web/pages/package-parts.tsx';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
import { insert, packageRow, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { published } from '../../support/fixtures/published-file.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';
import { linksIn, named, rowsIn } from '../../support/read-html.ts';
import { onlyMain, openPages, type ReadPage } from '../../support/servers/open-pages.ts';
import { configToServe, liveFileToServe } from '../../support/servers/open-web-server.ts';

const AT = '2026-03-10 11:00:00';

const listed = ({ part }: ReadPage) => rowsIn(part('packages')).slice(1);
const namesOn = (page: ReadPage) => listed(page).map(([name]) => name);

/** Waits until the thread has added up all packages: until then the page refreshes itself more often. */
async function loaded(opened: Awaited<ReturnType<typeof openPages>>, path: string): Promise<ReadPage> {
  const shown = await opened.page(path);
  const [body] = named(shown.root, 'body');
  return body?.attributes.get('data-refresh') === '2' ? loaded(opened, path) : shown;
}

/** 101: two videos of 1 GiB and a minute, as all others; 104: sixty. */
const CHANGED = [
  `update video set filesize = 1099511627776, change_seq = change_seq + 100, duration = 7200000, changed_at = '${AT}' where account = 'main' and package_id = 101 and id = 1;`,
  `update video set removed_at = '${AT}', changed_at = '${AT}', change_seq = change_seq + 100 where account = 'main' and package_id = 101 and id = 2;`,
  `update package set changed_seq = 7 where account = 'main' and package_id = 101;`,
  `update video set removed_at = '2026-03-09 15:00:00', changed_at = '2026-03-09 15:00:00', change_seq = change_seq + 100 where account = 'main' and package_id = 104 and id < 4;`,
  `update package set changed_seq = 3 where package_id = 104;`,
];

describe('the page of all packages', () => {
  it('has the figures of each, what came and went in thirty days, and its last walk', async () => {
    const first = await loaded(await openPages(CHANGED), '/packages');
    expect(first.title).toBe('Packages · Vodhouse test');
    expect(rowsIn(first.part('packages'))[0]).toEqual([
      'Package',
      'State ↓',
      'Videos',
      'Hours',
      'Size',
      'Added',
      'Removed',
      'Last full walk',
      'Videos in 30 days',
    ]);
    const find = (of: string) =>
      listed(first)
        .find(([name]) => name === of)
        ?.slice(1, 8);
    expect(find('main/104')).toEqual(['fresh', '60', '0.9', '57 GiB', '0', '3', '30 min ago']);
    expect(find('main/101')?.slice(2, 4)).toEqual(['2.0', '1 TiB']);
    const bars = named(first.part('packages'), 'rect').map(({ attributes }) => attributes.get('width'));
    expect(Math.max(...bars.map(Number))).toBe(80);
  });

  it('counts what came and went as the published file does', async () => {
    const at = '2026-03-10 03:00:00';
    const edit = (id: number, what: string) =>
      `update video set ${what}, changed_at = '${at}', change_seq = change_seq + 1000 where account = 'main' and package_id = 104 and id = ${id};`;
    const opened = await openPages([
      edit(1, `removed_at = '${at}', first_missing_at = '2026-03-09 14:59:59'`), // held back until then
      edit(2, `removed_at = '${at}'`),
      edit(3, `removed_at = '${at}'`),
      edit(3, `removed_at = null`),
      videoRow(900, {
        account: 'main',
        package_id: 104,
        first_seen_at: at,
        changed_at: at,
        change_seq: 9_000,
      }),
    ]);
    const { select } = await published(opened.live, { now: Date.parse('2026-03-10T12:00:00Z') });
    const [counts] = select(`select sum(added_count + restored_count) as added, sum(removed_count) as removed
      from package_daily where package_key = 'main/104'`);
    expect(counts).toEqual({ added: 2, removed: 3 });
    const row = listed(await loaded(opened, '/packages')).find(([name]) => name === 'main/104');
    expect(row?.slice(5, 7)).toEqual(['2', '3']);
  });

  it('has the figures of the published file at once, with the removals of the first day', async () => {
    const file = join(temporaryFolder(), 'out.bi.db');
    const opened = await openPages(CHANGED, { lines: `publish: { file: "${file}" }` });
    await published(opened.live, { file, now: Date.parse('2026-03-10T12:00:00Z') });
    const find = (page: ReadPage, of: string) =>
      listed(page)
        .find(([name]) => name === of)
        ?.slice(2, 7);
    const first = await opened.page('/packages');
    expect(find(first, 'main/104')).toEqual(['60', '0.9', '57 GiB', '0', '3']);
    expect(find(first, 'main/101')).toEqual(['2', '2.0', '1 TiB', '0', '1']);
    expect((await opened.page('/packages/main/101')).partText('tile-removed')).toContain('1');
    const later = await loaded(opened, '/packages');
    expect(find(later, 'main/104')).toEqual(find(first, 'main/104'));
    expect(later.text).not.toContain('published-figures');
  });

  it('names when the published file was made, until its figures are replaced', async () => {
    const file = join(temporaryFolder(), 'out.bi.db');
    const live = liveFileToServe();
    await published(live, { file, now: Date.parse('2026-03-10T11:00:00Z') });
    const wideReads = openWideReads(live);
    onTestFinished(() => wideReads.close());
    const clock = createVirtualClock('2026-03-10T12:00:00Z');
    const sources = { config: configToServe(live, [], `publish: { file: "${file}" }`), wideReads, clock };
    const of104 = [{ account: 'main', package_id: 104, changed_seq: 1 }];
    const first = await readTotals(sources, of104, 0);
    expect([first.publishedAt, first.isPending]).toEqual(['2026-03-10 11:00:00', true]);
    const note = renderToString(h(PublishedNote, { at: first.publishedAt, now: clock.now() }));
    expect(note).toMatch(/of the published file, made .*60 min ago/);
    const later = await readTotals(sources, of104, 60_000);
    expect([later.publishedAt, later.isPending]).toEqual([null, false]);
    expect(later.of({ account: 'main', package_id: 104 })?.size_bytes).toBe(
      first.of({ account: 'main', package_id: 104 })?.size_bytes,
    );
  });

  it('adds up again what has changed', async () => {
    const opened = await openPages(CHANGED);
    const sizeOf = async () =>
      listed(await loaded(opened, '/packages')).find(([name]) => name === 'main/101')?.[4];
    expect(await sizeOf()).toBe('1 TiB');
    opened.change(
      `update video set filesize = 2048, change_seq = change_seq + 1000 where account = 'main' and package_id = 101;`,
      `update package set changed_seq = 8 where account = 'main' and package_id = 101;`,
    );
    expect(await sizeOf()).toBe('2 KiB');
  });

  it('is sorted by each column, unknown figures last in both directions', async () => {
    const opened = await openPages(CHANGED);
    const by = async (query: string) => namesOn(await loaded(opened, `/packages?${query}`));
    for (const [query, at, name] of [
      ['sort=size', 0, 'main/101'],
      ['sort=videos', 0, 'main/104'],
      ['sort=removed', 0, 'main/104'],
      ['sort=size&direction=asc', -1, 'main/103'],
    ] as const)
      expect([query, (await by(query)).at(at)]).toEqual([query, name]);
    expect(await by('sort=name&direction=asc')).toEqual((await by('sort=name')).reverse());
    const headings = named((await opened.page('/packages?sort=size')).root, 'th').filter(
      ({ attributes }) => attributes.get('scope') === 'col',
    );
    expect(headings.map(({ attributes }) => attributes.get('aria-sort')).indexOf('descending')).toBe(4);
    expect(headings[4] && linksIn(headings[4])).toEqual([['/packages?sort=size&direction=asc', 'Size ↓']]);
  });

  it('finds packages by name, number or state, in any case', async () => {
    const { page } = await openPages([
      `update package set walked_at = '2026-03-10 01:00:00' where package_id = 104;`,
      insert('quarantine', {
        account: 'main',
        package_id: 101,
        stream: 'videos',
        reason: 'r',
        raw: '{}',
        seen_at: AT,
      }),
      insert('removal_candidate', {
        account: 'other',
        package_id: 101,
        id: 3,
        proved_at: AT,
        walk_id: 1,
        held_back: 1,
        held_at: AT,
        held_by: 1,
        held_reason: 'many',
      }),
    ]);
    for (const [find, names] of [
      ['101', ['other/101', 'main/101']],
      ['MAIN/104', ['main/104']],
      ['Held back', ['other/101']],
      ['quarantine', ['main/101']],
      ['stale', ['main/104']],
      ['nowhere', []],
    ] as const) {
      const query = new URLSearchParams({ find }).toString();
      expect([find, namesOn(await page(`/packages?${query}`))]).toEqual([find, names]);
    }
  });

  it('has a hundred packages a page, problems first', async () => {
    const packages = Array.from({ length: 230 }, (_, index) => ({
      id: 1_000 + index,
      name: index % 2 === 0 ? `Course ${index}` : null,
    }));
    const rows = packages.map(({ id }) =>
      packageRow(id, { walked_at: '2026-03-10 11:30:00', live_count: 1 }),
    );
    const { page } = await openPages(
      [...rows, `update package set walked_at = '2026-03-10 02:00:00' where package_id = 1229;`],
      { accounts: onlyMain(packages) },
    );
    const pages = [await page('/packages'), await page('/packages?page=2'), await page('/packages?page=3')];
    expect(pages.map((each) => namesOn(each).length)).toEqual([100, 100, 30]);
    expect(new Set(pages.flatMap(namesOn)).size).toBe(230);
    expect(pages.flatMap(namesOn).slice(0, 2)).toEqual(['main/1229', 'Course 0 main/1000']);
    expect(namesOn(await page('/packages?page=9'))).toEqual(pages.slice(2).flatMap(namesOn));
    const found = await page('/packages?find=%20cOURSE%20');
    expect(found.partText('found')).toContain('115 of 230 packages');
    expect(linksIn(found.part('packages')).at(-1)).toEqual(['/packages?find=cOURSE&page=2', 'Last']);
  });
});
