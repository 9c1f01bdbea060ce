/** The workers of the soak: `vodhouse start` in a folder of its own, under a clock that can be moved, and its commands. */
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VODHOUSE = join(dirname(fileURLToPath(import.meta.url)), '../bin/vodhouse.js');
const LIBRARIES = '/usr/lib';

/** The library of Debian's `libfaketime`; null where it is not installed. */
export function findFaketime() {
  if (!existsSync(LIBRARIES)) return null;
  const paths = readdirSync(LIBRARIES).map((each) => join(LIBRARIES, each, 'faketime/libfaketimeMT.so.1'));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** A worker with these accounts; it does not run yet. `options`: folder, accounts, port, target (null: none), faketime, webhook. */
export function createWorker(name, options) {
  const home = join(options.folder, name);
  mkdirSync(home);
  const clockFile = join(home, 'clock');
  const faketime = options.faketime && {
    LD_PRELOAD: options.faketime,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_CACHE_DURATION: '1', // read the file again each second
    FAKETIME_DONT_FAKE_MONOTONIC: '1', // a step of the clock moves no timer
    DONT_FAKE_MONOTONIC: '1',
  };
  const worker = {
    name,
    home,
    accounts: options.accounts,
    env: { ...process.env, ...faketime },
    live: join(home, 'data/vodhouse.db'),
    published: join(home, 'data/vodhouse.bi.db'),
    url: `http://127.0.0.1:${options.port}`,
    process: null,
    deaths: [],
    slowestStopMs: 0,
  };
  /** Sets its clock ahead of the machine's, or behind it, in milliseconds. */
  worker.setClock = (ms) => replaceFile(clockFile, formatOffset(ms));
  worker.configure = (changes) =>
    replaceFile(join(home, 'vodhouse.yaml'), formatConfig(name, options, changes));
  worker.setClock(0);
  worker.configure({});
  return worker;
}

const formatOffset = (ms) => `${ms < 0 ? '-' : '+'}${Math.abs(Math.round(ms / 1000))}\n`;

/** Renamed into place: nobody reads half of it. */
function replaceFile(file, text) {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** JSON is YAML. */
function formatConfig(name, { accounts, port, target, webhook }, changes) {
  const limits = { concurrency: 3, per_second: 25, per_minute: 1_200, per_day: null, max_wait: '20s' };
  return JSON.stringify({
    worker: name,
    warehouse: 'data/vodhouse.db',
    timezone: 'UTC',
    accounts: accounts.map((account) => ({
      name: account.name,
      video_list: { base_url: account.url, key: account.key, page_size: 50 },
      storage: { base_url: account.url, since: account.since, settle: '1m' },
      packages: account.packages,
      limits: { ...limits, restricted_codes: ['TooMany'] },
    })),
    schedule: { full: '*/2 * * * *', quick: '* * * * *' },
    publish: {
      file: 'data/vodhouse.bi.db',
      targets: target
        ? [{ name: 'warehouse', postgres: target, lock_timeout: '5s', load_timeout: '2m' }]
        : [],
    },
    backup: { schedule: '*/10 * * * *', folder: 'data/backups', keep: 3 },
    retention: { requests_days: 2, runs_days: 3 },
    server: { port },
    notify: { webhook, remind_after: '1h' },
    ...changes,
  });
}

/** Starts it; an end that nobody asked for is noted in `deaths`. */
export function startWorker(worker) {
  const log = createWriteStream(join(worker.home, 'worker.log'), { flags: 'a' });
  const child = spawn(process.execPath, [VODHOUSE, 'start', '--log-format', 'json'], {
    cwd: worker.home,
    env: worker.env,
    detached: true, // Ctrl-C comes from here only
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const running = { child, isAsked: false };
  running.ended = new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      if (!running.isAsked) worker.deaths.push(`${worker.name} ended by itself (${signal ?? code})`);
      worker.process = null;
      resolve(code);
    });
  });
  worker.process = running;
}

/** SIGKILL: as by a failing machine. */
export async function killWorker(worker) {
  const running = worker.process;
  if (!running) return;
  running.isAsked = true;
  running.child.kill('SIGKILL');
  await running.ended;
}

/** SIGTERM: notes how long it takes, and a wrong exit code in `deaths`. */
export async function stopWorker(worker) {
  const running = worker.process;
  if (!running) return;
  running.isAsked = true;
  const startedAt = performance.now();
  running.child.kill('SIGTERM');
  const code = await running.ended;
  worker.slowestStopMs = Math.max(worker.slowestStopMs, performance.now() - startedAt);
  if (code !== 0) worker.deaths.push(`${worker.name} ended with ${code} after SIGTERM`);
}

/** Runs a command of vodhouse in the folder of a worker. Returns its exit code and its output. */
export function runCommand(worker, parameters) {
  const child = spawn(process.execPath, [VODHOUSE, ...parameters], { cwd: worker.home, env: worker.env });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', (data) => (output[stream] += data));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...output })));
}
