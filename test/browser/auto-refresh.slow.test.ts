import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts';
import { serveScript } from '../support/servers/scripted-service.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'";
const FOLDERS: Record<string, URL> = {
  '/browser/': new URL('../../dist/browser/', import.meta.url),
  '/assets/': new URL('../../assets/', import.meta.url),
};
const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
};

const PAGE_STYLE = `
  :root { color-scheme: light dark; --ink: #16191d; --ink-soft: #565f6b; --line: #dadfe5; --surface: #ffffff; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e8ebee; --ink-soft: #a3adb8; --line: #343c46; --surface: #171b21; } }
  body { margin: 0; padding: 16px; background: var(--surface); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
  .scroll { overflow-x: auto; } .wide { width: 300vw; }`;

interface Answer {
  status?: number;
  body: string;
}

type Site = Awaited<ReturnType<typeof openSite>>;

/** Serves the scripts and styles, and the responses of the test. */
async function openSite() {
  const answers = new Map<string, () => Answer | Promise<Answer>>();
  const { url, requests, close } = await serveScript(async ({ path }) => {
    const type = TYPES[extname(path) || '.html'] ?? 'text/plain';
    const headers = { 'content-type': type, 'content-security-policy': POLICY };
    return { headers, ...((await answers.get(path)?.()) ?? fileAt(path)) };
  });
  /** Sets the response at a path. */
  const answer = (path: string, given: Answer | (() => Promise<Answer>)) =>
    void answers.set(path, typeof given === 'function' ? given : () => given);
  answer('/page.css', { body: PAGE_STYLE });
  answer('/favicon.ico', { body: '' });
  return { origin: url, answer, requests, close };
}

function fileAt(path: string): Answer {
  const folder = Object.keys(FOLDERS).find((each) => path.startsWith(each));
  if (folder === undefined) return { status: 404, body: 'There is no such address.' };
  return { body: readFileSync(new URL(path.slice(folder.length), FOLDERS[folder]), 'utf8') };
}

/** A page that loads the same files as a real one. */
function buildPage(body: string, { attributes = '', title = 'vodhouse' } = {}): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/assets/page.css">
<link rel="stylesheet" href="/page.css">
<link rel="stylesheet" href="/assets/chart.css">
<script type="module" src="/browser/page.js"></script>
</head><body${attributes}><main>${body}</main></body></html>`;
}

let browser: TestBrowser;
let site: Site;
let complaints: string[];

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  site = await openSite();
  serve('3 min ago');
  complaints = [];
});
afterEach(async () => {
  await site.close();
  expect(complaints).toEqual([]);
});

/** Changes what the server responds from now on; the page refreshes itself after `seconds`. */
function serve(text: string, seconds = 3): void {
  const body = `<h1>vodhouse</h1><p id="connection" role="status" hidden></p>
    <section id="runs" class="ago-${text.charAt(0)}" data-part><div class="scroll"><p class="wide">wide</p></div><p class="words">${text}</p>
      <details id="more"><summary>More</summary><p>${text}</p></details><a href="#there">There</a></section>
    <section id="storage" data-part><p class="words">${text}</p><code data-copy>vodhouse plan</code></section>`;
  const page = buildPage(body, { attributes: ` data-refresh="${seconds}"`, title: `vodhouse: ${text}` });
  site.answer('/', { body: page });
}

/** The page at noon, with a clock that does not move until a test advances it. */
async function open(): Promise<Page> {
  const watched = await browser.newPage({
    viewport: { width: 900, height: 900 },
    timezoneId: 'Asia/Seoul',
    locale: 'en-GB',
  });
  complaints = watched.complaints;
  const { page } = watched;
  onTestFinished(() => page.context().close());
  await page.clock.install({ time: new Date('2026-11-22T12:00:00Z') });
  await page.goto(site.origin);
  await page.waitForSelector('.copy');
  await page.clock.pauseAt(new Date('2026-11-22T12:00:10Z'));
  await settle(page);
  return page;
}

/** Advances the clock by seconds, a few at a time, and waits for the requests of each step. */
async function pass(page: Page, seconds: number): Promise<void> {
  for (let leftMs = Math.round(seconds * 1000); leftMs > 0; leftMs -= 3_000) {
    await page.clock.runFor(Math.min(leftMs, 3_000));
    await settle(page);
  }
}

/** Waits until the requests are answered and applied. */
async function settle(page: Page): Promise<void> {
  for (let round = 0; round < 4; round += 1)
    await page.evaluate(`fetch('/page.css').then((answer) => answer.text())`);
}

const countRequests = () => site.requests.filter(({ path }) => path === '/').length;
const readText = (page: Page) => page.locator('.words').allTextContents();
const connection = (page: Page) => page.locator('#connection');

/** Console messages of a browser about an error response or a missing one. */
const isOfFailure = (line: string) => /status of (?:401|503)|ERR_|^failed request/.test(line);

async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));`);
  await settle(page);
}

