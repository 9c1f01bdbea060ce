/**
 * Every page at three widths, in light and dark: of one account, of three of which one does not answer, and
 * of 1,000 packages.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { axeFindings } from '../support/browser/axe.ts';
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts';
import { createVirtualClock, type VirtualClock } from '../support/clocks/virtual-clock.ts';
import { load } from '../support/fixtures/load-config.ts';
import { startTestWorker } from '../support/fixtures/test-worker.ts';
import { openSiteOver } from '../support/servers/open-web-server.ts';

/** In px: a wide screen, a small one, and a phone. */
const WIDTHS = [1440, 1024, 390];
const HEIGHT = 900;
const NOON_IN_SEOUL = '2026-03-01T03:00:00Z';

const NAMES = [
  'Lectures',
  'Webinars and recorded seminars of the faculty of engineering, 2019 to 2026',
  '강의 동영상 모음 (봄 학기)',
  'Onboarding 🎬',
];

interface Site {
  /** The last one of several does not answer in the last runs. */
  accounts: readonly string[];
  packages: number;
  /** Of each package. */
  videos: number;
  /** One a day. */
  runs: number;
}

const SITES = {
  one: { accounts: ['north'], packages: NAMES.length, videos: 60, runs: 8 },
  three: { accounts: ['north', 'south', 'west'], packages: NAMES.length, videos: 20, runs: 6 },
  large: { accounts: ['north'], packages: 1_000, videos: 2, runs: 1 },
} satisfies Record<string, Site>;

/** The pages that list packages or accounts. */
const LISTS = ['/', '/packages', '/packages/north/101', '/changes', '/runs', '/runs/1'];

const EVERY_PAGE = [
  ...LISTS,
  '/packages/north/101?kind=all',
  'first video of /changes?kind=edited',
  '/storage',
  '/storage?month=2026-03',
  '/data?question=how-much-did-storage-grow-month-by-month',
  '/nothing',
];

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Serves the pages of a worker with this history until the end of the test. Resolves with the address. */
async function openSite(site: Site): Promise<string> {
  const clock = createVirtualClock(NOON_IN_SEOUL);
  const packages = Array.from({ length: site.packages }, (_, at) => ({
    id: 101 + at,
    videos: site.videos,
    name: at < NAMES.length ? NAMES[at] : `${NAMES[at % NAMES.length] ?? ''} ${at}`,
  }));
  const sandboxes = site.accounts.map((name, seed) => createSandbox({ clock, packages, seed, keys: [name] }));
  const urls = await Promise.all(sandboxes.map((sandbox) => sandbox.listen().then(({ url }) => url)));
  for (const sandbox of sandboxes) onTestFinished(() => sandbox.close());
  const accounts = site.accounts.map((name, at) => ({
    name,
    video_list: { base_url: urls[at], key: name },
    storage: { base_url: urls[at], since: '2025-12-01' },
    packages: packages.map(({ id, name }) => ({ id, name })),
    limits: { per_second: null, per_minute: null, per_day: null },
  }));
  const config = load(
    // YAML has JSON in it
    JSON.stringify({
      warehouse: 'vodhouse.db',
      timezone: 'Asia/Seoul',
      schedule: { full: '0 3 * * *' },
      accounts,
      publish: {},
      server: { port: 0, title: 'Media library of the university' },
    }),
  );
  await makeHistory(config, clock, sandboxes, site.runs);
  if (!config.server) throw new Error('the config has no server');
  const { url, errors } = await openSiteOver({ ...config, server: config.server }, { clock });
  onTestFinished(() => expect(errors).toEqual([]));
  return url;
}

async function makeHistory(
  config: Config,
  clock: VirtualClock,
  sandboxes: readonly Sandbox[],
  runs: number,
): Promise<void> {
  const worker = startTestWorker({ ...config, server: null }, clock);
  await worker.settled;
  for (let run = 2; run <= runs; run += 1) {
    for (const sandbox of sandboxes) sandbox.churn(30);
    if (sandboxes.length > 1 && run === runs - 1) await sandboxes.at(-1)?.close();
    clock.advance(DAY_MS);
    await worker.tick();
  }
  await expect.poll(() => worker.publications.length).toBeGreaterThan(0);
  await worker.stop();
}

/**
 * What a reader does not see: texts that are cut without an ellipsis, a page that is wider than the screen,
 * and, where there is room for all of them, columns to scroll to.
 */
const findCut = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const isWider = (each) => each.scrollWidth > each.clientWidth;
    const isCut = (each) => {
      const { overflowX, textOverflow, display } = getComputedStyle(each);
      const isShortened = textOverflow === 'ellipsis' || display === '-webkit-box';
      return ['hidden', 'clip'].includes(overflowX) && !isShortened && !each.matches('.unseen, .unseen *');
    };
    const scrolls = (each) => innerWidth > 1000 && each.matches('.scroll');
    return [document.documentElement, ...document.querySelectorAll('body *')]
      .filter((each) => isWider(each) && (each.localName === 'html' || isCut(each) || scrolls(each)))
      .map((each) => each.cloneNode(false).outerHTML);
  })()`);

/** Some pages are found by the first link of a list. */
async function open(page: Page, url: string, path: string): Promise<void> {
  const [, list] = /^first video of (.*)$/.exec(path) ?? [];
  await page.goto(url + (list ?? path));
  if (list === undefined) return;
  const link = await page.locator('tbody th a').first().getAttribute('href');
  await page.goto(url + (link ?? ''));
}

test.each([
  ['one', EVERY_PAGE],
  ['three', EVERY_PAGE],
  ['large', LISTS],
] as const)(
  'no page of the %s cuts a text or is wider than the screen, and axe finds nothing',
  async (name, paths) => {
    const url = await openSite(SITES[name]);
    const { page, complaints } = await browser.newPage();
    onTestFinished(() => page.context().close());
    const findings: unknown[] = [];
    for (const path of paths) {
      await open(page, url, path);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        const found = [...(await findCut(page)), ...(await axeFindings(page))];
        if (found.length > 0) findings.push({ path, width, found });
      }
    }
    expect(findings).toEqual([]);
    expect(complaints.filter((line) => !line.includes('status of 404'))).toEqual([]);
  },
);
