/** Texts from outside that are meant to do something in a page, put wherever a page shows any; and what a page may be. */
import { expect } from 'vitest';
import { insert } from './filled-live-file.ts';
import type { openPages } from './open-pages.ts';
import { elementsOf, exactTextOf, type Element } from './read-html.ts';

const AT = '2026-03-10 11:00:00';

export const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '</title><script>alert(2)</script>\u202egnp.exe',
  "'><script>alert(1)</script>",
  '</textarea></style><!-- <![CDATA[',
  '\u202egnp.exe',
  `'`,
  '"',
  '`${alert(1)}',
  '" style="color:red" onclick="alert(1)',
  '&lt;b&gt; &amp; &#x3c;script&#x3e;',
  'javascript:alert(1)',
  '\u0000\u0007\u001b[31m\u2028',
  'x'.repeat(5_000),
];

const ELEMENTS = new Set([
  ...[
    'html',
    'head',
    'meta',
    'title',
    'link',
    'script',
    'body',
    'header',
    'main',
    'footer',
    'section',
    'div',
  ],
  ...['nav', 'h1', 'h2', 'p', 'a', 'span', 'small', 'strong', 'i', 'bdi', 'code', 'time', 'del', 'ins'],
  ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'figure', 'details'],
  ...[
    'summary',
    'progress',
    'meter',
    'svg',
    'polyline',
    'form',
    'label',
    'input',
    'select',
    'option',
    'button',
  ],
]);
const ATTRIBUTES = new Set([
  ...['id', 'class', 'lang', 'charset', 'name', 'content', 'rel', 'type', 'href', 'src', 'defer', 'hidden'],
  ...[
    'role',
    'tabindex',
    'title',
    'datetime',
    'scope',
    'colspan',
    'for',
    'value',
    'min',
    'max',
    'low',
    'high',
  ],
  ...['optimum', 'method', 'action', 'selected', 'maxlength', 'reversed', 'width', 'height', 'viewBox'],
  ...['points', 'required', 'autocomplete', 'data-part', 'data-stamp', 'data-live', 'data-chart'],
]);
const ADDRESSES = ['href', 'src', 'action', 'data-live', 'data-chart'];

/** Nothing of the page runs, looks or leads otherwise than we wrote it: whatever texts are in it. */
export function expectHarmless(root: Element): void {
  expect(elementsOf(root).slice(1).flatMap(strangeIn)).toEqual([]);
}

function strangeIn({ name, attributes, children }: Element): string[] {
  const strange = [...attributes.keys()].filter((key) => !ATTRIBUTES.has(key) && !key.startsWith('aria-'));
  if (!ELEMENTS.has(name)) strange.push('the element');
  const isOurs = attributes.get('src')?.startsWith('/assets/') && children.length === 0;
  if (name === 'script' && !isOurs) strange.push('the script');
  for (const key of ADDRESSES) {
    const address = attributes.get(key);
    if (address === undefined || /^(\/(?![/\\])|#)/.test(address)) continue;
    const isLink = name === 'a' && key === 'href' && attributes.get('rel') === 'noreferrer noopener nofollow';
    if (!isLink || !/^https?:\/\//.test(address)) strange.push(`${key}=${address}`);
  }
  return strange.map((what) => `${name}: ${what}`);
}

/** Each text that turns the direction of what follows, and the elements around it that end its reach. */
export function loose(root: Element): Element[] {
  const isolating = ['bdi', 'title', 'p', 'td', 'option', 'h1'];
  return elementsOf(root).filter(
    ({ name, children }) =>
      children.some((child) => typeof child === 'string' && child.includes('\u202e')) &&
      !isolating.includes(name),
  );
}

/** As a literal of SQL, which ends at a NUL. */
const sql = (text: string) =>
  text
    .split('\u0000')
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(' || char(0) || ');

/** Every place that holds a text from outside holds this one. */
function everywhere(text: string): string[] {
  const columns = [
    'title',
    'series',
    'author',
    'content',
    'tag',
    'copyright',
    'etc',
    'cdate',
    'thumbnail_url',
  ];
  const all = columns.map((name) => `${name} = ${sql(text)}`).join(', ');
  return [
    `update video set ${all}, extra = json_object('f', ${sql(text)}), change_seq = change_seq + 1000 where id <= 3;`,
    `update video set title = 'x', change_seq = change_seq + 1000 where id = 2;`,
    `update package set name = ${sql(text)};`,
    `update run set error = ${sql(text)};`,
    `update walk set error = ${sql(text)};`,
    `update quarantine set reason = ${sql(text)}, record_id = ${sql(text)};`,
    `delete from drift;`,
    ...['new', 'missing', 'type'].map(
      (kind) =>
        `insert into drift values ('main', 'videos', ${sql(text)}, '${kind}', ${sql(text)}, '${AT}', '${AT}');`,
    ),
    `update pause set reason = ${sql(text)};`,
  ];
}

const walk = (row: Record<string, string | number>) =>
  insert('walk', {
    ...{ run_id: 1, account: 'main', mode: 'full', started_at: AT, origin_started_at: AT },
    ...{ finished_at: AT, package_id: 104, status: 'failed', ...row },
  });
/** Rows for `everywhere` to change: each kind of them once. */
export const HOSTILE_ROWS = [
  insert('run', { run_id: 1, trigger: 'manual', mode: 'full', status: 'failed', started_at: AT }),
  insert('run', { run_id: 2, trigger: 'manual', mode: 'full', status: 'running', started_at: AT }),
  walk({}),
  walk({ run_id: 2, package_id: 101, status: 'running' }),
  ...[1, 2, 3].map((id) =>
    insert('removal_candidate', {
      ...{ account: 'main', package_id: 104, id, proved_at: AT, walk_id: 1, held_back: 1 },
    }),
  ),
  insert('quarantine', {
    account: 'main',
    stream: 'videos',
    reason: '',
    raw: '',
    seen_at: AT,
    package_id: 104,
  }),
  insert('pause', {
    ...{ account: 'main', until: '2026-03-10 13:00:00', reason: '', since: AT },
    ...{ back_at: '2026-03-10 14:00:00', strikes: 1 },
  }),
  `update video set removed_at = '${AT}', change_seq = change_seq + 1000
   where account = 'main' and package_id = 104 and id in (3, 50);`,
];
/** Pages that show them. */
const pages = [
  ...['/', '/packages/main/104?sort=id&direction=asc', '/packages/main/104?removed=99', '/packages/main/500'],
  ...[1, 2, 3].map((id) => `/packages/main/104/videos/${id}`),
];

/** Shows the text in every place that holds one from outside, on every page: as text. */
export async function showEverywhere(
  text: string,
  { page, data, change }: Awaited<ReturnType<typeof openPages>>,
): Promise<void> {
  change(...everywhere(text));
  for (const path of pages) {
    const { root } = await page(path);
    expectHarmless(root);
    expect(loose(root).map(({ name }) => [path, name])).toEqual([]);
    if (!text.includes('\u0000')) expect(exactTextOf(root)).toContain(text);
  }
  const { progress } = (await data('/live.json')) as { progress: string };
  expect(progress).not.toMatch(/<(img|script)/);
}
