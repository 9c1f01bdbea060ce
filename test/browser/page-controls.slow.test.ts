/** What the scripts add to the pages: times of the service, keys, buttons that copy; and the cards of a phone. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts';
import { openPages } from '../support/servers/open-pages.ts';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** The status page at noon UTC (21:00 in Seoul), where packages 102 and 103 were never read. */
async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const { url } = await openPages();
  const { page, complaints } = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(async () => {
    await page.context().close();
    expect(complaints.filter((line) => !line.startsWith('failed request'))).toEqual([]);
  });
  await page.goto(url);
  return page;
}

const asOf = (page: Page) => page.locator('#overall-status time');
const next = (page: Page) => page.locator('#progress .value');

test('times are of the zone of the service with UTC as title, or the other way round, and that is kept', async () => {
  const page = await open();
  expect(await asOf(page).innerText()).toBe('2026-03-10 21:00:00');
  expect(await asOf(page).getAttribute('title')).toBe('2026-03-10 12:00:00 UTC');
  expect(await next(page).innerText()).toBe('22:00');
  await page.getByRole('button', { name: 'Show UTC' }).click();
  expect(await asOf(page).innerText()).toBe('2026-03-10 12:00:00 UTC');
  expect(await page.locator('#times').innerText()).toMatch(/^times are UTC; days .* Asia\/Seoul/);
  await page.reload();
  expect(await asOf(page).innerText()).toBe('2026-03-10 12:00:00 UTC');
  expect(await asOf(page).getAttribute('title')).toBe('2026-03-10 21:00:00 Asia/Seoul');
  await page.getByRole('button', { name: 'Show local times' }).click();
  expect(await next(page).innerText()).toBe('22:00');
});

test('times are UTC without scripts, and the page says so', async () => {
  const page = await open({ javaScriptEnabled: false });
  expect(await asOf(page).innerText()).toBe('2026-03-10 12:00:00 UTC');
  expect(await page.locator('#times').innerText()).toContain('times are UTC');
  expect(await page.locator('footer button, .copy').count()).toBe(0);
});

test('keys open pages and go to the search, not while one types, and can be turned off', async () => {
  const page = await open();
  const path = () => new URL(page.url()).pathname;
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.waitForURL('**/packages');
  await page.keyboard.press('/');
  await page.keyboard.type('gs/');
  expect(await page.locator('main input[type="search"]').inputValue()).toBe('gs/');
  expect(path()).toBe('/packages');
  await page.evaluate(`document.activeElement.blur()`);
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.keyboard.press('/');
  expect(await page.evaluate(`document.activeElement.localName`)).toBe('button');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.waitForURL((url) => url.pathname === '/');
});

test('a button copies the command of a problem', async () => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  const item = page.locator('#problems li').filter({ hasText: 'main/102' });
  await item.getByRole('button', { name: 'Copy' }).click();
  await expect.poll(() => item.locator('.copy').innerText()).toBe('Copied');
  const copied = await page.evaluate<string>(`navigator.clipboard.readText()`);
  expect(copied).toBe(await item.locator('code').innerText());
  expect(copied).toContain('vodhouse sync --package 102');
});

test('on a phone each row is a card with labels, and nothing is wider than the screen', async () => {
  const page = await open({ viewport: { width: 375, height: 800 } });
  expect(
    await page.evaluate(`getComputedStyle(document.querySelector('#packages tbody td'), '::before').content`),
  ).toBe('"State"');
  const wide = await page.evaluate(
    `[...document.querySelectorAll('main table, main td, main th')].filter((each) => each.getBoundingClientRect().right > innerWidth).length`,
  );
  expect([wide, await page.evaluate(`document.documentElement.scrollWidth`)]).toEqual([0, 375]);
});
