import { describe, expect, it } from 'vitest';
import { browse } from '../../support/browser/browser-request.ts';
import { execute, hashFile } from '../../support/fixtures/live-file.ts';
import {
  expectHarmless,
  findUnisolated,
  HOSTILE,
  HOSTILE_ROWS,
  showEverywhere,
} from '../../support/fixtures/hostile-texts.ts';
import { onlyMain, openPages } from '../../support/servers/open-pages.ts';
import { KEY, SERVICE_KEYS } from '../../support/servers/open-web-server.ts';
import { getExactText, named, rowsIn } from '../../support/read-html.ts';
import { withPassword } from '../../support/with-password.ts';

const CHALLENGE = 'Basic realm="vodhouse", charset="UTF-8"';
const FILES = ['/storage.svg', '/storage.csv', '/data/vodhouse.bi.db'];
const PAGES = [
  '/',
  '/?storage=other',
  '/storage?account=main&month=2026-03',
  '/storage?account=other',
  '/packages',
  '/packages?find=main&sort=size&page=2',
  '/changes?q=MAIN&package=104&kind=present',
  '/changes?q=none&in=tag&day=2026-03-01',
  '/packages/main/104',
  '/packages/main/104?q=main',
  '/packages/main/104?kind=removed',
  '/packages/main/102',
  '/packages/main/500',
  '/videos/main/104/3',
  '/changes',
  '/changes?package=104&kind=removed',
  '/changes?run=9&from=1.1',
  '/runs',
  '/runs?before=2',
  '/runs?before=x',
  '/data',
  '/data?question=which-tags-are-used-most',
];
const ABSENT = ['/packages/main/999', '/videos/main/104/999', '/runs/999', '/runs/x'];

