import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addDays } from '../../src/lib/days.ts';
import { FIGURES } from '../../src/lib/storage-figures.ts';
import { insert, storageRow } from '../support/fixtures/filled-live-file.ts';
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts';
import { openPages } from '../support/servers/open-pages.ts';

const TODAY = '2026-03-10';
const GIB = 2 ** 30;

let browser: TestBrowser;
let url: string;

/** 100 days up to today, which is live; one is missing. */
const DAYS = Array.from({ length: 100 }, (_, age) => {
  const date = addDays(TODAY, -age);
  if (age === 20) return [];
  const state = age === 0 ? 'live' : 'booked';
  return [storageRow(date, (200 - age) * GIB, { account: 'other', state, image_size: 1 })];
}).flat();

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function open(
  path: string,
  options: BrowserContextOptions = {},
  more: readonly string[] = [],
): Promise<Page> {
  const pages = await openPages([
    'drop trigger storage_day_booked_delete;',
    'delete from storage_day;',
    ...DAYS,
    ...more,
  ]);
  url = pages.url;
  const { page, complaints } = await browser.newPage({ viewport: { width: 900, height: 700 }, ...options });
  onTestFinished(() => page.context().close());
  onTestFinished(() => expect(complaints).toEqual([]));
  await page.goto(url + path);
  return page;
}

const box = (page: Page) => page.locator('.chart-box');

async function pointAt(page: Page, share: number): Promise<void> {
  const plot = await page.locator('.chart-plot').boundingBox();
  if (!plot) throw new Error('there is no plot');
  await page.mouse.move(plot.x + plot.width * share, plot.y + 40);
}

describe('the chart', () => {
  test('has the figures of the day under the cursor in a box, and requests them once', async () => {
    const page = await open('/storage?account=other&range=30d');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await pointAt(page, 0.02);
    await expect.poll(() => box(page).locator('strong').innerText()).toBe('2026-02-09');
    expect(await box(page).locator('dt').allInnerTexts()).toEqual([
      ...['Images', 'Ad encoded', 'Ad originals', 'Encoded', 'Originals', 'Total'],
    ]);
    expect((await box(page).locator('dd').allInnerTexts()).slice(-2)).toEqual(['171 GiB', '684 GiB']);
    await pointAt(page, 0.99);
    await expect.poll(() => box(page).locator('strong').innerText()).toBe('2026-03-10 (live)');
    await page.mouse.move(1, 1);
    expect(await box(page).count()).toBe(0);
    expect(requests.filter((path) => !path.startsWith('/assets/'))).toEqual(['/storage.json']);
  });

  test('can be read with the arrow keys, and the box stays within the page', async () => {
    const page = await open('/storage?account=other&range=30d&chart=change');
    await page.locator('.chart-plot').focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => box(page).locator('strong').innerText()).toBe('2026-03-10 (live)');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => box(page).locator('strong').innerText()).toBe('2026-03-09');
    expect((await box(page).locator('dd').allInnerTexts()).at(-1)).toBe('+4 GiB');
    for (const key of ['Home', 'End']) {
      await page.keyboard.press(key);
      await expect.poll(() => box(page).count()).toBe(1);
      const shown = await box(page).boundingBox();
      expect(shown && shown.x >= 0 && shown.x + shown.width <= 900).toBe(true);
    }
    await page.keyboard.press('Escape');
    expect(await box(page).count()).toBe(0);
  });

  test('is there without scripts, with links for what it shows', async () => {
    const page = await open('/storage?account=other', { javaScriptEnabled: false });
    const plot = page.locator('figure.chart svg[role="img"]');
    expect(await plot.getAttribute('aria-label')).toMatch(
      /^Storage of other by day: from .* to .* \(today, live\)\.$/,
    );
    expect(await page.locator('.chart-level').count()).toBe(1);
    await page.getByRole('link', { name: 'Change per day' }).click();
    expect(await page.locator('.chart-growth').count()).toBe(2);
    await page.getByRole('link', { name: '30 days' }).click();
    expect(new URL(page.url()).search).toBe('?account=other&chart=change&range=30d');
    await page.getByRole('link', { name: '2026-02' }).click();
    expect(await page.locator('.months tbody tr').count()).toBe(2 + 28);
  });

  test('says that its figures cannot be read, and tries again', async () => {
    const page = await open('/storage?account=other&range=30d');
    await page.route('**/storage.json*', (route) =>
      route.fulfill({ contentType: 'application/json', body: '{' }),
    );
    await pointAt(page, 0.5);
    await expect.poll(() => box(page).innerText()).toContain('The figures could not be read');
    await page.unroute('**/storage.json*');
    await pointAt(page, 0.6);
    await expect.poll(() => box(page).locator('dd').count()).toBe(6);
  });

  test('fits a phone: no label over another one, and nothing wider than the screen', async () => {
    const page = await open('/storage?account=other&range=1y', {
      viewport: { width: 360, height: 640 },
      isMobile: true,
      hasTouch: true,
    });
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBe(360);
    const labels = await page.evaluate<
      { left: number; right: number }[]
    >(`[...document.querySelectorAll('.chart-text[text-anchor=middle]')]
      .filter((text) => text.getAttribute('dy') === '1.5em' && text.getClientRects().length > 0)
      .map((text) => text.getBoundingClientRect()).map(({ left, right }) => ({ left, right }))`);
    expect(labels.length).toBeGreaterThan(2);
    for (const [at, { left }] of labels.slice(1).entries())
      expect(left).toBeGreaterThan(labels[at]?.right ?? 0);
    await page.locator('.chart-plot').tap();
    await expect.poll(() => box(page).count()).toBe(1);
  });

  test.each([375, 1280])('has no mark over another one, %i pixels wide', async (width) => {
    const figures = Object.fromEntries(FIGURES.map((name) => [name, GIB]));
    const correction = { account: 'other', accepted_at: '2026-03-10 00:00:00', reason: 'x', ...figures };
    const corrected = ['2026-03-08', '2026-03-09'].map((date) =>
      insert('storage_correction', { ...correction, date }),
    );
    const page = await open('/storage?account=other', { viewport: { width, height: 800 } }, corrected);
    const [live, ...marks] = await page.evaluate<{ top: number; bottom: number; text: string }[]>(
      `[...document.querySelectorAll('.chart-mark')].map((mark) => {
        const { top, bottom } = mark.getBoundingClientRect();
        return { top, bottom, text: mark.textContent };
      }).sort((one, other) => one.top - other.top)`,
    );
    expect([live?.text, marks.length]).toEqual(['live', 2]);
    for (const { top } of marks) expect(live?.bottom).toBeLessThanOrEqual(top + 3); // glyphs are lower than their box
  });

  test.each(['light', 'dark'] as const)('axe finds no violation in a %s page', async (colorScheme) => {
    const page = await open('/storage?account=other&month=2026-03', { colorScheme });
    await page.evaluate(axe.source);
    const found = await page.evaluate<axe.AxeResults>(`globalThis.axe.run()`);
    expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  });
});

test('the image is drawn in other pages', async () => {
  const page = await open('/storage?account=other');
  const size = await page.evaluate(`(async () => {
    const image = new Image();
    image.src = '/storage.svg?account=other&range=30d';
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  })()`);
  expect(size).toEqual([960, 380]);
});
