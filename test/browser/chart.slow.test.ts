import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts';
import { axisLabels, coloursAt, recordPaintedTexts } from '../support/browser/painted.ts';
import { openSite, buildPage, type Site } from '../support/browser/site.ts';
import { storageAnswer, type StorageAnswer } from '../support/browser/storage-answer.ts';

const FIGURE = `<h1>Storage</h1><figure class="chart" data-chart="/storage.json?account=main">
  <details id="figures"><summary>Figures</summary><p>One table</p></details></figure>`;
const ALL_COLOURS = [1, 2, 3, 4, 5];

let browser: TestBrowser;
let site: Site;
let complaints: string[];

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  site = await openSite();
  site.answer('/', { body: buildPage(FIGURE) });
  complaints = [];
});
afterEach(async () => {
  await site.close();
  expect(complaints).toEqual([]);
});

async function show(answer: StorageAnswer, options: BrowserContextOptions = {}): Promise<Page> {
  site.answer('/storage.json', { body: JSON.stringify(answer) });
  const watched = await browser.newPage({ viewport: { width: 900, height: 700 }, ...options });
  complaints = watched.complaints;
  onTestFinished(() => watched.page.context().close());
  await recordPaintedTexts(watched.page);
  await watched.page.goto(site.origin);
  await watched.page.waitForSelector('figure[data-points]');
  return watched.page;
}

/** The position of a day in a plot of all days, between 0 and 1, with padding at both ends. */
const getPosition = (at: number, days: number) => (at / (days - 1) + 0.015) / 1.03;

const counts = (page: Page) =>
  page.evaluate<Record<string, string>>(`({ ...document.querySelector('figure').dataset })`);
const readLegend = async (page: Page) => ({
  day: await page.locator('.chart-day').textContent(),
  sizes: await page.locator('.chart-sizes dd').allTextContents(),
});
const pressed = (page: Page) => page.locator('.chart-ranges button[aria-pressed="true"]').allTextContents();
const buttons = (page: Page) => page.locator('.chart-ranges button:visible').allTextContents();

async function dragOver(page: Page, from: number, to: number): Promise<void> {
  const box = await page.locator('.u-over').boundingBox();
  if (!box) throw new Error('there is no plot');
  await page.mouse.move(box.x + box.width * from, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), box.y + 70);
  await page.mouse.move(box.x + box.width * to, box.y + 80);
  await page.mouse.up();
}

