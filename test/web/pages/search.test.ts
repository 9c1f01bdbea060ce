import { describe, expect, it } from 'vitest';
import { splitMatches } from '../../../src/web/pages/matches.ts';
import { videoRow } from '../../support/fixtures/filled-live-file.ts';
import { getExactText, getText, linksIn, named } from '../../support/read-html.ts';
import { openPages, type ReadPage } from '../../support/servers/open-pages.ts';

const AT = '2026-03-10 11:00:00';

const found = (page: ReadPage) =>
  named(page.part('videos'), 'th')
    .filter(({ attributes }) => attributes.get('scope') === 'row')
    .map(getExactText);
const marks = ({ root }: ReadPage) => named(root, 'mark').map(getText);
const said = ({ root }: ReadPage) =>
  named(root, 'p')
    .filter(({ attributes }) => attributes.get('role') === 'status' && !attributes.has('id'))
    .map(getText);

const title = (package_id: number, id: number, text: string, more: object = {}) =>
  videoRow(id, { account: 'main', package_id, title: text, ...more });

const VIDEOS = [
  title(101, 11, 'Éclair au Café'),
  title(102, 12, '100% of_it \\ <b>Café</b>', { filesize: 5, duration: 30_000 }),
  title(104, 113, 'cafe', { removed_at: AT, first_seen_at: '2026-03-04 15:00:00' }),
];

describe('the search over all packages', () => {
  it('finds titles in any case, also of letters beyond ASCII, and marks what was found', async () => {
    const { page } = await openPages(VIDEOS);
    const find = (q: string) => page(`/videos?${new URLSearchParams({ q }).toString()}`);
    const accented = await find('CAFÉ');
    expect(found(accented)).toEqual(['100% of_it \\ <b>Café</b>', 'Éclair au Café']);
    expect(marks(accented)).toEqual(['Café', 'Café']);
    expect(said(accented)).toEqual(['2 videos found.']);
    expect(
      linksIn(accented.part('videos'))
        .map(([href]) => href)
        .slice(0, 2),
    ).toEqual(['/videos/main/102/12', '/packages/main/102']);
    for (const [text, ...titles] of [
      ['100%', '100% of_it \\ <b>Café</b>'],
      ['F_I', '100% of_it \\ <b>Café</b>'],
      ['\\', '100% of_it \\ <b>Café</b>'],
      ['1%0'],
      ['of.it'],
    ]) {
      expect([text, ...found(await find(text ?? ''))]).toEqual([text, ...titles]);
    }
    expect(said(await find('nowhere'))).toEqual(['No match.']);
  });

  it('has filters by package, day, size, length and state', async () => {
    const { page } = await openPages(VIDEOS);
    const by = async (query: string) => found(await page(`/videos?${query}`));
    expect(await by('q=caf&state=removed')).toEqual(['cafe removed']);
    expect(await by('q=caf&state=all')).toHaveLength(3);
    expect(await by('day=2026-03-05&state=all')).toEqual(['cafe removed']); // a day of Seoul
    for (const day of ['2026-03-04', '2026-02-31']) expect(await by(`day=${day}&state=all`)).toEqual([]);
    expect(await by('q=caf&size=small')).toEqual(['100% of_it \\ <b>Café</b>']);
    expect(await by('q=caf&length=ten')).toEqual(['Éclair au Café']);
    for (const name of ['main/102', '102']) {
      expect(await by(`q=caf&package=${name}`)).toEqual(['100% of_it \\ <b>Café</b>']);
    }
    const unknown = await page('/videos?q=caf&package=nobody');
    expect(unknown.partText('videos')).toContain('There is no package nobody');
    expect(said(await page('/videos'))).toEqual([]);
  });

  it('says that it shows a hundred, and goes on with the next ones', async () => {
    const many = Array.from({ length: 250 }, (_, index) => title(102, 1_000 + index, `Part ${index}`));
    const { page } = await openPages(many);
    for (const more of ['', '&package=102']) {
      const pages: ReadPage[] = [];
      for (let next = `/videos?q=pArT${more}`; pages.length < 3;) {
        const shown = await page(next);
        pages.push(shown);
        next = linksIn(shown.part('videos')).at(-1)?.[0] ?? '';
      }
      expect(pages.map((each) => found(each).length)).toEqual([100, 100, 50]);
      expect(new Set(pages.flatMap(found)).size).toBe(250);
      expect(pages.flatMap(found).slice(0, 1)).toEqual(['Part 249']);
      expect(pages.flatMap(said)).toEqual([
        'More than 100 videos: at most 100 are shown.',
        'More than 100 further videos: at most 100 are shown.',
        '50 further videos found.',
      ]);
    }
  });

  it('is in the header of every page', async () => {
    const { page } = await openPages();
    for (const path of ['/', '/packages/main/104', '/storage']) {
      const [form] = named((await page(path)).root, 'form').filter(
        ({ attributes }) => attributes.get('action') === '/videos',
      );
      expect(form && named(form, 'input').map(({ attributes }) => attributes.get('name'))).toEqual(['q']);
    }
  });
});

describe('the parts of a text', () => {
  it.each([
    ['abcABCab', 'Bc', ['a', '*bc', 'A', '*BC', 'ab']],
    ['aaa', 'aa', ['*aa', 'a']],
    ['İstanbul', 'stan', ['İstanbul']],
    ['abc', 'x', ['abc']],
  ])('of %s by %s', (text, part, parts) => {
    const split = splitMatches(text, part).map((each) => (each.isMatch ? '*' : '') + each.text);
    expect(split).toEqual(parts);
  });
});
