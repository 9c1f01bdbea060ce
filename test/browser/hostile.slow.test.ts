/** The pages over a malicious service, whose values must stay text; and with keys. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts';
import { ATTACKS, hostileConfig } from '../support/fixtures/hostile-file.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { openSiteOver } from '../support/servers/open-web-server.ts';

const KEY = 'the-right-key-of-20';
const PAGES = [
  '/',
  `/?find=${encodeURIComponent(ATTACKS.script)}`,
  '/packages/main/101',
  `/packages/main/101?q=${encodeURIComponent(ATTACKS.image)}`,
  `/packages/main/101?kind=all&q=${encodeURIComponent('"><script>alert(1)</script>none')}`,
  '/packages/main/101?kind=removed',
  '/packages/main/102',
  '/videos/main/101/1',
  '/videos/main/101/8',
  '/videos/main/101/90',
  '/videos/main/104/1',
  '/storage?account=main&month=2026-03',
  '/changes',
  '/runs',
  '/storage?account=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&month=%22%3E',
  '/packages/%3Cimg%20src=x%20onerror=alert(1)%3E/1',
];

let browser: TestBrowser;
let complaints: string[];
/** Dialogs, and requests for anything but the parts of the pages. */
let violations: string[];

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(() => {
  complaints = [];
  violations = [];
});
afterEach(() => {
  expect(violations).toEqual([]);
  expect(complaints.filter((line) => !isOfStatus(line))).toEqual([]);
});

/** Console messages of a browser about an error page: 401, 404. */
const isOfStatus = (line: string) => /status of 40[14]/.test(line);
const KNOWN = /^\/(?:$|assets\/|changes|runs|packages\/|videos\/|storage|live\.json)/;

async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  const watched = await browser.newPage({ viewport: { width: 1000, height: 800 }, ...options });
  const { page } = watched;
  complaints = watched.complaints;
  onTestFinished(() => page.context().close());
  page.on('dialog', (dialog) => {
    violations.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!KNOWN.test(pathname) || /\/x$/.test(pathname)) violations.push(`a request: ${request.url()}`);
  });
  return page;
}

async function openHostile(options: BrowserContextOptions = {}) {
  const config = hostileConfig();
  const site = await openSiteOver(config);
  return { file: config.warehouse, site, page: await newPage(options) };
}

/** The traces that a successful attack would leave in a page. */
const traces = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const isForeign = (each) =>
      ['img', 'iframe', 'object', 'embed', 'base', 'style'].includes(each.localName) ||
      (each.localName === 'script' && (each.textContent !== '' || !each.getAttribute('src').startsWith('/assets/'))) ||
      [...each.attributes].some(({ name, value }) => name.startsWith('on') || /^\\s*javascript:/i.test(value)) ||
      (each.localName !== 'svg' && each.closest('svg') === null && each.namespaceURI !== document.documentElement.namespaceURI);
    return [...document.querySelectorAll('*')].filter(isForeign).map((each) => each.outerHTML.slice(0, 200));
  })()`);

const texts = (page: Page, selector: string) => page.locator(selector).allTextContents();

describe('text of the service', () => {
  test('executes nothing and loads nothing on any page', async () => {
    const { site, page } = await openHostile();
    for (const path of PAGES) {
      await page.goto(site.url + path);
      if (path.startsWith('/storage')) await page.waitForSelector('figure.chart svg');
      await page.locator('body').hover();
      await page.keyboard.press('Tab');
      expect([path, await traces(page), complaints.filter((line) => !isOfStatus(line))]).toEqual([
        path,
        [],
        [],
      ]);
    }
    expect(site.errors).toEqual([]);
  });

  test('reverses the direction of no other text', async () => {
    const { site, page } = await openHostile();
    const isBefore = (one: string, other: string) =>
      page.evaluate<boolean>(`(() => {
        const getLeft = (selector) => document.querySelector(selector).getBoundingClientRect().left;
        return getLeft(${JSON.stringify(one)}) < getLeft(${JSON.stringify(other)});
      })()`);
    await page.goto(`${site.url}/changes?package=main/104`);
    const inFirst = (what: string) => `#changes tbody tr:first-child td ${what}`;
    expect(await texts(page, inFirst('a'))).toEqual([`${ATTACKS.turned} ${ATTACKS.quotes} main`]);
    expect(await isBefore(inFirst('a'), inFirst('time'))).toBe(true);
    await page.goto(`${site.url}/videos/main/104/1`);
    expect(await isBefore('h1 bdi', 'h1 small')).toBe(true);
    expect(await isBefore('.crumbs li:first-child a', '.crumbs li:last-child a')).toBe(true);
  });

  test('stays text when it arrives in an open page', async () => {
    const { file, site, page } = await openHostile();
    await page.goto(site.url);
    const title = `<img src=x onerror=alert(2)> ${ATTACKS.close}`;
    execute(
      file,
      `update video set title = '${title}', changed_at = '2026-03-10 12:00:00', change_seq = 400 where id = 1 and package_id = 101;
       update warehouse_state set change_seq = 400;
       update walk set checkpoint_page = 3 where walk_id = 2;`,
    );
    site.clock.advance(6_000);
    const edited = async () => (await texts(page, '#changes')).join().replaceAll(/\s+/g, ' ');
    await expect.poll(edited, { timeout: 10_000 }).toContain(title.replaceAll(/\s+/g, ' '));
    await expect.poll(() => texts(page, '#progress .note bdi'), { timeout: 10_000 }).toEqual([ATTACKS.image]);
    expect(await traces(page)).toEqual([]);
  });

  test('is no wider than a phone', async () => {
    const { site, page } = await openHostile({ viewport: { width: 360, height: 740 }, isMobile: true });
    const long = 'W'.repeat(300);
    for (const path of PAGES.filter((each) => !each.includes('%3C'))) {
      await page.goto(site.url + path);
      expect([path, await page.evaluate(`[document.documentElement.scrollWidth, innerWidth]`)]).toEqual([
        path,
        [360, 360],
      ]);
      await page.evaluate(
        `for (const each of document.querySelectorAll('bdi')) each.textContent = '${long}'`,
      );
      expect([path, await tooWide(page)]).toEqual([path, []]);
    }
  });
});

/** Elements that overflow the page to the right and are in no box that scrolls, or that ends them with an ellipsis. */
const tooWide = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main *')]
    .filter((each) => each.getBoundingClientRect().right > 361 && !each.closest('.scroll *, .tile > *, .changes p *'))
    .map((each) => each.outerHTML.slice(0, 100))`);

describe('with keys', () => {
  test('a browser that has the password shows the pages, and they refresh themselves', async () => {
    const site = await openSiteOver(hostileConfig([KEY]));
    const page = await newPage({ httpCredentials: { username: 'anybody', password: KEY } });
    await page.goto(`${site.url}/packages/main/104?kind=all`);
    expect(await page.locator('h1 > bdi').textContent()).toBe(`${ATTACKS.turned} ${ATTACKS.quotes}`);
    await page.goto(site.url);
    const refreshed = await page.waitForResponse((response) => response.request().resourceType() === 'fetch');
    expect([refreshed.url(), refreshed.status()]).toEqual([`${site.url}/`, 200]);
  });

  test('a browser without it shows nothing', async () => {
    const site = await openSiteOver(hostileConfig([KEY]));
    const page = await newPage({ httpCredentials: { username: 'anybody', password: 'another-key' } });
    const answer = await page.goto(site.url).catch(() => null); // Chromium has no page for it
    expect(answer?.status() ?? 401).toBe(401);
    expect(await page.locator('main').count()).toBe(0);
  });
});