describe('the plot', () => {
  test('800 days with gaps: as many points as days with figures, and nothing through a gap', async () => {
    const gaps = Array.from({ length: 40 }, (_, at) => 200 + at);
    const page = await show(storageAnswer(800, { gaps }));
    expect(await counts(page)).toMatchObject({ points: '760', days: '800' });
    expect(await coloursAt(page, getPosition(300, 800))).toEqual(ALL_COLOURS);
    expect(await coloursAt(page, getPosition(800 - 220, 800))).toEqual([]);
    expect(await coloursAt(page, getPosition(800 - 150, 800))).toEqual(ALL_COLOURS);
    expect(await axisLabels(page)).toEqual({
      days: 'Nov 2024 Jan 2025 Mar May Jul Sep Nov Jan 2026 Mar May Jul Sep Nov'.split(' '),
      sizes: ['0', '0.5 TiB', '1 TiB', '1.5 TiB', '2 TiB', '2.5 TiB'],
    });
    expect(await buttons(page)).toEqual(['30 days', '90 days', '1 year', 'All']);
    expect(await page.locator('.plot').getAttribute('aria-label')).toMatch(
      /^Storage of main by day: from [\d.]+ TiB on 2024-09-14 to [\d.]+ TiB on 2026-11-22 \(today, live\)\.$/,
    );
  });

  test('three days: an area, a label for every day, no buttons', async () => {
    const page = await show(storageAnswer(3));
    expect(await counts(page)).toMatchObject({ points: '3', days: '3' });
    expect((await axisLabels(page)).days).toEqual(['20 Nov', '2026', '21 Nov', '22 Nov']);
    expect(await coloursAt(page, 0.3)).toEqual(ALL_COLOURS);
    expect(await buttons(page)).toEqual([]);
  });

  test('a single day: a column in the middle', async () => {
    const page = await show({ ...storageAnswer(1), live: null });
    expect(await counts(page)).toMatchObject({ points: '1', days: '1' });
    expect((await axisLabels(page)).days).toEqual(['22 Nov', '2026']);
    expect(await coloursAt(page, 0.5)).toEqual(ALL_COLOURS);
    expect(await coloursAt(page, 0.4)).toEqual([]);
    expect(await page.locator('.chart-live').isVisible()).toBe(false);
  });

  test('a day between two gaps: a column', async () => {
    const page = await show(storageAnswer(40, { gaps: [10, 12] }));
    expect(await coloursAt(page, getPosition(40 - 1 - 11, 40))).toEqual(ALL_COLOURS);
    expect(await coloursAt(page, getPosition(40 - 1 - 10.3, 40))).toEqual([]);
  });

  test('no figures: no plot, and the text of the page itself', async () => {
    const page = await show({ ...storageAnswer(0), live: null });
    expect(await counts(page)).toMatchObject({ points: '0', days: '0' });
    expect(await page.locator('.plot').count()).toBe(0);
  });

  test('small sizes are in GiB', async () => {
    const small = storageAnswer(40);
    const page = await show({
      ...small,
      sizes: small.sizes.map((row) => row.map((size) => (size ?? 0) / 1000)),
    });
    expect((await axisLabels(page)).sizes).toEqual(['0', '0.5 GiB', '1 GiB', '1.5 GiB', '2 GiB', '2.5 GiB']);
  });
});

describe('the legend', () => {
  test('shows the last day, then the one under the cursor, with missing and unknown figures', async () => {
    const answer = storageAnswer(11, { gaps: [5] });
    answer.sizes[3]?.splice(0, 1, null);
    const page = await show(answer);
    const last = {
      day: '2026-11-22 (today, live)',
      sizes: ['1.21 TiB', '820 GiB', '180 GiB', '120 GiB', '50 GiB', '2.35 TiB'],
    };
    expect(await readLegend(page)).toEqual(last);
    const box = await page.locator('.u-over').boundingBox();
    if (!box) throw new Error('there is no plot');
    await page.mouse.move(box.x + box.width * getPosition(0, 11), box.y + 100);
    const first = await readLegend(page);
    expect(first.day).toBe('2026-11-12');
    expect(first.sizes.slice(3)).toEqual([
      'not provided',
      expect.stringMatching(/GiB$/),
      expect.stringMatching(/^≥ /),
    ]);
    await page.mouse.move(box.x + box.width * getPosition(5, 11), box.y + 100);
    expect(await readLegend(page)).toEqual({
      day: '2026-11-17',
      sizes: Array<string>(6).fill('unknown'),
    });
    await page.mouse.move(1, 1);
    expect(await readLegend(page)).toEqual(last);
  });
});

describe('the visible range', () => {
  test('follows a drag, and All and a double click reset it', async () => {
    const page = await show(storageAnswer(400));
    const allLabels = await axisLabels(page);
    expect(await page.locator('.chart-live').innerText()).toBe('today, live');
    await dragOver(page, 0.2, 0.3);
    expect((await axisLabels(page)).days).not.toEqual(allLabels.days);
    expect(await pressed(page)).toEqual([]);
    expect(await page.locator('.chart-live').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'All' }).click();
    expect(await axisLabels(page)).toEqual(allLabels);
    expect(await pressed(page)).toEqual(['All']);
    await dragOver(page, 0.5, 0.7);
    expect(await pressed(page)).toEqual([]);
    await page.locator('.u-over').dblclick();
    expect(await axisLabels(page)).toEqual(allLabels);
  });

  test('can be set with the keyboard', async () => {
    const page = await show(storageAnswer(100));
    expect(await buttons(page)).toEqual(['30 days', '90 days', 'All']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await pressed(page)).toEqual(['30 days']);
    expect((await axisLabels(page)).days).toEqual(['26 Oct', '2026', '2 Nov', '9 Nov', '16 Nov']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await pressed(page)).toEqual(['90 days']);
  });
});

