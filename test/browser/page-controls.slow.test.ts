/** What the scripts add to the pages: buttons that copy; and the cards of a phone. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts';
import { insert } from '../support/fixtures/filled-live-file.ts';
import { openPages } from '../support/servers/open-pages.ts';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** The status page at noon UTC (21:00 in Seoul), where packages 102 and 103 were never read. */
async function open(options: BrowserContextOptions = {}, statements: readonly string[] = []): Promise<Page> {
  const { url } = await openPages(statements);
  const { page, complaints } = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(async () => {
    await page.context().close();
    expect(complaints.filter((line) => !line.startsWith('failed request'))).toEqual([]);
  });
  await page.goto(url);
  return page;
}

test('times are of the zone of the service, with and without scripts', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await open({ javaScriptEnabled });
    expect(await page.locator('#overall-status time').innerText()).toBe('2026-03-10 21:00:00');
    expect(await page.locator('#progress .note').innerText()).toBe('next full run at 22:00');
    expect((await page.locator('main .copy').count()) > 0).toBe(javaScriptEnabled);
  }
});

test('the key / puts the cursor into the search, where one can type it', async () => {
  const page = await open();
  const search = page.locator('#search');
  await page.keyboard.press('/');
  await page.keyboard.type('1/2');
  expect(await search.inputValue()).toBe('1/2');
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
  const pause = { account: 'main', until: '2026-03-10 13:00:00', reason: 'asked too often' };
  const at = { since: '2026-03-10 11:00:00', full_rate_at: '2026-03-10 14:00:00' };
  const restricted = insert('pause', { ...pause, ...at, consecutive_restrictions: 1 });
  const page = await open({ viewport: { width: 375, height: 800 } }, [restricted]);
  expect(
    await page.evaluate(`getComputedStyle(document.querySelector('#budgets tbody td'), '::before').content`),
  ).toBe('"In the last minute"');
  const wide = await page.evaluate(
    `[...document.querySelectorAll('main table, main td, main th')].filter((each) => each.getBoundingClientRect().right > innerWidth).length`,
  );
  expect([wide, await page.evaluate(`document.documentElement.scrollWidth`)]).toEqual([0, 375]);
});

test('on a phone the strip of runs begins at the newest one, and scrolls to the oldest', async () => {
  const at = { started_at: '2026-03-10 11:00:00', finished_at: '2026-03-10 11:01:00' };
  const run = insert('run', { trigger: 'schedule', mode: 'full', status: 'succeeded', ...at });
  const page = await open({ viewport: { width: 375, height: 800 } }, Array<string>(60).fill(run));
  await page.goto(new URL('/runs', page.url()).href);
  const runs = page.locator('.run-strip a');
  const isVisible = async (index: number) => {
    const shown = await runs.nth(index).boundingBox();
    return shown !== null && shown.x >= 0 && shown.x + shown.width <= 375;
  };
  expect([await isVisible(0), await isVisible(59)]).toEqual([false, true]);
  await page.evaluate(`document.querySelector('.run-strip .scroll').scrollLeft = -10_000`);
  expect([await isVisible(0), await isVisible(59)]).toEqual([true, false]);
});