describe('the page', () => {
  test('is fetched again after the seconds that it names each time', async () => {
    const page = await open();
    const before = countRequests();
    serve('4 min ago', 1);
    await pass(page, 3);
    expect(countRequests()).toBe(before + 1);
    serve('5 min ago', 10);
    await pass(page, 1);
    expect(countRequests()).toBe(before + 2);
    await pass(page, 9);
    expect(countRequests()).toBe(before + 2);
    await pass(page, 1.1);
    expect(countRequests()).toBe(before + 3);
  });

  test('is not fetched while it is hidden, and is fetched as soon as it is visible', async () => {
    const page = await open();
    await hide(page, true);
    const before = countRequests();
    await pass(page, 50);
    expect(countRequests()).toBe(before);
    await hide(page, false);
    expect(countRequests()).toBe(before + 1);
  });

  /** From now on the server answers only when the returned function is called. */
  function answerLate(): () => void {
    let answerNow: () => void = () => undefined;
    site.answer('/', async () => {
      await new Promise<void>((resolve) => (answerNow = resolve));
      return { body: buildPage('<h1>Late</h1>', { attributes: ' data-refresh="3"', title: 'Late' }) };
    });
    return () => answerNow();
  }

  test('is never fetched twice at a time', async () => {
    const page = await open();
    let requests = 0; // the server sees only one: the browser delays an identical request
    page.on('request', (request) => void (requests += Number(new URL(request.url()).pathname === '/')));
    const answerNow = answerLate();
    await pass(page, 12);
    await hide(page, true);
    await hide(page, false);
    expect(requests).toBe(1);
    answerNow();
    await expect.poll(() => page.title()).toBe('Late');
  });

  test('is not fetched again where it was hidden during a request', async () => {
    const page = await open();
    const answerNow = answerLate();
    await pass(page, 3.1);
    await hide(page, true);
    const before = countRequests();
    answerNow();
    await expect.poll(() => page.title()).toBe('Late');
    await pass(page, 30);
    expect(countRequests()).toBe(before);
  });
});

describe('a refresh', () => {
  test('replaces the parts and the title, and a new command has its button', async () => {
    const page = await open();
    serve('1 s ago');
    await pass(page, 3.1);
    await expect.poll(() => readText(page)).toEqual(['1 s ago', '1 s ago']);
    expect(await page.title()).toBe('vodhouse: 1 s ago');
    expect(await page.locator('.copy').count()).toBe(1);
  });

  test('does not change an element with the focus or a selection until that ends', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'There' }).focus();
    serve('1 s ago');
    await pass(page, 3.1);
    await expect.poll(() => readText(page)).toEqual(['3 min ago', '1 s ago']);
    await page.evaluate(`document.activeElement.blur();
      getSelection().selectAllChildren(document.querySelector('#storage .words'))`);
    serve('2 s ago');
    await pass(page, 3.1);
    await expect.poll(() => readText(page)).toEqual(['2 s ago', '1 s ago']);
    await page.evaluate(`getSelection().removeAllRanges()`);
    await pass(page, 3.1);
    await expect.poll(() => readText(page)).toEqual(['2 s ago', '2 s ago']);
  });

  test('keeps open details open and the scroll position, and updates the class', async () => {
    const page = await open();
    await page.evaluate(`document.querySelector('.scroll').scrollLeft = 40`);
    await page.locator('#more summary').click();
    await page.evaluate(`document.activeElement.blur()`);
    serve('1 s ago');
    await pass(page, 3.1);
    await expect.poll(() => readText(page)).toEqual(['1 s ago', '1 s ago']);
    expect(await page.locator('#more').getAttribute('open')).toBe('');
    expect(await page.locator('#more p').innerText()).toBe('1 s ago');
    expect(await page.locator('#runs').getAttribute('class')).toBe('ago-1');
    expect(await page.evaluate(`document.querySelector('.scroll').scrollLeft`)).toBe(40);
  });
});

describe('a server that does not answer', () => {
  test('is reported with the time, is polled less and less, and the message disappears at the next response', async () => {
    const page = await open();
    site.answer('/', { status: 503, body: 'no' });
    const before = countRequests();
    await pass(page, 3.1);
    expect(await connection(page).innerText()).toMatch(
      /^No response from vodhouse since 21:00:1\d; this page shows the state at that time$/,
    );
    const waits = [3, 6, 12, 24, 30, 30];
    for (const [at, wait] of waits.entries()) {
      await pass(page, wait - 0.5);
      expect(countRequests()).toBe(before + 1 + at);
      await pass(page, 0.6);
      expect(countRequests()).toBe(before + 2 + at);
    }
    serve('3 min ago');
    await pass(page, 30);
    await expect.poll(() => connection(page).isHidden()).toBe(true);
    complaints = complaints.filter((line) => !isOfFailure(line));
  });

  test('differs from one that rejects the viewer: that reloads the page', async () => {
    const page = await open();
    site.answer('/', { status: 401, body: buildPage('<h1>Log in</h1>') });
    await Promise.all([page.waitForEvent('load'), page.clock.runFor(3_000)]);
    expect(await page.locator('h1').innerText()).toBe('Log in');
    const before = countRequests();
    await pass(page, 9);
    expect(countRequests()).toBe(before);
    complaints = complaints.filter((line) => !isOfFailure(line));
  });
});

test('a page that does not refresh itself fetches nothing', async () => {
  site.answer('/', { body: buildPage('<h1>Run 1</h1>') });
  const { page } = await browser.newPage();
  onTestFinished(() => page.context().close());
  await page.clock.install();
  await page.goto(site.origin);
  await pass(page, 70);
  expect(countRequests()).toBe(1);
});
