/**
 * Requests pages of the video list at a fixed rate, with and without a sync in progress:
 * `measureDuringSync(folder)`.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from 'undici';
import { readCpuMs, cpuMsOfAll, ms, nextMessage, pagePath, start } from './mirror-config.js';
import { requestSteadily } from './mirror-load.js';

const PACKAGES = 4;
const VIDEOS = 100_000;
const PER_SECOND = 200;
const SECONDS = 20;
const MOST_P99_MS = 25;
const PAGES = VIDEOS / PACKAGES / 100;

/** The measurements: the target of the requests, and the work of the worker (null: none). */
const WORK = [
  { name: 'floor', of: 'floor', sync: null },
  { name: 'no sync', of: 'server', sync: null },
  { name: 'sync at 5 requests/s', of: 'server', sync: { perSecond: 5 }, most: MOST_P99_MS },
  { name: 'sync without a limit', of: 'server', sync: {}, most: MOST_P99_MS },
  { name: 'the same, floor', of: 'floor', sync: {} },
  { name: 'and a first load', of: 'server', sync: { isLoading: true }, most: MOST_P99_MS },
];

/** Random pages; the same ones in each measurement. */
function createPaths() {
  let seed = 1;
  const below = (limit) => (seed = (seed * 48_271) % 2_147_483_647) % limit;
  return () => pagePath(1 + below(PACKAGES), 1 + below(PAGES));
}

export async function measureDuringSync(folder) {
  const children = [];
  const started = async (...parameters) => {
    const { child, message } = await start(...parameters);
    children.push(child);
    return { child, message };
  };
  try {
    const services = [];
    for (const isChanged of [false, true]) services.push(await startService(started, isChanged));
    const urls = services.map(({ message }) => `http://127.0.0.1:${message.port}`);
    const worker = await started('mirror-worker.js', ...urls, PACKAGES, join(folder, 'during-sync.db'));
    const { url, serverPid } = worker.message;
    const floor = await startFloor(started, `${url}${pagePath(1, 1)}`);
    printHeading();
    for (const work of WORK) {
      const [target, pid] = work.of === 'floor' ? [floor.url, floor.pid] : [url, serverPid];
      const pids = {
        answering: [pid],
        worker: [worker.child.pid],
        service: services.map(({ child }) => child.pid),
      };
      show(work, await measure(work, { target, pids, worker: worker.child }));
    }
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
  }
}

/** The list unchanged, or with one of a hundred videos changed; all its pages are rendered before. */
async function startService(started, isChanged) {
  const service = await started('server.js', PACKAGES, VIDEOS / PACKAGES);
  if (isChanged) {
    service.child.send('change');
    await nextMessage(service.child);
  }
  return service;
}

async function startFloor(started, page) {
  const { child } = await started('plain-answer.js');
  const { body } = await request(page);
  child.send({ text: await body.text() });
  const { url } = await nextMessage(child);
  return { url, pid: child.pid };
}

async function measure({ of, sync }, { target, pids, worker }) {
  if (sync) worker.send({ walks: true, ...sync });
  const all = { ...pids, client: [process.pid] };
  const cpu = () => {
    const ours = Object.entries(all).map(([name, list]) => [name, sum(list.map(readCpuMs))]);
    return [...ours, ['others', cpuMsOfAll() - sum(ours.map(([, value]) => value))]];
  };
  let before = [];
  let startedAt = 0;
  const counting = () => void ([before, startedAt] = [cpu(), performance.now()]);
  const load = await requestSteadily(target, createPaths(), {
    perSecond: PER_SECOND,
    seconds: SECONDS,
    counting,
  });
  const wallMs = performance.now() - startedAt;
  const shares = cpu().map(([name, value], index) => [name, (value - before[index][1]) / wallMs]);
  let synced = null;
  if (sync) {
    worker.send({ walks: false });
    synced = await nextMessage(worker);
  }
  if (of === 'server') load.samples.forEach(verify);
  return { ...load, shares: Object.fromEntries(shares), synced };
}

const sum = (values) => values.reduce((sum, value) => sum + value, 0);

/** The ids of a page are known: each package has the ids from 1 to its size. */
function verify({ path, text }) {
  const { videoInfoList } = JSON.parse(text).videoInfoList;
  const page = Number(/&page=(\d+)/.exec(path)[1]);
  const isRight = videoInfoList.every(({ id }, index) => id === (page - 1) * 100 + index + 1);
  if (!isRight || videoInfoList.length !== 100) throw new Error(`${path} returned other videos`);
}

const COLUMNS = ['req/s', 'p50 ms', 'p99 ms', 'most', 'max ms', 'failed', 'CPU ms'];
const CPU = ['answering', 'worker', 'service', 'client', 'others'];

function printHeading() {
  console.log(
    `${PER_SECOND} pages of 100 a second of ${VIDEOS.toLocaleString('en-US')} videos in ${PACKAGES} packages for ${SECONDS} s, ` +
      `latency from when a request was due; a sync walks\nagain and again through a list of which 1 % has changed each time; CPU in ms a page, and of each process in cores:`,
  );
  console.log(
    ' '.repeat(22) + [...COLUMNS, ...CPU].map((name) => name.padStart(name.length > 8 ? 11 : 9)).join(''),
  );
}

function show({ name, most }, { achieved, p50, p99, max, failures, shares, synced }) {
  const cpuMs = ((shares.answering * 1000) / achieved).toFixed(2);
  const figures = [achieved.toFixed(1), ms(p50), ms(p99), most ?? '', ms(max), failures, cpuMs].map((each) =>
    String(each).padStart(9),
  );
  const cpu = CPU.map((each) =>
    Math.max(0, shares[each])
      .toFixed(2)
      .padStart(each.length > 8 ? 11 : 9),
  );
  const syncRate =
    synced &&
    `  ${Math.round(synced.seen / synced.seconds)} videos/s seen, ${Math.round(synced.written / synced.seconds)} written`;
  console.log(`${name.padEnd(22)}${[...figures, ...cpu].join('')}${syncRate ?? ''}`);
}
