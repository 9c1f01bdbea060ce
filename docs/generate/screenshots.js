/**
 * `npm run screenshots`: writes docs/images/*.png from the pages of a generated account with a month of
 * history. The history is the same each time: the script advances the clock. Needs Debian's chromium, and
 * fonts-noto-cjk and fonts-noto-color-emoji for the titles: they are in test/browser/debian-packages.txt.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { loadConfig } from '../../src/config/load.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { openWebServer } from '../../src/web/server.ts';
import { createServiceServer } from '../../src/service/server/server.ts';
import { DEFAULT_CONFIG } from '../../src/lib/shell-command.ts';
import { silentProgress } from '../../src/sync/context.ts';
import { openPipeline } from '../../src/app/pipeline.ts';

const CHROMIUM = '/usr/bin/chromium';
const IMAGES = new URL('../images/', import.meta.url);
const TIMEZONE = 'Asia/Seoul';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const TIB = 1024 ** 4;

const PACKAGES = [
  { id: 101, name: 'Lectures', videos: 2_400 },
  { id: 102, name: 'Webinars', videos: 620 },
  { id: 103, name: 'Campaigns', videos: 310 },
  { id: 104, name: 'Product tours', videos: 140 },
  { id: 105, name: 'Archive', videos: 0 },
];
const [WEBINARS, CAMPAIGNS] = [102, 103];

/**
 * A run a day, and one an hour on the last day. Two hours before the end a package fails; in the last run a
 * third of one is missing.
 */
const FIRST_RUN = Date.parse('2026-10-23T01:00Z');
const DAILY_RUNS = 30;
const HOURLY_RUNS = 8;
const CHANGES_A_DAY = 45;
const CHANGES_AN_HOUR = 14;
const VIEWED_AFTER_MS = 4 * 60_000;

/** Storage starts on the first of these days; the service never returned the others. */
const STORAGE_SINCE = '2025-11-01';
const UNSERVED = ['2026-07-06', '2026-07-07', '2026-07-08', '2026-07-09', '2026-07-10', '2026-07-11'];

/** The page and the size in pixels of each picture. */
const PICTURES = [
  { name: 'status-page', path: '/', width: 1280, height: 900, colorScheme: 'light' },
  { name: 'status-page-dark', path: '/', width: 390, height: 1192, colorScheme: 'dark' },
  { name: 'storage', path: '/storage', width: 1280, height: 800, colorScheme: 'light' },
  { name: 'package', path: '/packages/studio/101', width: 1280, height: 800, colorScheme: 'light' },
];

const folder = mkdtempSync(join(tmpdir(), 'vodhouse-screenshots-'));
try {
  const clock = createClock(FIRST_RUN);
  const config = await makeHistory(clock);
  clock.advance(VIEWED_AFTER_MS);
  const serving = await openWebServer(config, {
    clock,
    workerDeadReason: () => null,
    onError: (error) => console.error(error),
  });
  try {
    await takePictures(serving.url);
  } finally {
    await serving.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A clock that does not advance by itself; each sleep advances it. */
function createClock(start) {
  let now = start;
  return {
    now: () => now,
    sleep: async (ms) => {
      now += Math.max(0, Math.ceil(ms));
      await breath();
    },
    set: (ms) => (now = ms),
    advance: (ms) => (now += ms),
  };
}

/** Runs the month, and returns the config. */
async function makeHistory(clock) {
  const sandbox = createSandbox({ clock, packages: PACKAGES, timezone: TIMEZONE });
  const trouble = { failing: null, thinned: null };
  const server = createServiceServer({
    catalogue: createProxy(sandbox.catalogue, clock, trouble),
    now: clock.now,
    keys: [sandbox.key],
    defaultPageSize: 200,
    maxPageSize: 200,
    storageAuth: 'none',
  });
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 });
  const config = configFor(url, sandbox.key);
  const logger = createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined });
  const pipeline = openPipeline(config, { clock, logger, progress: silentProgress, command: 'screenshots' });
  const { signal } = new AbortController();
  const runAt = async (ms, changes, troubles = {}) => {
    sandbox.churn(changes);
    Object.assign(trouble, { failing: null, thinned: null, ...troubles });
    clock.set(ms);
    await pipeline.run({ trigger: 'schedule', signal });
  };
  try {
    for (let day = 0; day < DAILY_RUNS; day += 1) await runAt(FIRST_RUN + day * DAY_MS, day && CHANGES_A_DAY);
    const lastDay = FIRST_RUN + (DAILY_RUNS - 1) * DAY_MS;
    for (let hour = 1; hour <= HOURLY_RUNS; hour += 1) {
      const failing = hour === HOURLY_RUNS - 2 ? WEBINARS : null;
      const thinned = hour === HOURLY_RUNS ? CAMPAIGNS : null;
      await runAt(lastDay + hour * HOUR_MS, CHANGES_AN_HOUR, { failing, thinned });
    }
  } finally {
    await pipeline.close();
    await server.close();
    await sandbox.close();
  }
  return config;
}

