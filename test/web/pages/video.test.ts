import { describe, expect, it } from 'vitest';
import { openPages, type ReadPage } from '../../support/servers/open-pages.ts';
import { getText, linksIn, named } from '../../support/read-html.ts';

const AT = '2026-03-10 11:00:00';

let seq = 1_000;
const edit = (ids: string, at: string, what: string) =>
  `update video set ${what}, changed_at = '${at}', change_seq = ${++seq}
   where account = 'main' and package_id = 104 and ${ids};`;

const HISTORY = [
  edit('id = 1', '2026-03-02 00:00:00', `title = 'second', tag = '', author = null`),
  edit('id = 1', '2026-03-03 00:00:00', `removed_at = '2026-03-03 00:00:00'`),
  edit('id = 1', '2026-03-04 00:00:00', `removed_at = null, title = 'the third'`),
  edit(
    'id = 1',
    '2026-03-05 00:00:00',
    `title = 'the fourth', filesize = 5, duration = 61000, v_framerate = 29.97, v_width = 1080, v_height = 1920,
     encoding_success = 'Y'`,
  ),
  edit(
    'id = 2',
    '2026-03-05 01:00:00',
    `removed_at = '2026-03-05 01:00:00', first_missing_at = '2026-03-04 00:00:00'`,
  ),
];

const fieldsOn = ({ part }: ReadPage) =>
  new Map(
    named(part('fields'), 'div').map((pair) => {
      const [name = '', value = ''] = named(pair, 'dt', 'dd').map(getText);
      return [name.split(' ').at(-1) ?? '', value] as const;
    }),
  );
/** Of each state: the change and its time, then the fields that it changed. */
const statesOn = ({ part }: ReadPage) =>
  named(part('history'), 'li').map((item) => [
    getText(named(item, 'p')[0] ?? item),
    ...named(item, 'div').map(getText),
  ]);

describe('the page of a video', () => {
  it('has what it is, its history with the words that changed, and its fields', async () => {
    const { page } = await openPages(HISTORY);
    const shown = await page('/videos/main/104/1');
    expect(shown.title).toBe('the fourth · Vodhouse test');
    expect(linksIn(shown.part('content')).slice(0, 2)).toEqual([
      ['/packages', 'Packages'],
      ['/packages/main/104', 'Package 104 (main)'],
    ]);
    expect(shown.partText('summary')).toBe('1:01 · 5 B · 1080 x 1920 · 29.97 fps · encoded');
    expect(statesOn(shown).map(([first]) => first)).toEqual([
      'edited 2026-03-05 09:00:00',
      'restored 2026-03-04 09:00:00',
      'removed 2026-03-03 09:00:00',
      'edited 2026-03-02 09:00:00',
      'imported 2026-03-01 12:00:00',
    ]);
    expect(statesOn(shown)[0]).toContain('Playback length duration 60000 ms (1:00) 61000 ms (1:01)');
    const [title] = named(shown.part('history'), 'dd');
    expect(title && ['del', 'ins'].flatMap((name) => named(title, name).map(getText))).toEqual([
      'third',
      'fourth',
    ]);
    const fields = fieldsOn(shown);
    expect(fields.size).toBe(22);
    expect(Object.fromEntries(fields)).toMatchObject({
      title: 'the fourth',
      tag: 'empty',
      author: 'not provided',
      filesize: '5 bytes (5 B)',
      duration: '61000 ms (1:01)',
      v_framerate: '29.97',
    });
  });

  it('has the time of a removal, and when that was first proved where it was held back', async () => {
    const { page } = await openPages(HISTORY);
    const shown = await page('/videos/main/104/2');
    expect(shown.partText('summary')).toBe('removed 1:00 · 1 GiB');
    expect(statesOn(shown)[0]).toEqual(['removed 2026-03-05 10:00:00, first missing 2026-03-04 09:00:00']);
  });

  it('exists for no other', async () => {
    const { page } = await openPages();
    for (const path of ['main/104/61', 'main/999/1', 'nobody/104/1', 'main/104/x'])
      expect((await page(`/videos/${path}`, 404)).partText('content')).toContain('No such package');
  });

  it('shows a hundred states before the present one, and says that they are the last', async () => {
    const many = Array.from({ length: 130 }, (_, index) =>
      edit('id = 3', `2026-03-02 00:${String(index % 60).padStart(2, '0')}:00`, `title = 't${index}'`),
    );
    const { page } = await openPages(many);
    const cut = await page('/videos/main/104/3');
    expect(cut.partText('history-heading')).toBe('History the last 101');
    expect(statesOn(cut)).toHaveLength(101);
    expect(statesOn(cut).at(-1)?.[1]).toBe('Title title t28 t29');
  });

  it('contains neither playback key, and reports where only one of them changed', async () => {
    const { page } = await openPages([
      edit('id = 4', '2026-03-02 00:00:00', `access_key = 'k3y-one', org_access_key = 'k3y-two'`),
      edit('id = 4', '2026-03-03 00:00:00', `access_key = 'k3y-three'`),
      edit('id = 5', '2026-03-03 00:00:00', `access_key = 'k3y-four', removed_at = '2026-03-03 00:00:00'`),
    ]);
    const ofPackage = ['', '?kind=removed', '?kind=all', '?q=k3y', '?q=k3y&in=etc'];
    const paths = ['/', '/changes', '/videos/main/104/4', '/videos/main/104/5'];
    for (const path of [...paths, ...ofPackage.map((query) => `/packages/main/104${query}`)])
      expect((await page(path)).text.replaceAll(/(?:value="|q=)k3y/g, '')).not.toContain('k3y');
    expect(statesOn(await page('/videos/main/104/4'))[0]).toEqual([
      'edited 2026-03-03 09:00:00 a field that is not shown',
    ]);
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
    const { page } = await openPages(
      addresses.map((address, index) => edit(`id = ${index + 1}`, AT, `thumbnail_url = '${address}'`)),
    );
    const linked: string[] = [];
    for (const [index, address] of addresses.entries()) {
      const shown = await page(`/videos/main/104/${index + 1}`);
      expect(fieldsOn(shown).get('thumbnail_url')).toBe(address.trim());
      const links = named(shown.part('fields'), 'a');
      linked.push(...links.map(({ attributes }) => attributes.get('href') ?? ''));
      for (const { attributes } of links) expect(attributes.get('rel')).toBe('noreferrer noopener nofollow');
    }
    expect(linked).toEqual(addresses.slice(0, 2));
  });
});
