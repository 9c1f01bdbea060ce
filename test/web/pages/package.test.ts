import { describe, expect, it, vi } from 'vitest';
import { insert } from '../../support/fixtures/filled-live-file.ts';
import { openPages, type ReadPage } from '../../support/servers/open-pages.ts';
import { linksIn, named, rowsIn, getText } from '../../support/read-html.ts';

const AT = '2026-03-10 11:00:00';
const NAME = (id: number) => `main ${id} ${'가나다 '.repeat(id).trim()}`;

let seq = 1_000;
const edit = (ids: string, at: string, what: string) =>
  `update video set ${what}, changed_at = '${at}', change_seq = ${++seq}
   where account = 'main' and package_id = 104 and ${ids};`;

/** The ids in the table of videos, from top to bottom. */
const idsOn = ({ part }: ReadPage) =>
  rowsIn(part('content'))
    .slice(1)
    .map(([id]) => Number(id));

describe('the page of a package', () => {
  it('lists fifty videos a page, the newest first, and the last page beyond the end', async () => {
    const { page } = await openPages([
      edit('id = 60', AT, `title = 'Last', duration = 3723000, filesize = 1536, series = 'S', cdate = 'D'`),
      edit('id = 59', AT, `title = null, duration = null, filesize = null, cdate = null`),
    ]);
    const first = await page('/packages/main/104');
    expect(first.title).toBe('Package 104 · Vodhouse test');
    expect(getText(named(first.root, 'h1')[0] ?? first.root)).toBe('Package 104 main/104');
    expect(rowsIn(first.part('content')).slice(0, 4)).toEqual([
      ['Id ↓', 'Title', 'Length', 'Size', 'Series', 'Created'],
      ['60', 'Last', '1:02:03', '1.5 KiB', 'S', 'D'],
      ['59', 'no title', '', '', '', ''],
      ['58', NAME(58), '1:00', '1 GiB', '', '2026-02-01 10:20:30.5'],
    ]);
    expect(idsOn(first)).toEqual(Array.from({ length: 50 }, (_, index) => 60 - index));
    expect(first.partText('videos-heading')).toBe('60 videos');
    expect(linksIn(first.root)).toContainEqual(['/videos/main/104/60', 'Last']);
    const second = await page('/packages/main/104?page=2');
    expect(idsOn(second)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(idsOn(await page('/packages/main/104?page=77'))).toEqual(idsOn(second));
    const pages = (shown: ReadPage) => linksIn(shown.root).filter(([, text]) => /^(F|P|N|L)\w+$/.test(text));
    expect(pages(first).slice(-2)).toEqual([
      ['/packages/main/104?page=2', 'Next'],
      ['/packages/main/104?page=2', 'Last'],
    ]);
    expect(pages(second).slice(-2)).toEqual([
      ['/packages/main/104', 'First'],
      ['/packages/main/104', 'Previous'],
    ]);
  });

  it('sorts in both directions, and searches, and combines both', async () => {
    const { page } = await openPages([
      edit('id % 2 = 0', AT, `title = 'A' || (100 - id), author = 'Kim & "Co"'`),
      edit('id % 2 = 1', AT, `filesize = id`),
    ]);
    const by = async (query: string) => idsOn(await page(`/packages/main/104?${query}`));
    expect((await by('direction=asc')).slice(0, 2)).toEqual([1, 2]);
    expect((await by('sort=title&direction=asc')).slice(0, 3)).toEqual([60, 58, 56]);
    expect((await by('sort=title')).slice(0, 1)).toEqual([9]);
    expect((await by('sort=filesize&direction=asc')).slice(0, 3)).toEqual([1, 3, 5]);
    const found = await page(
      `/packages/main/104?${new URLSearchParams({ item: 'author', keyword: ' Kim & "Co" ' }).toString()}`,
    );
    expect(found.partText('videos-heading')).toBe('30 videos found');
    expect(idsOn(found)).toHaveLength(30);
    const [keyword] = named(found.root, 'input').filter(
      ({ attributes }) => attributes.get('id') === 'keyword',
    );
    expect(keyword?.attributes.get('value')).toBe('Kim & "Co"');
    const chosen = named(found.root, 'option').filter(({ attributes }) => attributes.has('selected'));
    expect(chosen.map(getText)).toEqual(['author']);
    const [, title = ['']] = linksIn(named(found.root, 'thead')[0] ?? found.root);
    const sorted = await page(title[0]);
    expect(idsOn(sorted).slice(0, 2)).toEqual([60, 58]);
    expect(sorted.partText('videos-heading')).toBe('30 videos found');
    const headings = named(sorted.root, 'th').map(({ attributes }) => attributes.get('aria-sort'));
    expect(headings.slice(0, 6)).toEqual([undefined, 'ascending', ...Array<undefined>(4)]);
    const none = await page('/packages/main/104?keyword=nothing');
    expect([none.partText('videos-heading'), idsOn(none)]).toEqual(['0 videos found', []]);
  });

  it('has the removed videos on a separate page, fifty at a time', async () => {
    const { page } = await openPages([
      edit('id > 5', '2026-03-10 10:00:00', `removed_at = '2026-03-10 10:00:00'`),
    ]);
    const [address = ''] =
      linksIn((await page('/packages/main/104')).root).find(([, text]) => text === 'Removed') ?? [];
    const first = await page(address);
    expect(first.partText('videos-heading')).toBe('Removed videos');
    expect(idsOn(first)).toEqual(Array.from({ length: 50 }, (_, index) => 60 - index));
    expect(rowsIn(first.part('content'))[1]).toEqual([
      ...['60', NAME(60), '1:00', '1 GiB'],
      ...['2026-03-01 12:00:00', '2026-03-10 19:00:00'],
    ]);
    const [further = ''] = linksIn(first.root).find(([, text]) => text === 'More') ?? [];
    const second = await page(further);
    expect(idsOn(second)).toEqual([10, 9, 8, 7, 6]);
    expect(linksIn(second.root).some(([, text]) => text === 'More')).toBe(false);
    expect((await page('/packages/main/104?removed=6')).partText('content')).toContain('No more.');
    expect((await page('/packages/main/101?removed=all')).partText('content')).toContain('None.');
  });

  it('says what needs attention in it, with the command, and nothing where all is fine', async () => {
    const held = { held_back: 1, held_at: AT, held_by: 9, held_reason: 'many' };
    const { page } = await openPages([
      insert('removal_candidate', {
        ...{ account: 'main', package_id: 104, id: 1, proved_at: AT, walk_id: 9, ...held },
      }),
    ]);
    const shown = await page('/packages/main/104');
    const items = named(shown.part('problems'), 'li').map((item) => named(item, 'p').map(getText));
    expect(items.map(([first, ...rest]) => [first, rest.at(-1)?.replace(/ --config .*/, '')])).toEqual([
      [
        'main/104: 1 removal held back, too many at once',
        'to accept exactly these: vodhouse sync --package 104 --accept-removals 9',
      ],
    ]);
    expect(linksIn(shown.part('problems'))).toEqual([]); // its place is this page
    expect((await page('/packages/main/101')).partText('content')).not.toContain('Needs attention');
  });

  it('has its status and its last walks', async () => {
    const walk = (row: Record<string, string | number | null>) =>
      insert('walk', {
        ...{ run_id: 1, account: 'main', package_id: 104, mode: 'full', status: 'succeeded', pages: 6 },
        ...{ requests: 7, started_at: AT, origin_started_at: AT, finished_at: '2026-03-10 11:00:09', ...row },
      });
    const { page } = await openPages([
      insert('run', { run_id: 1, trigger: 'manual', mode: 'full', status: 'partial', started_at: AT }),
      walk({ inserted: 1_200, updated: 1, removed: 2, restored: 3 }),
      ...Array.from({ length: 9 }, () => walk({})),
      walk({ status: 'partial', error: 'page 3 was not read', finished_at: null, pages: 1, requests: 1 }),
    ]);
    const { part, partText } = await vi.waitFor(async () => {
      const shown = await page('/packages/main/104');
      expect(shown.partText('tile-hours')).toBe('Hours 1.0 of the videos in it'); // added up in a thread
      return shown;
    });
    const standing = named(part('content'), 'p').map(getText)[0];
    expect(standing).toBe('last walk partial page 3 was not read');
    expect(partText('tile-videos')).toBe('Videos 60 in the package now');
    expect(partText('tile-size')).toBe('Size 60 GiB of the videos in it');
    expect(partText('tile-walked')).toBe('Last full walk 30 min ago last change 9 days ago');
    const walks = named(part('walks'), 'tr').map((row) =>
      [...named(row, 'th'), ...named(row, 'td')].map(getText),
    );
    expect(walks).toHaveLength(12);
    expect(walks.slice(1, 4)).toEqual([
      ['1 full', '60 min ago', '', 'partial', '', '', '', '', '1', '1'],
      ['', 'page 3 was not read'],
      ['1 full', '60 min ago', '9s', 'succeeded', '', '', '', '', '6', '7'],
    ]);
  });

  it('exists for one that was never walked, that is in no run, or that is retired; and for no other', async () => {
    const { page } = await openPages();
    for (const id of [102, 103]) {
      const { partText, part } = await page(`/packages/main/${id}`);
      expect(partText('content')).toContain('never walked');
      expect(partText('content')).toContain('The first full walk is not complete yet.');
      expect(named(part('content'), 'table')).toEqual([]);
    }
    const retired = await page('/packages/main/500');
    expect(retired.partText('content')).toContain(
      'No longer in the config since 2026-03-09 09:00:00. Its stored videos are kept.',
    );
    expect(idsOn(retired)).toEqual([1]);
    for (const path of [
      '/packages/main/999',
      '/packages/alone/101',
      '/packages/nobody/104',
      '/packages/MAIN/104',
    ]) {
      const { partText } = await page(path, 404);
      expect(partText('content')).toBe(
        'No such package, video, run, account or question in this warehouse. Status page',
      );
    }
  });
});

describe('the page of a video', () => {
  const HISTORY = [
    edit('id = 1', '2026-03-02 00:00:00', `title = 'second', tag = '', author = null`),
    edit('id = 1', '2026-03-03 00:00:00', `removed_at = '2026-03-03 00:00:00'`),
    edit('id = 1', '2026-03-04 00:00:00', `removed_at = null, title = 'third'`),
    edit('id = 1', '2026-03-05 00:00:00', `filesize = 5, duration = 61000, v_framerate = 29.97`),
    edit('id = 2', '2026-03-05 00:00:00', `removed_at = '2026-03-05 01:00:00'`),
  ];
  const fieldsOn = ({ part }: ReadPage) => {
    return new Map(
      named(part('fields'), 'div').map((pair) => {
        const [name = '', value = ''] = named(pair, 'dt', 'dd').map(getText);
        return [name.split(' ').at(-1) ?? '', value] as const;
      }),
    );
  };

  it('has its fields, and each version with its changes', async () => {
    const { page } = await openPages(HISTORY);
    const shown = await page('/videos/main/104/1');
    expect(shown.title).toBe('third · Vodhouse test');
    expect(linksIn(shown.part('content')).slice(0, 2)).toEqual([
      ['/packages', 'Packages'],
      ['/packages/main/104', 'Package 104'],
    ]);
    expect(shown.partText('content')).toContain(
      'live first seen 2026-03-01 12:00:00, last changed 2026-03-05 09:00:00',
    );
    const fields = fieldsOn(shown);
    expect(Object.fromEntries([...fields].filter(([, value]) => value !== 'not provided'))).toEqual({
      title: 'third',
      cdate: '2026-02-01 10:20:30.5',
      duration: '61000 ms (1:01)',
      filesize: '5 bytes (5 B)',
      tag: 'empty',
      v_framerate: '29.97',
    });
    expect(fields.size).toBe(22);
    const [folded] = named(shown.part('fields'), 'details');
    expect(folded && getText(folded)).toMatch(/^17 empty fields Content identifier cid not provided /);
    expect(named(shown.part('fields'), 'dt').map(getText)).toContain('Video width v_width');
    const versions = named(shown.part('versions'), 'li').map((item) => [
      getText(named(item, 'p')[0] ?? item),
      ...named(item, 'div').map(getText),
    ]);
    expect(versions).toEqual([
      [
        '2026-03-05 09:00:00 edited',
        'Playback length duration 60000 61000',
        'Frame rate v_framerate not provided 29.97',
        'File size filesize 1073741824 5',
      ],
      ['2026-03-04 09:00:00 restored', 'Title title second third'],
      ['2026-03-03 09:00:00 removed'],
      ['2026-03-02 09:00:00 edited', `Title title ${NAME(1)} second`, 'Tags tag not provided empty'],
      ['2026-03-01 12:00:00 first known state'],
    ]);
    expect(shown.partText('versions-heading')).toBe('Versions 5');
  });

  it('has the time of the proof of one that was removed', async () => {
    const { page } = await openPages(HISTORY);
    const { partText, part } = await page('/videos/main/104/2');
    expect(partText('content')).toContain('removed at 2026-03-05 10:00:00');
    expect(named(part('versions'), 'li').map(getText)[0]).toBe('2026-03-05 10:00:00 removed');
  });

  it('exists for no other', async () => {
    const { page } = await openPages();
    const paths = ['main/104/61', 'main/999/1', 'nobody/104/1', 'main/104/x'];
    for (const path of paths) {
      expect((await page(`/videos/${path}`, 404)).partText('content')).toContain('No such package');
    }
  });

  it('shows a hundred versions, and does not mark the last of them as the first known one', async () => {
    const many = Array.from({ length: 130 }, (_, index) =>
      edit('id = 3', `2026-03-02 00:${String(index % 60).padStart(2, '0')}:00`, `title = 't${index}'`),
    );
    const { page, change } = await openPages(many.slice(0, 100));
    const page3 = await page('/videos/main/104/3');
    expect(page3.partText('versions-heading')).toBe('Versions 101');
    expect(page3.partText('content')).toContain('first known state');
    change(...many.slice(100));
    const cut = await page('/videos/main/104/3');
    expect(cut.partText('versions-heading')).toBe('Versions the last 101');
    expect(named(cut.part('versions'), 'li')).toHaveLength(101);
    expect(cut.partText('content')).not.toContain('first known state');
    expect(getText(named(cut.part('versions'), 'li').at(-1) ?? cut.root)).toContain('title t28 t29');
  });

  it('contains neither playback key, and reports where only one of them changed', async () => {
    const { page } = await openPages([
      edit('id = 4', '2026-03-02 00:00:00', `access_key = 'k3y-one', org_access_key = 'k3y-two'`),
      edit('id = 4', '2026-03-03 00:00:00', `access_key = 'k3y-three'`),
      edit('id = 5', '2026-03-03 00:00:00', `access_key = 'k3y-four', removed_at = '2026-03-03 00:00:00'`),
    ]);
    const answers = [
      ...['/', '/packages/main/104', '/packages/main/104?removed=99', '/videos/main/104/4'],
      ...['/videos/main/104/5', '/packages/main/104?keyword=k3y', '/packages/main/104?find=k3y-one'],
    ];
    for (const path of answers) {
      const { text } = await page(path);
      expect(text.replaceAll('value="k3y"', '')).not.toContain('k3y');
    }
    const { part } = await page('/videos/main/104/4');
    expect(named(part('versions'), 'li').map(getText)[0]).toBe(
      '2026-03-03 09:00:00 edited: a field that is not shown',
    );
  });

  it('links to a thumbnail only where it is a web address', async () => {
    const addresses = [
      'https://images.example.test/1.jpg?a=1&b="2"',
      'HTTP://images.example.test/',
      'javascript:alert(1)',
      'JavaScript://%0aalert(1)',
      ' https://images.example.test/',
      '//images.example.test/',
      'data:text/html,<script>alert(1)</script>',
      'https://',
      'https:images.example.test',
      '/packages',
    ];
    const { page } = await openPages([
      ...addresses.map((address, index) =>
        edit(`id = ${index + 1}`, AT, `thumbnail_url = '${address}', thumbnail_sheet_url = '${address}'`),
      ),
    ]);
    const linked: string[] = [];
    for (const [index, address] of addresses.entries()) {
      const shown = await page(`/videos/main/104/${index + 1}`);
      expect(fieldsOn(shown).get('thumbnail_url')).toBe(address.trim());
      const links = named(shown.part('content'), 'a').filter(({ parent }) => parent?.name === 'dd');
      linked.push(...links.map(({ attributes }) => attributes.get('href') ?? ''));
      for (const { attributes } of links) expect(attributes.get('rel')).toBe('noreferrer noopener nofollow');
    }
    expect(linked).toEqual([addresses[0], addresses[0], addresses[1], addresses[1]]);
  });
});
