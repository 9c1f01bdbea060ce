/**
 * Compares publishing with its floor, `VACUUM INTO` of the same live file: `node bench/publish.js
 * [--million]`. It also measures how long publishing blocks the event loop, and the memory of its largest
 * process.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { Database } from '../dist/database/sqlite.js';
import { createPublisher } from '../dist/publishing/publisher.js';
import { makeLiveFile } from './live-file.js';

const ROUNDS = 7;
const LEAST_RATIO = 3;
const here = dirname(fileURLToPath(import.meta.url));
const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];
const show = (number) => Math.round(number).toLocaleString('en-US');

export function requestFor(folder) {
  return {
    live: join(folder, 'live.db'),
    file: join(folder, 'live.bi.db'),
    exclude: ['access_key', 'org_access_key'],
    timezone: 'Asia/Seoul',
    durationUnit: 'ms',
    storageAccounts: ['bench'],
    version: 'bench',
    command: 'bench',
  };
}

/** The duration of VACUUM INTO of this file, in milliseconds. */
export function vacuum(folder, name = 'live.db') {
  const into = join(folder, 'vacuum.db');
  rmSync(into, { force: true });
  const db = new Database(join(folder, name), { readonly: true });
  const startedAt = performance.now();
  db.prepare('vacuum into ?').run(into);
  const ms = performance.now() - startedAt;
  db.close();
  return ms;
}

/** Publishes like a worker, and measures its own event loop. */
async function publishApart(folder) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const publisher = createPublisher(requestFor(folder));
  delay.enable();
  const startedAt = performance.now();
  const { durationMs } = await publisher.publish(Date.now(), new AbortController().signal);
  const ms = performance.now() - startedAt;
  delay.disable();
  return { ms, innerMs: durationMs, stallMs: delay.max / 1e6 };
}

/** The peak memory of the largest child process, polled from /proc. */
export function watchMemory() {
  let most = 0;
  const poll = (pid) => {
    const read = (name) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    try {
      for (const child of read(`task/${pid}/children`).split(' ').filter(Boolean)) poll(child);
      if (pid !== process.pid && read('comm').trim() !== 'postgres')
        most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(read('status'))?.[1] ?? 0));
    } catch {
      // it has ended
    }
  };
  const timer = setInterval(() => poll(process.pid), 20);
  return () => {
    clearInterval(timer);
    return most / 1024;
  };
}

async function compare(videos) {
  const folder = mkdtempSync(join(here, '../data/bench-'));
  try {
    makeLiveFile(join(folder, 'live.db'), videos);
    const rounds = [];
    for (let round = 0; round < (videos > 100_000 ? 1 : ROUNDS); round++)
      rounds.push({ vacuumMs: vacuum(folder), ...(await publishApart(folder)) });
    const of = (name) => rounds.map((each) => each[name]);
    const ratio = median(of('ms')) / median(of('vacuumMs'));
    const stopWatching = watchMemory();
    await publishApart(folder); // separate from the measured rounds: polling takes time
    const rssMb = stopWatching();
    console.log(
      `publishing ${show(videos)} videos, each edited once (${show(statSync(join(folder, 'live.db')).size / 1e6)} MB): ` +
        `${show(median(of('ms')))} ms, of these ${show(median(of('innerMs')))} ms without the start of a process; ` +
        `VACUUM INTO of the live file ${show(median(of('vacuumMs')))} ms; ratio ${ratio.toFixed(2)} (at most ${LEAST_RATIO}); ` +
        `event loop of the worker still for at most ${show(Math.max(...of('stallMs')))} ms (at most 100); ` +
        `peak RSS ${show(rssMb)} MB (at most 250)`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const isMain = process.argv[1] === fileURLToPath(import.meta.url);
if (isMain) {
  await compare(100_000);
  if (process.argv.includes('--million')) await compare(1_000_000);
}
