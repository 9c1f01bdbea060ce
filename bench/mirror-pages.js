/**
 * Requests single pages of a large package in sequence: `measurePages(folder)` by id, `measureScans(folder)`
 * searches and sorts.
 */
import { join } from 'node:path';
import { request } from 'undici';
import { openDatabase } from '../dist/database/connection.js';
import { systemClock } from '../dist/lib/clock.js';
import { startWebProcess } from '../dist/web/process/supervisor.js';
import {
  ascending,
  listChildren,
  createConfig,
  readCpuMs,
  logger,
  ms,
  pagePath,
  quantile,
} from './mirror-config.js';
import { editFile, makePackageFile } from './mirror-file.js';

const MILLION = 1_000_000;
const SCANNED = 100_000;
const EDITS = 1_000;
const MOST_PAGE_MS = 50;
const MOST_SCAN_MS = 100;

/**
 * Runs `work` with a server over a file of one package, and a writer of that file; `measureRequest` returns
 * the milliseconds until the response was read.
 */
async function withServer(file, videos, work) {
  makePackageFile(file, videos);
  const { $client: db } = openDatabase(file, Date.now());
  const server = await startWebProcess(createConfig({ url: 'http://127.0.0.1', file, packages: 1 }), {
    clock: systemClock,
    logger,
    environment: process.env,
    signal: new AbortController().signal,
  });
  const pid = listChildren(process.pid).at(-1);
  const measureRequest = async (path) => {
    const [startedAt, cpuBefore] = [performance.now(), readCpuMs(pid)];
    const { statusCode, body } = await request(server.url + path);
    const text = await body.text();
    const took = performance.now() - startedAt;
    if (statusCode !== 200) throw new Error(`${path} returned ${statusCode}`);
    return { took, cpu: readCpuMs(pid) - cpuBefore, text };
  };
  try {
    await request(`${server.url}/healthz`).then(({ body }) => body.dump());
    await work({ measureRequest, db });
  } finally {
    await server.close();
    db.close();
  }
}

let seed = 1;
const below = (limit) => (seed = (seed * 48_271) % 2_147_483_647) % limit;

function report(name, answers, most = '') {
  const [took, cpu] = ['took', 'cpu'].map((figure) => ascending(answers.map((each) => each[figure])));
  const figures = [
    took.length,
    ms(quantile(took, 0.5)),
    ms(took.at(-1)),
    most,
    ms(quantile(cpu, 0.5)),
    ms(cpu.at(-1)),
  ];
  console.log(`${name.padEnd(40)}${figures.map((each) => String(each).padStart(9)).join('')}`);
}

function printHeading(text) {
  console.log(`\n${text}; median and max in ms, also of the server's CPU`);
  const columns = ['requests', 'median', 'max', 'most', 'CPU', 'max'];
  console.log(' '.repeat(40) + columns.map((name) => name.padStart(9)).join(''));
}

const show = (number) => number.toLocaleString('en-US');

export function measurePages(folder) {
  return withServer(join(folder, 'million.db'), MILLION, async ({ measureRequest, db }) => {
    const last = Math.ceil(db.prepare('select live_count from package').pluck().get() / 100);
    const deep = [1, ...[0.1, 0.5, 0.9].map((share) => Math.round(last * share)), last];
    const pages = [...deep, ...Array.from({ length: 20 }, () => 1 + below(last))];
    printHeading(
      `pages of 100 by id of ${show(MILLION)} videos in one package: first, 10 %, 50 %, 90 %, last, 20 random`,
    );
    report('the first request of the server', [await measureRequest(pagePath(1, deep[2]))], MOST_PAGE_MS);
    const each = async (before) => {
      const answers = [];
      for (const page of pages) {
        before();
        answers.push(await measureRequest(pagePath(1, page)));
        if (deep.includes(page)) verifyPage(db, page, answers.at(-1).text);
      }
      return answers;
    };
    report('each after the other', await each(() => {}), MOST_PAGE_MS);
    const after = { 'side by side': sideBySide, anywhere };
    for (const [where, places] of Object.entries(after)) {
      const answers = await each(() => editFile(db, places()));
      report(`each right after ${show(EDITS)} edits ${where}`, answers, MOST_PAGE_MS);
    }
  });
}

