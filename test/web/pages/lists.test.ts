import { describe, expect, it } from 'vitest';
import { CHANGES } from '../../../src/database/schema/values.ts';
import { insert, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { getExactText, linksIn, named, rowsIn } from '../../support/read-html.ts';
import { openPages, type ReadPage } from '../../support/servers/open-pages.ts';

const ofPackage = { account: 'main', package_id: 104 };

/** A run of a minute that makes these changes in package 104; `counts`: those of its walk. */
const run = (run_id: number, started_at: string, counts: Record<string, number>, ...changes: string[]) => [
  insert('run', { run_id, trigger: 'schedule', mode: 'full', status: 'running', started_at }),
  ...changes,
  `update run set status = 'succeeded', finished_at = '${started_at.replace(':00', ':59')}' where run_id = ${run_id};`,
  insert('walk', {
    run_id,
    ...ofPackage,
    mode: 'full',
    status: 'succeeded',
    started_at,
    origin_started_at: started_at,
    finished_at: started_at,
    ...counts,
  }),
];

let seq = 10_000;
const change = (where: string, at: string, what: string) =>
  `update video set ${what}, changed_at = '${at}', change_seq = change_seq + ${(seq += 1_000)}
   where account = 'main' and package_id = 104 and ${where};`;

const AT = { 11: '2026-03-10 08:00', 12: '2026-03-10 09:00', 13: '2026-03-10 10:00', 14: '2026-03-10 11:00' };

/** Run 11 adds one video and edits two; 12 removes seven; 13 brings one back; 14 is still to come. */
const HISTORY = [
  `update package set name = 'Lectures' where package_id = 104;`,
  ...run(
    11,
    `${AT[11]}:00`,
    { added: 1, edited: 2 },
    videoRow(900, {
      ...ofPackage,
      title: 'A new one',
      first_seen_at: `${AT[11]}:10`,
      change_seq: 9_000,
      run_id: 11,
    }),
    change('id = 1', `${AT[11]}:20`, `title = 'Organic chemistry, lecture 1'`),
    change('id = 1', `${AT[11]}:21`, `title = 'Organic <b>physics</b>, lecture 1'`),
    change('id = 2', `${AT[11]}:22`, `tag = 'T'`),
  ),
  ...run(
    12,
    `${AT[12]}:00`,
    { removed: 7 },
    change(
      'id between 11 and 17', // first missing two days before, and held back until now
      `${AT[12]}:30`,
      `removed_at = '${AT[12]}:30', first_missing_at = '2026-03-08 09:00:00'`,
    ),
  ),
  ...run(13, `${AT[13]}:00`, { restored: 1 }, change('id = 11', `${AT[13]}:30`, `removed_at = null`)),
];

const rows = (page: ReadPage) => rowsIn(page.part('changes')).slice(1);
const titles = (page: ReadPage) =>
  named(page.part('changes'), 'th')
    .filter(({ attributes }) => attributes.get('scope') === 'row')
    .map((cell) => getExactText(cell).normalize('NFC'));
const linkTo = (page: ReadPage, text: string) =>
  linksIn(page.part('changes')).find(([, each]) => each === text)?.[0];

describe('the list of videos and changes', () => {
  it('has all kinds, the newest first, with the run that made them', async () => {
    const { page } = await openPages(HISTORY);
    const all = await page('/changes');
    expect(rowsIn(all.part('changes'))[0]).toEqual([
      'Title',
      'Change',
      'Fields',
      'Length',
      'Size',
      'Package',
      'When',
      'Run',
    ]);
    const shown = rows(all);
    expect(shown).toHaveLength(50);
    expect(shown[0]?.slice(1)).toEqual([
      'restored',
      '',
      '1:00',
      '1 GiB',
      'Lectures main',
      '119 min ago',
      '13',
    ]);
    expect(shown.slice(1, 8).map((row) => [row[1], row[6], row[7]])).toEqual(
      Array.from({ length: 7 }, () => ['removed', '2 h ago', '12']),
    );
    expect(shown.slice(8, 12).map((row) => [row[1], row[2], row[7]])).toEqual([
      ['edited', 'tags', '11'],
      ['edited', 'title', '11'],
      ['edited', 'title', '11'],
      ['added', '', '11'],
    ]);
    expect(shown[12]?.[7]).toBe(''); // from before any run that is stored
  });

  it('marks the words of a title that changed, and shows a title that shares none after the old one', async () => {
    const { page } = await openPages(HISTORY);
    const { root } = await page('/changes?kind=edited');
    const marked = (name: string) => named(root, name).map(getExactText);
    expect(marked('del')).toEqual(['chemistry', `main 1 가나다 `]);
    expect(marked('ins')).toEqual(['<b>physics</b>', 'Organic chemistry, lecture 1']);
  });

  it('has filters, and ignores values that are none', async () => {
    const { page } = await openPages(HISTORY);
    const odd = ['run=x', 'run=-1', 'kind=access_key', 'from=1', 'from=1.1e9', 'run=', 'day=2026-02-31'];
    const counts = [
      ['kind=removed', 7],
      ['kind=restored', 1],
      ['kind=edited&run=11', 3],
      ['run=11', 4],
      ['run=12&kind=removed&package=main/104', 7],
      ['run=12&kind=removed&package=main/101', 0],
      ['package=main/101', 2],
      ['package=104&kind=added&run=11', 1],
      ['kind=removed&day=2026-03-08', 0], // a removal is of the day on which it took effect
      ['kind=removed&day=2026-03-10', 7],
      ['day=2026-03-10', 12],
      ['kind=imported&package=104', 50],
      ['kind=retired', 1],
      ['kind=returned', 0],
      ['kind=present&package=104&q=main', 50],
      ...odd.map((query) => [query, 50] as const),
    ] as const;
    for (const [query, count] of counts)
      expect([query, rows(await page(`/changes?${query}`)).length]).toEqual([query, count]);
  });

  it('can be of each kind, with its name above the times, and says which videos are gone since', async () => {
    const { page } = await openPages(HISTORY);
    const all = await page('/changes');
    const kinds = named(all.part('kind'), 'option').map(({ attributes }) => attributes.get('value'));
    expect(kinds).toEqual(['all', 'present', ...CHANGES]);
    for (const kind of kinds) {
      const [headings = []] = rowsIn((await page(`/changes?kind=${kind}&package=500`)).part('changes'));
      const when = kind === 'all' ? 'When' : `${kind?.charAt(0).toUpperCase()}${kind?.slice(1)}`;
      if (headings.length > 0) expect(headings.at(-2)).toBe(when);
    }
    const of500 = titles(await page('/changes?package=main/500'));
    expect(of500.map((text) => text.endsWith('since retired'))).toEqual([false, true]);
  });

  it('says that a run or a package does not exist', async () => {
    const { page } = await openPages();
    expect((await page('/changes?run=99')).partText('changes')).toContain('There is no run 99');
    expect((await page('/changes?package=none')).partText('changes')).toContain('There is no package none');
  });

  it('goes on where a page ends, without a row twice or left out', async () => {
    const many = Array.from({ length: 130 }, (_, index) =>
      videoRow(2_000 + index, { ...ofPackage, first_seen_at: `${AT[14]}:00`, change_seq: 50_000 + index }),
    );
    const { page } = await openPages([...HISTORY, ...many, change('id > 2099', `${AT[14]}:00`, `tag = 'T'`)]);
    for (const [filter, count] of [
      ['', 70 + 130 + 42],
      ['?package=main/104', 191 + 41],
      ['?package=main/104&kind=edited', 33],
      ['?kind=added', 131],
      ['?kind=present&q=VIDEO', 130],
      ['?kind=present&q=video&package=104', 130],
    ] as const) {
      const seen: string[] = [];
      for (let next: string | undefined = `/changes${filter}`; next;) {
        const shown = await page(next);
        const videos = named(shown.part('changes'), 'th').flatMap((cell) =>
          linksIn(cell).map(([href]) => href),
        );
        seen.push(...rows(shown).map((row, index) => [videos[index], ...row].join()));
        next = linkTo(shown, 'Older');
      }
      expect([filter, seen.length, new Set(seen).size]).toEqual([filter, count, count]);
    }
  });
});

const NFD = '한국어 강의'.normalize('NFD');
const title = (package_id: number, id: number, text: string, more: object = {}) =>
  videoRow(id, { account: 'main', package_id, title: text, ...more });
const ODD = '100% of_it \\ <b>Café</b>';
const VIDEOS = [
  title(101, 11, 'Éclair au Café', { tag: 'Süßes', content: 'Part of 2' }),
  title(102, 12, ODD),
  title(101, 13, NFD),
  title(104, 113, 'cafe', { first_seen_at: '2026-03-04 15:00:00' }),
  change('id = 113', `${AT[13]}:00`, `removed_at = '${AT[13]}:00'`),
];

describe('the search', () => {
  it('finds texts in any case and spelling', async () => {
    const { page } = await openPages(VIDEOS);
    const found: Record<string, string[]> = {
      'q=CAFÉ': [ODD, 'Éclair au Café'],
      'q=100%25': [ODD],
      'q=F_I': [ODD],
      'q=%5C': [ODD],
      'q=1%250': [],
      'q=of.it': [],
      'q=한국어': [NFD],
      'q=sÜß&in=tag': ['Éclair au Café'],
      'q=PART&in=content': ['Éclair au Café'],
      'q=part&in=author': [],
      'q=café&package=102': [ODD],
      'q=caf&day=2026-03-05': [],
    };
    for (const [query, texts] of Object.entries(found)) {
      const shown = await page(encodeURI(decodeURI(`/changes?kind=present&${query}`)));
      expect([query, titles(shown)]).toEqual([query, texts.map((text) => text.normalize('NFC'))]);
    }
  });

  it('finds videos that were removed among those added', async () => {
    const { page } = await openPages(VIDEOS);
    expect(titles(await page('/changes?kind=added&q=caf&day=2026-03-05'))).toEqual(['cafe since removed']); // a day of Seoul
  });

  it('is in the header of every page', async () => {
    const { page } = await openPages();
    for (const path of ['/', '/packages/main/104', '/storage']) {
      const [form] = named((await page(path)).root, 'form').filter(
        ({ attributes }) => attributes.get('class') === 'search',
      );
      expect(form?.attributes.get('action')).toBe('/changes');
    }
  });
});