describe('the time zone of the viewer', () => {
  test.each(['Pacific/Auckland', 'America/Los_Angeles', 'America/Santiago'])(
    '%s shifts no date',
    async (timezoneId) => {
      // in Santiago, clocks go back at midnight
      const answer = storageAnswer(5, { last: '2026-04-06' });
      const page = await show(answer, { timezoneId });
      expect((await axisLabels(page)).days).toEqual(['2 Apr', '2026', '3 Apr', '4 Apr', '5 Apr', '6 Apr']);
      expect((await readLegend(page)).day).toBe('2026-04-06 (today, live)');
    },
  );

  test('a change of the colour scheme repaints it', async () => {
    const page = await show(storageAnswer(60), { colorScheme: 'light' });
    const colours = () =>
      page.evaluate<string>(`getComputedStyle(document.documentElement).getPropertyValue('--chart-1')`);
    const light = await colours();
    expect(await coloursAt(page, 0.5)).toEqual(ALL_COLOURS);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => coloursAt(page, 0.5)).toEqual(ALL_COLOURS);
    expect(await colours()).not.toBe(light);
  });

  test('a phone: full width, less height, and the page scrolls over it', async () => {
    const page = await show(storageAnswer(400), {
      viewport: { width: 360, height: 640 },
      isMobile: true,
      hasTouch: true,
    });
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBe(360);
    expect((await page.locator('.plot').boundingBox())?.height).toBe(220);
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.u-over')).touchAction`)).toBe(
      'auto',
    );
    await page.locator('.u-over').tap();
    expect((await readLegend(page)).day).not.toContain('live');
    await page.setViewportSize({ width: 640, height: 360 });
    await expect.poll(async () => (await page.locator('.plot canvas').boundingBox())?.width).toBe(640 - 32);
    expect((await page.locator('.plot').boundingBox())?.height).toBe(280);
  });

  test.each(['light', 'dark'] as const)('axe finds no violation in a %s page', async (colorScheme) => {
    const page = await show(storageAnswer(400), { colorScheme });
    await page.evaluate(axe.source);
    const found = await page.evaluate<axe.AxeResults>(`globalThis.axe.run()`);
    expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  });
});

describe('figures that do not load', () => {
  test.each([
    ['an error', { status: 503, body: 'no' }, 'the server answered 503'],
    [
      'something else',
      { body: '{"account":"main","names":["A"],"dates":["2026-01-01"],"sizes":[]}' },
      'the sizes do not match',
    ],
  ])('%s leaves the text of the page itself, and one line', async (_what, answer, text) => {
    site.answer('/storage.json', answer);
    const watched = await browser.newPage();
    onTestFinished(() => watched.page.context().close());
    await watched.page.goto(site.origin);
    await expect
      .poll(() => watched.page.locator('figure > .notice').allTextContents())
      .toEqual([expect.stringContaining(text)]);
    expect(await watched.page.locator('.plot').count()).toBe(0);
    expect(await watched.page.locator('figure > details').count()).toBe(1);
    const isOfStatus = (line: string) => line.includes('status of 503');
    expect(watched.complaints.filter((line) => !isOfStatus(line))).toEqual([]);
  });

  test('and without uPlot', async () => {
    site.answer('/', { body: buildPage(FIGURE, { plots: false }) });
    site.answer('/storage.json', { body: JSON.stringify(storageAnswer(9)) });
    const watched = await browser.newPage();
    complaints = watched.complaints;
    onTestFinished(() => watched.page.context().close());
    await watched.page.goto(site.origin);
    await expect.poll(() => watched.page.locator('figure > .notice').count()).toBe(1);
    expect(await watched.page.locator('figure > *').count()).toBe(2);
  });
});
