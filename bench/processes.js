/** The processes of the bench: the list that is walked, the command `vodhouse` in a folder of its own, and plain scripts. */
import { fork, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SAMPLE_MS = 20;
const inRepository = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The list of videos as a process of its own. `offer` makes its next state, and renders all pages of it. */
export async function startListServer() {
  const { child, message } = await forkScript('bench/list-server.js');
  const url = `http://127.0.0.1:${message.port}`;
  const offer = async (state) => {
    child.send(state);
    await nextMessage(child);
  };
  return { url, offer, stop: () => child.kill() };
}

/** Starts a script that reports its first message; `execArgv`: plain Node, also where the bench runs under a loader. */
export async function forkScript(script, ...parameters) {
  const child = fork(inRepository(script), parameters.map(String), { execArgv: [] });
  return { child, message: await nextMessage(child) };
}

/** The next message of a child; rejects if the child ends before. */
export function nextMessage(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`${child.spawnargs[1]} ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}

/**
 * Runs a command to its end; throws where it fails. `rssMb`: the peak memory of the process; `childMb`: of the largest
 * process that it started.
 */
export async function run(command, parameters, options = {}) {
  const startedAt = performance.now();
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(command, parameters.map(String), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    ...options,
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', (data) => (output[stream] += data));
  const memory = { rssMb: 0, childMb: 0 };
  const timer = setInterval(() => samplePeaks(child.pid, memory), SAMPLE_MS);
  const code = await new Promise((resolve) => child.once('close', resolve));
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(timer);
  if (code !== 0) throw new Error(`${command} ${parameters.join(' ')} ended with ${code}: ${output.stderr}`);
  return { seconds, ...memory, ...output };
}

/** Runs a script of this repository in plain Node; the script prints figures as JSON. */
export async function runScript(script, ...parameters) {
  const { stdout, seconds, rssMb } = await run(process.execPath, [inRepository(script), ...parameters]);
  return { seconds, rssMb, ...(stdout && JSON.parse(stdout)) };
}

/** Raises the figures of `memory` to the peaks of a process and of its children. */
export function samplePeaks(pid, memory) {
  memory.rssMb = Math.max(memory.rssMb, readPeakMb(pid));
  for (const child of listChildren(pid)) memory.childMb = Math.max(memory.childMb, readPeakMb(child));
}

function listChildren(pid) {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  return children.flatMap((child) => [child, ...listChildren(child)]);
}

const readPeakMb = (pid) => Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}

/** The command in a folder of its own, with a config of these packages. `more`: other keys of the config. */
export function createVodhouse(folder, url, packages, more = {}) {
  mkdirSync(`${folder}/data`, { recursive: true });
  const limits = { per_second: null, per_minute: null, per_day: null };
  const ids = Array.from({ length: packages }, (_, index) => index + 1);
  const account = { name: 'main', video_list: { base_url: url, key: 'a-key' }, packages: ids, limits };
  const schedule = { full: '0 0 1 1 *' };
  const config = { timezone: 'UTC', warehouse: 'data/live.db', schedule, accounts: [account], ...more };
  writeFileSync(`${folder}/vodhouse.yaml`, JSON.stringify(config)); // JSON is YAML
  const command = [inRepository('bin/vodhouse.js')];
  const env = { ...process.env, NODE_OPTIONS: '--max-semi-space-size=4' }; // as the unit and the image
  const call = async (...parameters) => {
    const arguments_ = [...command, ...parameters, '--json', '--log-format', 'json'];
    const { stdout, stderr, ...figures } = await run(process.execPath, arguments_, { cwd: folder, env });
    return { ...figures, ...readRun(stderr, stdout) };
  };
  return {
    call,
    /** The figures of a run; `inProcess`: from its start to its end, as the log has them. */
    sync: (...parameters) => call('sync', '--videos', ...parameters),
    sizeMb: (name) => statSync(`${folder}/data/${name}`).size / 1e6,
    start: () => startWorker(command, { cwd: folder, env }),
  };
}

function readRun(stderr, stdout) {
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  const ended = lines.map((line) => JSON.parse(line)).find(({ event }) => event === 'run_ended');
  if (!ended) return {};
  if (ended.status !== 'succeeded') throw new Error(`the run ended ${ended.status}: ${stdout}`);
  return { inProcess: ended.duration_ms / 1000, requests: ended.requests };
}

/** The worker with its server; resolves when the server answers. */
async function startWorker(command, options) {
  const child = spawn(process.execPath, [...command, 'start', '--log-level', 'error'], {
    ...options,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const { server } = JSON.parse(readFileSync(`${options.cwd}/vodhouse.yaml`, 'utf8'));
  const url = `http://127.0.0.1:${server.port}`;
  while (!(await fetch(`${url}/healthz`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}`);
    await sleep(50);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url, pid: child.pid, stop };
}

/** A port that is free now. */
export function findPort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
