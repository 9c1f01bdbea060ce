import { expect, it } from 'vitest';
import {
  expectHarmless,
  HOSTILE,
  HOSTILE_ROWS,
  findUnisolated,
  showEverywhere,
} from '../../support/fixtures/hostile-texts.ts';
import { onlyMain, openPages } from '../../support/servers/open-pages.ts';
import { getExactText } from '../../support/read-html.ts';

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
      keyword: text,
      item: text,
      sort: text,
      q: text,
      package: text,
      kind: text,
    });
    for (const path of ['/', '/packages', '/videos', '/changes', '/packages/main/104']) {
      expectHarmless((await page(`${path}?${query.toString()}`)).root);
    }
  }
});

it('a page ignores an invalid query', async () => {
  const { page } = await openPages();
  const long = 'x'.repeat(5_000);
  const numbers = ['-1', 'x', '0', '1.5', '1e99', '', '9'.repeat(30), 'NaN', '%00'];
  const odd = [
    ...numbers.flatMap((number) => [`page=${number}`, `removed=${number}`]),
    ...[`find=${long}`, `keyword=${long}`, `storage=${long}`, `find=`, `find=%20`, '%', '&&&==?'],
    ...['page=1&page=2', 'find=a&find=b', 'sort=id&sort=title', 'keyword=a&keyword=b', 'removed=1&removed=2'],
    ...['sort=nonsense', 'sort=access_key', 'direction=up', 'item=access_key', 'find[a]=b', '__proto__=x'],
  ];
  await expect // the sums are read in the background
    .poll(async () => (await page('/packages')).partText('packages'), { timeout: 30_000 })
    .not.toContain('still being added up');
  const plain = {
    packages: (await page('/packages')).partText('packages'),
    package: (await page('/packages/main/104')).partText('videos-heading'),
  };
  for (const query of odd) {
    await page(`/?${query}`);
    if (
      /^(page|storage|removed|find=(x|$|%)|%|&|sort|keyword|direction|item|find\[|__)/.test(query) &&
      query !== 'direction=asc'
    ) {
      expect([query, (await page(`/packages?${query}`)).partText('packages')]).toEqual([
        query,
        plain.packages,
      ]);
    }
    const isRemoved = query === 'removed=1e99' ? [plain.package] : [plain.package, 'Removed videos'];
    expect(isRemoved).toContain((await page(`/packages/main/104?${query}`)).partText('videos-heading'));
  }
});
