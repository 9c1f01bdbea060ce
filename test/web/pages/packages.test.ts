import { describe, expect, it } from 'vitest';
import { insert, packageRow } from '../../support/fixtures/filled-live-file.ts';
import { linksIn, named, rowsIn } from '../../support/read-html.ts';
import { onlyMain, openPages, type ReadPage } from '../../support/servers/open-pages.ts';

const AT = '2026-03-10 11:00:00';

const listed = ({ part }: ReadPage) => rowsIn(part('packages')).slice(1);
const namesOn = (page: ReadPage) => listed(page).map(([name]) => name);

/** Waits until the thread has added up all packages. */
async function loaded(opened: Awaited<ReturnType<typeof openPages>>, path: string): Promise<ReadPage> {
  const shown = await opened.page(path);
  return shown.partText('packages').includes('still being added up') ? loaded(opened, path) : shown;
}

/** 101: two videos of 1 GiB and a minute, as all others; 104: sixty. */
const CHANGED = [
  `update video set filesize = 1099511627776, change_seq = change_seq + 100, duration = 7200000, changed_at = '${AT}' where account = 'main' and package_id = 101 and id = 1;`,
  `update video set removed_at = '${AT}', change_seq = change_seq + 100 where account = 'main' and package_id = 101 and id = 2;`,
  `update package set changed_seq = 7 where account = 'main' and package_id = 101;`,
  `update package set changed_seq = 3 where account = 'main' and package_id = 104;`,
  `update video set removed_at = '2026-03-09 15:00:00', change_seq = change_seq + 100 where account = 'main' and package_id = 104 and id < 4;`,
  `update video set removed_at = '2026-03-09 14:59:59', change_seq = change_seq + 100 where account = 'main' and package_id = 104 and id = 4;`,
];

describe('the page of all packages', () => {
  it('has the videos, hours and size of each, what came and went today, and its last change', async () => {
    const first = await loaded(await openPages(CHANGED), '/packages');
    expect(first.title).toBe('Packages · Vodhouse test');
    const rows = listed(first);
    expect(rowsIn(first.part('packages'))[0]).toEqual([
      ...['Package', 'State ↓', 'Videos', 'Today', 'Hours', 'Size', 'Last change', 'Last full walk'],
    ]);
    expect(rows.find(([name]) => name === 'main/104')).toEqual([
      ...['main/104', 'fresh', '60', '−3', '0.9', '56 GiB', '21 h ago', '30 min ago'],
    ]);
    expect(rows.find(([name]) => name === 'main/101')?.slice(3)).toEqual([
      ...['−1', '2.0', '1 TiB', '60 min ago', '30 min ago'],
    ]);
  });

  it('adds up again what has changed', async () => {
    const opened = await openPages(CHANGED);
    const sizeOf = async () =>
      listed(await loaded(opened, '/packages')).find(([name]) => name === 'main/101')?.[5];
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
    expect((await by('sort=size'))[0]).toBe('main/101');
    expect((await by('sort=videos'))[0]).toBe('main/104');
    expect((await by('sort=changed')).slice(0, 2)).toEqual(['main/101', 'main/104']);
    expect((await by('sort=changed&direction=asc')).slice(0, 2)).toEqual(['main/104', 'main/101']);
    expect((await by('sort=change'))[0]).toBe('other/101');
    expect((await by('sort=change&direction=asc'))[0]).toBe('main/104');
    expect((await by('sort=size&direction=asc')).at(-1)).toBe('main/103');
    expect(await by('sort=name&direction=asc')).toEqual((await by('sort=name')).reverse());
    const sorted = await opened.page('/packages?sort=size');
    const headings = named(sorted.root, 'th').filter(({ attributes }) => attributes.get('scope') === 'col');
    expect(headings.map(({ attributes }) => attributes.get('aria-sort'))).toEqual([
      ...Array<undefined>(5),
      'descending',
      ...Array<undefined>(2),
    ]);
    expect(linksIn(headings[5] ?? sorted.root)).toEqual([['/packages?sort=size&direction=asc', 'Size ↓']]);
  });

  it('has filters with counts, which keep the search and the order', async () => {
    const { page } = await openPages([
      `update package set walked_at = '2026-03-10 01:00:00' where package_id = 104;`,
      insert('quarantine', {
        ...{ account: 'main', package_id: 101, stream: 'videos', reason: 'r', raw: '{}', seen_at: AT },
      }),
      insert('removal_candidate', {
        ...{ account: 'other', package_id: 101, id: 3, proved_at: AT, walk_id: 1, held_back: 1 },
        ...{ held_at: AT, held_by: 1, held_reason: 'many' },
      }),
    ]);
    const tabs = (shown: ReadPage) =>
      linksIn(shown.part('packages')).filter(([, text]) => /^(All|Stale|Failed|Held|Quar).* \d+$/.test(text));
    expect(tabs(await page('/packages?sort=size')).map(([, text]) => text)).toEqual([
      ...['All 6', 'Stale 3', 'Failed 0', 'Held back 1', 'Quarantine 1'],
    ]);
    expect(tabs(await page('/packages?sort=size&find=101'))).toEqual([
      ['/packages?find=101&sort=size', 'All 2'],
      ['/packages?find=101&show=stale&sort=size', 'Stale 0'],
      ['/packages?find=101&show=failed&sort=size', 'Failed 0'],
      ['/packages?find=101&show=held_back&sort=size', 'Held back 1'],
      ['/packages?find=101&show=quarantine&sort=size', 'Quarantine 1'],
    ]);
    expect(namesOn(await page('/packages?show=held_back'))).toEqual(['other/101']);
    expect(namesOn(await page('/packages?show=quarantine'))).toEqual(['main/101']);
    expect((await page('/packages?show=failed')).partText('packages')).toContain('No match.');
  });

  it('has a hundred packages, problems first, and finds one by a part of its name or id', async () => {
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
    expect(found.partText('packages-heading')).toBe('All packages 115 of 230');
    expect(linksIn(found.part('packages')).at(-1)).toEqual(['/packages?find=cOURSE&page=2', 'Last']);
    expect(namesOn(await page('/packages?find=main/1203'))).toEqual(['main/1203']);
    expect((await page('/packages?find=nowhere')).partText('packages')).toContain('No match.');
  });
});
