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
const changesOf = (kind: string) => `#changes li:has(> .state:text-is("${kind}"))`;
const addresses = (page: Page, kind: string) =>
  page
    .locator(`${changesOf(kind)} > a`)
    .all()
    .then((links) => Promise.all(links.map((link) => link.getAttribute('href'))));
const formatPath = (id: unknown, packageId: unknown = 101) =>
  `/videos/${ACCOUNT}/${String(packageId)}/${String(id)}`;

describe('an open page', () => {
  test('has a past, and follows the first run of the demo', async () => {
    const { page } = first;
    await page.goto(demo.url);
    await page.evaluate(`globalThis.token = 'the first load'`);
    await expect.poll(() => heading(page), { timeout: 30_000 }).toMatch(HEADING);
    await expect.poll(() => page.locator('#progress h2').innerText()).toBe('Last run: succeeded');
  });

  test('has as many points in the chart of all days as the warehouse has days', async () => {
    const days = Number(demo.value('select count(*) from storage_day'));
    const { page } = await browser.newPage();
    await page.goto(`${demo.url}/storage`);
    expect(await page.locator('.chart-svg rect').count()).toBe(days + 1); // one more for the gap
    await page.close();
  });

  test('shows the changes of the account within a minute', async () => {
    const { page } = first;
    const started = performance.now();
    const newest = await notYetInTheWarehouse();
    const before = await page.locator('#changes ul').innerText();
    const all = async () => (await fetch(`${demo.url}/changes`)).text();
    await expect.poll(all, A_MINUTE).toContain(formatPath(newest));
    await expect.poll(() => page.locator('#changes ul').innerText(), A_MINUTE).not.toBe(before);
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(await page.evaluate(`globalThis.token`)).toBe('the first load');
    const { page: changes } = await browser.newPage();
    await changes.goto(`${demo.url}/changes?kind=edited`);
    await expectEdit(changes);
    await changes.close();
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

/** The first title edit on the page of all changes has both titles, as in the warehouse. */
async function expectEdit(page: Page): Promise<void> {
  const edit = page.locator('#changes th > a:has(del, ins)').first();
  const [, packageId, id] = /videos\/demo\/(\d+)\/(\d+)$/.exec((await edit.getAttribute('href')) ?? '') ?? [];
  const states = ['video', 'video_version'].map(
    (table) =>
      `select title, change_seq, changed_fields from ${table} where package_id = ${packageId ?? ''} and id = ${id ?? ''}`,
  );
  const lastEdit = `from (select *, lag(title) over (order by change_seq) as title_before from (${states.join(' union all ')})) where changed_fields like '%title %' order by change_seq desc limit 1`;
  const titleOf = (column: string) => String(demo.value(`select ${column} ${lastEdit}`)).trim();
  /** Its words but those of one side. */
  const without = (side: 'del' | 'ins') =>
    edit.evaluate((link: Element, name) => {
      const copy = link.cloneNode(true) as Element;
      for (const words of copy.querySelectorAll(name)) words.remove();
      return copy.textContent.trim();
    }, side);
  expect([
    await without('ins'),
    await without('del'),
    await edit.locator('del, ins').first().isVisible(),
  ]).toEqual([titleOf('title_before'), titleOf('title'), true]);
}

describe('without scripts', () => {
  test('the page shows the same facts', async () => {
    const page = await open('/', { ...WIDE, javaScriptEnabled: false });
    await waitUntilUnchanged(page);
    const texts = (selector: string) => page.locator(selector).allInnerTexts();
    expect(await heading(page)).toMatch(HEADING);
    expect(await page.locator('#problems').innerText()).toMatch(
      /\(Campaigns\): \d+ removals held back, too many at once/,
    );
    expect(await texts('#progress h2')).toEqual(['Last run: succeeded']);
    const packages = demo.rows(
      `select name, live_count from package where retired_at is null
        order by not exists (select 1 from removal_candidate where package_id = package.package_id), package_id`,
    );
    expect(await texts('#packages tbody th > a')).toEqual(packages.map((row) => row['name']));
    expect(await texts('#packages tbody td.number')).toEqual(
      packages.map((row) => counted(row['live_count'])),
    );
    expect(packages.map((row) => row['live_count'])).toEqual(
      demo
        .rows(
          `select package_id, (select count(*) from video where video.package_id = package.package_id
            and removed_at is null) as live from package
            order by not exists (select 1 from removal_candidate where package_id = package.package_id), package_id`,
        )
        .map((row) => row['live']),
    );
    await expectStorage(page);
    await expectRuns(page);
    await expectChanges(page);
  });
});

const counted = (number: unknown) => Number(number).toLocaleString('en');

/** Retries until nothing changed while the page was read: then SQL returns the same values as the page. */
async function waitUntilUnchanged(page: Page): Promise<void> {
  const moment = () =>
    demo.value(
      `select change_seq || ' ' || (select group_concat(run_id || status) from run) from warehouse_state`,
    );
  for (;;) {
    const before = moment();
    await page.goto(demo.url);
    if (before === moment() && !String(before).includes('running')) return;
    await sleep(200);
  }
}

async function expectStorage(page: Page): Promise<void> {
  const sizes = ['encoder_size', 'mov_org_size', 'ad_encoder_size', 'ad_org_size', 'image_size'];
  const sum = (table: string) => sizes.map((size) => `${table}.${size}`).join(' + ');
  const days = demo.rows(
    `select date, state, coalesce(${sum('storage_correction')}, ${sum('storage_day')}) as bytes
      from storage_day left join storage_correction using (account, date) order by date desc limit 14`,
  );
  const inTib = (bytes: unknown) => `${Number((Number(bytes) / 1024 ** 4).toPrecision(3))} TiB`;
  const [today] = days;
  expect(today?.['state']).toBe('live');
  await page.goto(`${demo.url}/storage`);
  expect(await page.locator('#storage-now').innerText()).toMatch(
    new RegExp(`^${inTib(today?.['bytes'])} on ${String(today?.['date'])}, so far \\(live\\) · \\+\\d`),
  );
  const booked = days.filter(({ state }) => state === 'booked');
  const month = String(booked[0]?.['date']).slice(0, 7);
  await page.goto(`${demo.url}/storage?month=${month}`);
  for (const { date, bytes } of booked.filter((day) => String(day['date']).startsWith(month))) {
    const row = page.locator('#days tr', { has: page.getByRole('rowheader', { name: String(date) }) });
    expect(await row.locator('td').nth(6).innerText()).toBe(inTib(bytes));
  }
  await page.goto(demo.url);
}

async function expectRuns(page: Page): Promise<void> {
  await page.goto(`${demo.url}/runs`);
  const lines = (await page.locator('#runs tbody tr:not(.why)').allInnerTexts()).slice(0, 5);
  const shown = lines.map((line) => line.split('\t').map((cell) => cell.trim()));
  const runs = demo.rows(
    `select run_id, run.status, run.requests, sum(added) as added, sum(removed) as removed
     from run join walk using (run_id) group by run_id order by run_id desc limit 5`,
  );
  expect(shown.length).toBeGreaterThan(1);
  const actual = shown.map(([which = '', , , status = '', , , , , requests]) => [
    ...[which.split(' ')[0], status.trim(), requests],
  ]);
  expect(actual).toEqual(runs.map((row) => [String(row['run_id']), row['status'], counted(row['requests'])]));
  expect(shown.map((cells) => [cells[4] || '0', cells[6] || '0'])).toEqual(
    runs.map((row) => [counted(row['added']), counted(row['removed'])]),
  );
}

async function expectChanges(page: Page): Promise<void> {
  const queries = {
    added: 'select package_id, id from video order by rowid desc limit 500',
    removed:
      'select package_id, id from video where removed_at is not null order by removed_at desc, rowid desc limit 500',
    edited: `select package_id, id from video_version join video using (account, package_id, id)
      where video.removed_at is null group by package_id, id order by max(video_version.rowid) desc limit 500`,
  };
  const counts = { added: 'added', edited: 'edited', removed: 'removed' };
  for (const [list, query] of Object.entries(queries)) {
    const shown = await addresses(page, list);
    const rows = demo.rows(query).map((row) => formatPath(row['id'], row['package_id']));
    const single = shown.filter((path) => path?.includes('/videos/'));
    expect(rows).toEqual(expect.arrayContaining(single));
    for (const path of shown.filter((each) => each?.startsWith('/changes'))) {
      const { searchParams: query } = new URL(path ?? '', demo.url);
      const [, packageId] = query.get('package')?.split('/') ?? [];
      const found = demo.value(
        `select sum(${counts[list as keyof typeof counts]}) from walk where run_id = ${query.get('run') ?? ''} and package_id = ${packageId ?? ''}`,
      );
      const line = page.locator(`${changesOf(list)} > a[href="${path ?? ''}"]`);
      expect(await line.innerText()).toBe(`${counted(found)} videos`);
    }
  }
  const titles = demo
    .rows('select title from video order by rowid desc limit 500')
    .map((row) => row['title']);
  const shown = await page.locator(`${changesOf('added')} > a[href*="/videos/"]`).allTextContents();
  expect(titles).toEqual(expect.arrayContaining(shown));
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
