/** The demo as a new user sees it: one process, and a page that is open from its first second. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openBrowser, type TestBrowser, type WatchedPage } from '../support/browser/browser.ts';
import { focusable, focused, tabThrough } from '../support/browser/keyboard.ts';
import { ACCOUNT, startDemo, type RunningDemo } from '../support/browser/running-demo.ts';

vi.setConfig({ testTimeout: 75_000 });

const A_MINUTE = { timeout: 60_000, interval: 250 };
const WIDE = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const;

let browser: TestBrowser;
let demo: RunningDemo;
/** Opened during the first load of the demo; never reloaded. */
let first: WatchedPage;
/** Console errors of every page of every test. */
const complaints = new Set<string[]>();

beforeAll(async () => {
  browser = await openBrowser();
  first = await browser.newPage(WIDE);
  complaints.add(first.complaints);
  demo = await startDemo();
});
afterAll(async () => {
  await browser.close();
  await demo.close();
});
afterEach(() => {
  expect([...complaints].flat()).toEqual([]);
});

async function open(
  path: string,
  options: BrowserContextOptions = WIDE,
  prepare?: (page: Page) => Promise<void>,
): Promise<Page> {
  const watched = await browser.newPage(options);
  complaints.add(watched.complaints);
  onTestFinished(async () => {
    complaints.delete(watched.complaints); // requests in flight fail when the page closes
    await watched.page.context().close();
  });
  await prepare?.(watched.page);
  await watched.page.goto(demo.url + path);
  return watched.page;
}

/** Removals of Campaigns are held back; everything else is fresh. */
const HEADING = /^Attention: demo\/102 \(Campaigns\): \d+ removals held back/;
const heading = (page: Page) => page.locator('h1').innerText();

describe('an open page', () => {
  test('has a past, and follows the first run of the demo', async () => {
    const { page } = first;
    await page.goto(demo.url);
    await page.evaluate(`globalThis.token = 'the first load'`);
    await expect.poll(() => heading(page), { timeout: 30_000 }).toMatch(HEADING);
    await expect.poll(() => page.locator('#progress h2').innerText()).toBe('Last run: succeeded');
  });

  test('shows the changes of the account within a minute', async () => {
    const { page } = first;
    const started = performance.now();
    const newest = await notYetInTheWarehouse();
    const before = await page.locator('#changes ul').innerText();
    const all = async () => (await fetch(`${demo.url}/changes`)).text();
    await expect.poll(all, A_MINUTE).toContain(`/videos/${ACCOUNT}/101/${newest}`);
    await expect.poll(() => page.locator('#changes ul').innerText(), A_MINUTE).not.toBe(before);
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(await page.evaluate(`globalThis.token`)).toBe('the first load');
  });
});

/** A video of the account that the warehouse does not have yet; one is uploaded every few seconds. */
async function notYetInTheWarehouse(): Promise<number> {
  for (;;) {
    const newest = await demo.newestAtTheAccount();
    if (newest > Number(demo.value('select max(id) from video where package_id = 101'))) return newest;
    await sleep(100);
  }
}

describe('the keyboard', () => {
  test.each(['/', `/packages/${ACCOUNT}/101`, '/storage?month=2026-10'])(
    'reaches everything in order, and the focus is visible on %s',
    async (path) => {
      const page = await open(path, WIDE, keepAsItIs);
      const all = await focusable(page);
      expect(all[0]).toBe('a Skip to content');
      const stops = await tabThrough(page, all.length);
      expect(stops.map(({ what }) => what)).toEqual(all);
      expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([]);
      expect((await tabThrough(page, 1)).map(({ what }) => what)).toEqual(['body']);
    },
  );

  test('skips to the content', async () => {
    const page = await open('/packages/demo/101');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.querySelector('main').contains(document.activeElement)`)).toBe(true);
    expect((await focused(page)).what).toBe('a Packages');
  });
});

/** The page never refreshes: no answer comes. */
async function keepAsItIs(page: Page): Promise<void> {
  await page.route('**', async (route) => {
    if (route.request().resourceType() !== 'fetch') await route.continue();
  });
}

test.each([
  [1280, 900, 1],
  [375, 812, 2],
])('the status page fits on screens of %i x %i: %i', async (width, height, screens) => {
  const page = await open('/', { viewport: { width, height } });
  expect(await page.evaluate(`document.documentElement.scrollHeight`)).toBeLessThanOrEqual(screens * height);
});