function configFor(url, key) {
  const file = join(folder, 'vodhouse.yaml');
  const packages = PACKAGES.map(({ id, name }) => `{ id: ${id}, name: ${name} }`);
  const text = `warehouse: vodhouse.db
timezone: ${TIMEZONE}
accounts:
  - name: studio
    video_list: { base_url: ${url}, key: ${key}, page_size: 200 }
    storage: { base_url: ${url}, since: ${STORAGE_SINCE} }
    packages: [${packages.join(', ')}]
    limits: { concurrency: 1, per_second: 5, per_minute: 120, per_day: 20000 }
schedule: { full: "0 * * * *" }
server: { port: 0 }
`;
  writeFileSync(file, text);
  return { ...loadConfig(file, {}), file: DEFAULT_CONFIG }; // the commands on the page then have no `--config`
}

/**
 * The sandbox with other sizes of storage; each response advances the clock, and `trouble` changes the
 * lists.
 */
function createProxy(sandbox, clock, trouble) {
  const list = async (query, signal) => {
    if (query.packageId !== trouble.thinned) return sandbox.videos(query, signal);
    const all = await sandbox.videos({ ...query, page: 1, pageSize: 10_000 }, signal);
    const left = all.records.filter((_, index) => index % 3 > 0);
    const from = (query.page - 1) * query.pageSize;
    return { totalcount: left.length, records: left.slice(from, from + query.pageSize) };
  };
  return {
    storage: async (range) => {
      clock.advance(200);
      const { days } = await sandbox.storage(range);
      return { days: days.filter(({ date }) => !UNSERVED.includes(date)).map(resized) };
    },
    videos: async (query, signal) => {
      clock.advance(400);
      if (query.packageId === trouble.failing) throw new Error('the list cannot be made');
      return list(query, signal);
    },
  };
}

/** A day with five distinct sizes; old originals were deleted in spring. */
function resized(day) {
  const age = (Date.parse(day.date) - Date.parse(STORAGE_SINCE)) / DAY_MS;
  const size = (first, daily, wave) =>
    Math.round((first + daily * age + wave * Math.sin(age / 11) + wave * 0.1 * Math.sin(age * 1.7)) * TIB);
  return {
    ...day,
    encoder_size: size(3.1, 0.0092, 0.05),
    mov_org_size: size(2.2, 0.0071, 0.04) - (day.date < '2026-04-20' ? 0 : Math.round(0.85 * TIB)),
    ad_encoder_size: size(0.5, 0.0016, 0.03),
    ad_org_size: size(0.4, 0.0012, 0.02),
    image_size: size(0.25, 0.0007, 0.01),
  };
}

async function takePictures(url) {
  mkdirSync(IMAGES, { recursive: true });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    for (const { name, path, width, height, colorScheme } of PICTURES) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      await page.goto(url + path, { waitUntil: 'load' });
      const file = fileURLToPath(new URL(`${name}.png`, IMAGES));
      await page.screenshot({ path: file });
      console.log(`docs/images/${name}.png: ${Math.ceil(statSync(file).size / 1000)} kB`);
      await page.close();
    }
  } finally {
    await browser.close();
  }
}
