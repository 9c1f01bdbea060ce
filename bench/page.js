/**
 * The status page of a warehouse of 1,000 packages and 1,000,000 videos: response times, and the size of all
 * that it loads. `measureStatusPage(folder)`.
 */
import { join } from 'node:path';
import { request } from 'undici';
import { systemClock } from '../dist/lib/clock.js';
import { startWebProcess } from '../dist/web/process/supervisor.js';
import { ascending, listChildren, createConfig, readCpuMs, logger, ms, quantile } from './mirror-config.js';
import { makePagesFile } from './page-file.js';

const PACKAGES = 1_000;
const VIDEOS = 1_000_000;
const REPEATS = 30;
/** Of the status page: at the median, of the first one, and of all its files as a browser requests them. */
const MOST_MS = 60;
const MOST_FIRST_MS = 150;
const MOST_KB = 60;

const ADDRESSES = {
  'the status page': '/',
  'the packages by size': '/packages?sort=size',
  'packages found by their name': '/packages?find=campus',
  'storage of two years': '/storage',
  'what the page requests repeatedly': '/live.json',
  'all changes': '/changes',
  'the changes of a package': '/changes?package=500',
  'its removals': '/changes?package=500&kind=removed',
  'the changes of a run': '/changes?run=10',
  'all edits': '/changes?kind=edited',
  'a package': '/packages/bench/500',
  'its removed videos': '/packages/bench/500?kind=removed',
  'a search': '/changes?kind=present&q=nowhere',
  'a search in Korean': `/changes?kind=present&q=${encodeURIComponent('없는 강의')}`,
  'a video': '/videos/bench/500/5000100',
};

export async function measureStatusPage(folder) {
  const file = join(folder, 'pages.db');
  makePagesFile(file, { packages: PACKAGES, videos: VIDEOS, now: Date.now() });
  const config = createConfig({ url: 'http://127.0.0.1', file, packages: PACKAGES });
  const storage = {
    baseUrl: 'http://127.0.0.1',
    auth: 'none',
    key: '',
    since: null,
    settleMs: 0,
    recheckDays: 3,
    giveUpDays: 7,
  };
  const accounts = config.accounts.map((account) => ({ ...account, storage }));
  const surroundings = {
    clock: systemClock,
    logger,
    environment: process.env,
    signal: new AbortController().signal,
  };
  const server = await startWebProcess({ ...config, accounts }, surroundings);
  try {
    await measure(server.url);
  } finally {
    await server.close();
  }
}

async function measure(url) {
  const pid = listChildren(process.pid).at(-1);
  const show = (number) => number.toLocaleString('en-US');
  console.log(
    `\npages of ${show(PACKAGES)} packages and ${show(VIDEOS)} videos, each ${REPEATS} times: ms (the status page at most ${MOST_FIRST_MS} for the first one, and ${MOST_MS} at the median), and KB as HTML`,
  );
  console.log(
    ' '.repeat(40) + ['first', 'median', 'max', 'CPU', 'KB'].map((name) => name.padStart(9)).join(''),
  );
  for (const [name, path] of Object.entries(ADDRESSES)) {
    const answers = [];
    for (let count = 0; count < REPEATS; count++) answers.push(await measureRequest(url + path, pid));
    const [took, cpu] = ['took', 'cpu'].map((figure) => ascending(answers.map((each) => each[figure])));
    const figures = [answers[0].took, quantile(took, 0.5), took.at(-1), quantile(cpu, 0.5)].map(ms);
    const kb = ms(answers[0].text.length / 1000);
    console.log(name.padEnd(40) + [...figures, kb].map((each) => each.padStart(9)).join(''));
  }
  await weigh(url);
}

async function measureRequest(address, pid, headers = {}) {
  const [startedAt, cpuBefore] = [performance.now(), readCpuMs(pid)];
  const { statusCode, body } = await request(address, { headers });
  const text = Buffer.from(await body.arrayBuffer());
  const took = performance.now() - startedAt;
  if (statusCode !== 200) throw new Error(`${address} returned ${statusCode}`);
  return { took, cpu: readCpuMs(pid) - cpuBefore, text };
}

/** The size of all files of the page, uncompressed and as a browser requests them. */
async function weigh(url) {
  const pid = listChildren(process.pid).at(-1);
  const kb = async (path, headers) => (await measureRequest(url + path, pid, headers)).text.length / 1000;
  const loaded = await loadedBy(url, pid);
  const sums = {};
  for (const [name, headers] of [
    ['plain', {}],
    ['as br', { 'accept-encoding': 'br' }],
  ]) {
    sums[name] = 0;
    for (const path of loaded) sums[name] += await kb(path, headers);
  }
  console.log(
    `the status page with ${loaded.length - 1} more files: ${ms(sums.plain)} KB, compressed ${ms(sums['as br'])} KB (at most ${MOST_KB})`,
  );
}

/** The page, its files, and the imports of its scripts. */
async function loadedBy(url, pid) {
  const page = (await measureRequest(`${url}/`, pid)).text.toString();
  const found = ['/', ...[...page.matchAll(/(?:href|src)="(\/assets[^"]*)"/g)].map(([, path]) => path)];
  for (const path of found) {
    if (!path.endsWith('.js')) continue;
    const script = (await measureRequest(url + path, pid)).text.toString();
    for (const [, name] of script.matchAll(/from\s*['"]\.\/([^'"]+)['"]/g)) {
      const next = path.replace(/[^/]+$/, name);
      if (!found.includes(next)) found.push(next);
    }
  }
  return found.map((path) => path.replaceAll('&amp;', '&'));
}