/** Like the changes of a walk after a series was edited. */
function sideBySide() {
  const first = below(MILLION - EDITS);
  return Array.from({ length: EDITS }, (_, index) => first + index);
}

/** Rarely two in the same thousand. */
function anywhere() {
  return Array.from({ length: EDITS }, () => below(MILLION));
}

/** The ids of a page by counting the rows before it. */
function verifyPage(db, page, text) {
  const pageIds = db.prepare(
    "select id from video where account = 'bench' and package_id = 1 and removed_at is null order by id limit 100 offset ?",
  );
  const wanted = pageIds.pluck().all((page - 1) * 100);
  const given = JSON.parse(text).videoInfoList.videoInfoList.map(({ id }) => id);
  if (wanted.join() !== given.join()) throw new Error(`page ${page} has other videos`);
}

/** Keywords for the files of mirror-file.js. Each is used once: the server caches results. */
const KEYWORDS = {
  many: ['강의', '소개', 'season', 'episode', 'campus'],
  few: ['12345', '23451', '34512', '45123', '51234'],
  none: ['zebra', '얼룩말', 'Season', 'campus ', 'no such words'].map((word) => `${word}#`),
};

export function measureScans(folder) {
  return withServer(join(folder, 'scans.db'), SCANNED, async ({ measureRequest, db }) => {
    printHeading(`searches and sorted lists, pages of 100, ${show(SCANNED)} videos in one package`);
    const first = await measureRequest(pagePath(1, 1, 'search_item=tag&keyword=a'));
    report('the first one, which starts the thread', [first]);
    for (const item of ['title', 'content'])
      for (const [kind, keywords] of Object.entries(KEYWORDS))
        await search({ measureRequest, db }, item, kind, keywords);
    for (const item of ['title', 'duration']) await sorted({ measureRequest, db }, item);
  });
}

async function search({ measureRequest, db }, item, kind, keywords) {
  const [first, next, hits] = [[], [], []];
  for (const keyword of keywords) {
    const more = `search_item=${item}&keyword=${encodeURIComponent(keyword)}`;
    first.push(await measureRequest(pagePath(1, 1, more)));
    next.push(await measureRequest(pagePath(1, 2, more)));
    hits.push(JSON.parse(first.at(-1).text).videoInfoList.paging.totalcount);
    verifyHits(db, item, keyword, hits.at(-1));
  }
  report(`${kind} in ${item} (${show(Math.max(...hits))}), first page`, first, MOST_SCAN_MS);
  report(`${' '.repeat(`${kind} in ${item}`.length)} next page`, next, MOST_SCAN_MS);
}

function verifyHits(db, item, keyword, totalcount) {
  const count = db.prepare(`select count(*) from video where removed_at is null and instr(${item}, ?) > 0`);
  const wanted = count.pluck().get(keyword);
  if (wanted !== totalcount) throw new Error(`${keyword} is in ${wanted} videos, not in ${totalcount}`);
}

/** An edit before each request invalidates the cached sort. */
async function sorted({ measureRequest, db }, item) {
  const [first, next] = [[], []];
  for (let count = 0; count < 5; count++) {
    editFile(db, [below(SCANNED)]);
    first.push(await measureRequest(pagePath(1, 1, `sort_item=${item}&sort_direction=asc`)));
    next.push(await measureRequest(pagePath(1, 2, `sort_item=${item}&sort_direction=asc`)));
  }
  report(`sorted by ${item}, first page`, first);
  report(`${' '.repeat(`sorted by ${item}`.length)}  next page`, next);
}