/** Only files of the server itself may be loaded and run. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

describe('any text of the service', () => {
  it('is shown as text', async () => {
    const opened = await openPages(HOSTILE_ROWS);
    const printable = HOSTILE.filter((text) => !text.includes('\u0000'));
    for (const text of [HOSTILE[0], printable.join(' '), HOSTILE.join(' ')])
      await showEverywhere(text ?? '', opened);
    expect(opened.errors).toEqual([]);
  });

  it('is shown as text where it is a name in the config, or a part of the address', async () => {
    const packages = HOSTILE.map((name, index) => ({ id: 200 + index, name }));
    const { page } = await openPages([], { accounts: onlyMain([...packages, { id: 104, name: null }]) });
    const { root } = await page('/packages');
    expectHarmless(root);
    expect(findUnisolated(root)).toEqual([]);
    const shown = getExactText(root);
    for (const name of HOSTILE.filter((text) => !text.includes('\u0000'))) expect(shown).toContain(name);
    const text = HOSTILE.join('').slice(0, 1_000);
    const names = ['find', 'in', 'sort', 'q', 'package', 'kind'];
    const query = new URLSearchParams(names.map((name) => [name, text]));
    for (const path of ['/', '/packages', '/changes', '/packages/main/104'])
      expectHarmless((await page(`${path}?${query.toString()}`)).root);
  });
});

it('a page ignores an invalid query', async () => {
  const { page } = await openPages();
  const long = 'x'.repeat(5_000);
  const numbers = ['-1', 'x', '0', '1.5', '1e99', '', '9'.repeat(30), 'NaN', '%00'];
  const odd = [
    ...numbers.flatMap((number) => [`page=${number}`, `day=${number}`]),
    `find=${long}`,
    `q=${long}`,
    `storage=${long}`,
    `find=`,
    `q=%20`,
    '%',
    '&&&==?',
    'page=1&page=2',
    'find=a&find=b',
    'sort=id&sort=title',
    'q=a&q=b',
    'kind=all&kind=edited',
    'sort=nonsense',
    'sort=access_key',
    'direction=up',
    'in=access_key',
    'find[a]=b',
    '__proto__=x',
  ];
  await expect // the sums are read in the background, and the page refreshes itself more often until then
    .poll(async () => (await page('/packages')).text)
    .toContain('data-refresh="10"');
  const read = async (query: string) => {
    await page(`/?${query}`);
    const [all, one] = [await page(`/packages?${query}`), await page(`/packages/main/104?${query}`)];
    return [all.partText('packages'), rowsIn(one.part('videos')).join()];
  };
  const plain = await read('');
  for (const query of odd) expect([query, await read(query)]).toEqual([query, plain]);
});

describe('every page', () => {
  it('restricts what the browser may run and load', async () => {
    const { page } = await openPages();
    for (const [paths, status] of [
      [PAGES, 200],
      [ABSENT, 404],
    ] as const) {
      for (const path of paths) {
        const { headers, root } = await page(path, status);
        expect([path, headers['content-security-policy']]).toEqual([path, POLICY]);
        expect([headers['x-content-type-options'], headers['cache-control']]).toEqual([
          'nosniff',
          'no-cache',
        ]);
        expectHarmless(root);
      }
    }
  });

  it('does not change the live file', async () => {
    const { page, live, close } = await openPages();
    execute(live, 'pragma wal_checkpoint(truncate)');
    const before = hashFile(live);
    for (const path of PAGES) await page(path);
    await close();
    expect(hashFile(live)).toBe(before);
  });

  it('is rejected where its address is longer than sixteen thousand characters', async () => {
    const { url, errors } = await openPages();
    for (const path of ['/', '/packages/main/104']) {
      const { status } = await browse(`${url}${path}?find=${'x'.repeat(20_000)}`);
      expect([path, status]).toEqual([path, 431]);
    }
    expect(errors).toEqual([]);
  });

  it('is a not-found page for any unknown address', async () => {
    const { page } = await openPages();
    const ids = [
      'abc',
      '1e2',
      '0x68',
      '104.0',
      '-104',
      '+104',
      '%20104',
      '0104',
      '104%00',
      '9'.repeat(20),
      '%F0%9F%98%80',
    ];
    for (const id of ids) {
      await page(`/packages/main/${id}`, 404);
      await page(`/videos/main/${id}/1`, 404);
      await page(`/videos/main/104/${id}`, 404);
    }
    const names = ['%6Dain%20', '%3Cscript%3E', 'main%2F104', "main'--", '%EA%B0%80', '__proto__'];
    for (const name of names) {
      const { root } = await page(`/packages/${name}/104`, 404);
      expectHarmless(root);
      await page(`/videos/${name}/104/1`, 404);
    }
    await page('/packages/%6Dain/104');
    await page('/storage?account=%6Dain');
  });

  it('is never an error of the server, also for an invalid address', async () => {
    const { url, errors } = await openPages();
    for (const path of [
      '/packages/%/104',
      '/packages/%ff/104',
      '/videos/%E0%A4%A/104/1',
      '/storage/%ZZ',
      `/storage/${'x'.repeat(200)}`,
    ]) {
      const { status } = await browse(`${url}${path}`);
      expect([path, [400, 404].includes(status)]).toEqual([path, true]);
    }
    for (const path of ['/packages/', '/packages/main', '/packages/main/104/', '/none']) {
      expect([path, (await browse(`${url}${path}`)).status]).toEqual([path, 404]);
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await browse(url, { method })).status).toBe(404);
    }
    expect(errors).toEqual([]);
  });
});

describe('with keys', () => {
  it('every page and its files ask for a key as the password', async () => {
    const { page, url } = await openPages([], { keys: [KEY] });
    for (const path of [...PAGES, ...ABSENT, '/packages/nobody/x', ...FILES]) {
      const answer = await browse(`${url}${path}`);
      expect([path, answer.status, answer.headers['www-authenticate']]).toEqual([path, 401, CHALLENGE]);
      expect(JSON.parse(answer.text)).toEqual({ error: expect.stringContaining('server.keys') as string });
    }
    const headers = withPassword(KEY);
    for (const path of PAGES) {
      const { root, headers: pageHeaders } = await page(path, 200, { headers });
      expect(pageHeaders['cache-control']).toBe('no-store');
      const methods = named(root, 'form').map(({ attributes }) => attributes.get('method') ?? 'get');
      expect(new Set(methods)).toEqual(new Set(['get'])); // the pages change nothing
    }
    for (const path of ABSENT) await page(path, 404, { headers });
  });

  it('no response contains a key of the server or of the service', async () => {
    const { url } = await openPages([], { keys: [KEY] });
    for (const headers of [withPassword(KEY), { 'x-api-key': KEY }, {}]) {
      for (const path of [...PAGES, ...ABSENT, '/nothing', `/?key=${KEY}`]) {
        const answer = await browse(`${url}${path}`, { headers });
        const all = JSON.stringify(answer.headers) + answer.text;
        for (const secret of [...SERVICE_KEYS, KEY, withPassword(KEY).authorization.slice(6)]) {
          expect([path, all.includes(secret)]).toEqual([path, false]);
        }
      }
    }
  });
});
