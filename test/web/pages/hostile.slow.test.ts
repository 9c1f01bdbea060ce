import { expect, it } from 'vitest';
import {
  expectHarmless,
  HOSTILE,
  HOSTILE_ROWS,
  findUnisolated,
  showEverywhere,
} from '../../support/fixtures/hostile-texts.ts';
import { onlyMain, openPages } from '../../support/servers/open-pages.ts';
import { getExactText, rowsIn } from '../../support/read-html.ts';

it.each(HOSTILE)('a text of the service is shown as text, in any place (%#)', async (text) => {
  const opened = await openPages(HOSTILE_ROWS);
  await showEverywhere(text, opened);
  expect(opened.errors).toEqual([]);
});

it('a hostile name in the config is shown as text, and so is a query', async () => {
  const packages = HOSTILE.map((name, index) => ({ id: 200 + index, name }));
  const { page } = await openPages([], { accounts: onlyMain([...packages, { id: 104, name: null }]) });
  const { root } = await page('/packages');
  expectHarmless(root);
  expect(findUnisolated(root)).toEqual([]);
  for (const name of HOSTILE.filter((text) => !text.includes('\u0000'))) {
    expect(getExactText(root)).toContain(name);
    const text = name.slice(0, 1_000);
    const query = new URLSearchParams({
      find: text,
      in: text,
      sort: text,
      q: text,
      package: text,
      kind: text,
    });
    for (const path of ['/', '/packages', '/changes', '/packages/main/104']) {
      expectHarmless((await page(`${path}?${query.toString()}`)).root);
    }
  }
});

it('a page ignores an invalid query', async () => {
  const { page } = await openPages();
  const long = 'x'.repeat(5_000);
  const numbers = ['-1', 'x', '0', '1.5', '1e99', '', '9'.repeat(30), 'NaN', '%00'];
  const odd = [
    ...numbers.flatMap((number) => [`page=${number}`, `day=${number}`]),
    ...[`find=${long}`, `q=${long}`, `storage=${long}`, `find=`, `q=%20`, '%', '&&&==?'],
    ...['page=1&page=2', 'find=a&find=b', 'sort=id&sort=title', 'q=a&q=b', 'kind=all&kind=edited'],
    ...['sort=nonsense', 'sort=access_key', 'direction=up', 'in=access_key', 'find[a]=b', '__proto__=x'],
  ];
  await expect // the sums are read in the background, and the page refreshes itself more often until then
    .poll(async () => (await page('/packages')).text, { timeout: 30_000 })
    .toContain('data-refresh="10"');
  const read = async (query: string) => {
    await page(`/?${query}`);
    const [all, one] = [await page(`/packages?${query}`), await page(`/packages/main/104?${query}`)];
    return [all.partText('packages'), rowsIn(one.part('videos')).join()];
  };
  const plain = await read('');
  for (const query of odd) expect([query, await read(query)]).toEqual([query, plain]);
});
