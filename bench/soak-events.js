/** What happens to the workers of the soak: kills, reloads, clocks, a target that goes down; and commands and readers beside them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { measureProcess } from './soak-measure.js';
import { lookAtLiveFile, readPublished, readTarget } from './soak-watch.js';
import { killWorker, runCommand, startWorker, stopWorker } from './soak-worker.js';

const [SECOND_MS, DAY_MS] = [1_000, 86_400_000];
/** By how much the clock of a worker is set wrong, for half a minute or so. */
const STEPS_MS = [-90, 90, -15 * 60, 15 * 60, -7_200, 7_200, 26 * 3_600].map(
  (seconds) => seconds * SECOND_MS,
);
/** The commands that are run all the time, and the exit codes that are right: 3: something needs attention, 75: a worker does it. */
const COMMANDS = [
  { parameters: ['status', '--json'], codes: [0, 3] },
  { parameters: ['publish', '--json'], codes: [0, 3, 75] },
  { parameters: ['runs', '--failed', '--json'], codes: [0] },
  { parameters: ['plan', '--json'], codes: [0, 3] },
];

/** Waits, unless the soak is over. */
export const wait = (soak, ms) => sleep(ms, undefined, { signal: soak.over }).catch(() => undefined);

/** Sets the clocks of all workers to the day that it is; that of one of them wrong by a step. */
export function setClocks(soak, stepped = null, stepMs = 0) {
  for (const worker of soak.workers) worker.setClock(soak.days * DAY_MS + (worker === stepped ? stepMs : 0));
}

/** A day passes for everybody. */
export function passDay(soak) {
  soak.days++;
  soak.dayStarts.push(Date.now());
  setClocks(soak);
  soak.say(`day ${soak.days}`);
}

/** The real time at which the clocks of the workers had this time, both in milliseconds since 1970. */
export function toRealTime({ dayStarts }, at) {
  const days = dayStarts.findLastIndex((start, index) => at - index * DAY_MS >= start - SECOND_MS);
  return at - Math.max(0, days) * DAY_MS;
}

/** Sets the clock of one worker wrong for a while. */
export async function stepClock(soak) {
  const worker = soak.workers[soak.counts.steps % 2];
  const stepMs = pick(soak, STEPS_MS);
  soak.counts.steps++;
  soak.say(`the clock of ${worker.name} is ${stepMs / SECOND_MS} s wrong`);
  setClocks(soak, worker, stepMs);
  await wait(soak, 15_000 + soak.random() * 30_000);
  setClocks(soak);
}

const pick = ({ random }, list) => list[Math.floor(random() * list.length)];

/** Kills, stops or reloads the worker `struck`; the other one only reloads. */
export async function strike(soak) {
  const drawn = soak.random();
  if (drawn < 0.25) return reload(soak);
  const [end, name] = drawn < 0.8 ? [killWorker, 'kills'] : [stopWorker, 'restarts'];
  soak.counts[name]++;
  soak.say(name === 'kills' ? 'SIGKILL' : 'SIGTERM');
  await end(soak.struck);
  await wait(soak, soak.random() * 15_000);
  startWorker(soak.struck);
}

function reload(soak) {
  soak.counts.reloads++;
  soak.say('SIGHUP');
  for (const worker of soak.workers) {
    worker.configure({ retention: { requests_days: 2 + (soak.counts.reloads % 2), runs_days: 3 } });
    worker.process?.child.kill('SIGHUP');
  }
}

/** Takes PostgreSQL down as a failing machine would, and up again. */
export async function takeTargetDown(soak) {
  soak.counts.downs++;
  soak.isTargetUp = false;
  soak.say('PostgreSQL is down');
  await soak.postgres.crash();
  await wait(soak, 10_000 + soak.random() * 60_000);
  await soak.postgres.restart();
  soak.isTargetUp = true;
  soak.say('PostgreSQL is up');
}

/** Runs a command beside the worker. Throws where it ends with an exit code that is not right. */
export async function command(soak) {
  const worker = pick(soak, soak.workers);
  const isBackup = soak.random() < 0.2;
  const { parameters, codes } = isBackup
    ? {
        parameters: ['backup', `data/backups/by-hand-${soak.counts.backups++ % 3}-${Date.now()}.db`],
        codes: [0],
      }
    : pick(soak, COMMANDS);
  soak.counts.commands++;
  const { code, stderr } = await runCommand(worker, parameters);
  if (isBackup) rmSync(join(worker.home, parameters[1]), { force: true });
  if (!codes.includes(code))
    throw new Error(`${worker.name}: vodhouse ${parameters[0]} ended with ${code}: ${stderr.trim()}`);
}

/** How long a server may refuse connections: it is started again at each reload. */
const REFUSES_MS = 10_000;

/** Reads a page of the worker that is never killed. Throws where the answer is not right, or does not come. */
export async function readPages(soak) {
  const path = pick(soak, ['/', '/metrics', '/healthz', '/packages/alpha/101']);
  const startedAt = performance.now();
  for (;;) {
    try {
      const { statusCode, body } = await request(`${soak.steady.url}${path}`, { headersTimeout: 20_000 });
      await body.dump();
      if (statusCode >= 500) throw new Error(`GET ${path} of steady: ${statusCode}`);
      return;
    } catch (error) {
      if (error.code !== 'ECONNREFUSED' || performance.now() - startedAt > REFUSES_MS) throw error;
    }
    await sleep(200);
  }
}

/** Reads both published files, and the target while it is up. */
export async function readAsReader(soak) {
  for (const worker of soak.workers) readPublished(worker, soak.book, soak.readers);
  if (!soak.isTargetUp) return;
  await readTarget(soak.postgres.url, soak.book, soak.readers).catch((error) => {
    const isAbsent = ['42P01', '3F000'].includes(error.code); // before the first load
    if (soak.isTargetUp && !isAbsent) throw error;
  });
}

/** Looks at the booked days of the live files, and measures the worker that is never killed. */
export function look(soak) {
  for (const worker of soak.workers) lookAtLiveFile(worker, soak.book);
  const { process } = soak.steady;
  const sample = process && measureProcess(process.child.pid);
  if (sample) soak.samples.push(sample);
}

/** Waits, for half a minute at most, until the server of a worker answers. */
export async function untilItAnswers({ url, process }) {
  for (let tries = 0; tries < 300; tries++) {
    const isUp = await request(`${url}/healthz`).then(
      ({ statusCode, body }) => body.dump().then(() => statusCode === 200),
      () => false,
    );
    if (isUp || process === null) return;
    await sleep(100);
  }
}
