/**
 * A first load without and with a reader that scans a published file in a loop: `node bench/load-with-
 * reader.js`. On a machine with two cores the reader takes one from the load and the service. So the bench
 * also measures the effect of the same reader on an unrelated file.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publish } from '../dist/publishing/publish.js';
import { makeLiveFile } from './live-file.js';
import { requestFor } from './publish.js';

const here = dirname(fileURLToPath(import.meta.url));
const PACKAGES = 4;
const VIDEOS = 100_000;
const ROUNDS = 5;
/** Without limits, the default of 5 requests a second would dominate the measurement. */
const PER_SECOND = 30;
const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];

async function start(script, ...parameters) {
  const child = fork(join(here, script), parameters.map(String));
  const [message] = await once(child, 'message');
  return { child, message };
}

async function load(url, folder, name, ...limit) {
  const file = join(folder, `${name}.db`);
  const { message } = await start('vodhouse.js', url, PACKAGES, file, ...limit);
  for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
  return message;
}

async function whileReading(file, work) {
  const { child } = await start('reader.js', file);
  try {
    return await work();
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

const folder = mkdtempSync(join(here, '../data/bench-'));
const { child: server, message } = await start('server.js', PACKAGES, VIDEOS / PACKAGES);
try {
  const url = `http://127.0.0.1:${message.port}`;
  const request = { ...requestFor(folder), now: Date.now(), today: new Date().toISOString().slice(0, 10) };
  makeLiveFile(request.live, VIDEOS);
  await publish(request);
  const unrelated = join(folder, 'unrelated.db');
  copyFileSync(request.file, unrelated);
  await load(url, folder, 'warm'); // the server renders its pages
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      alone: await load(url, folder, 'alone'),
      withReader: await whileReading(request.file, () => load(url, folder, 'with-reader')),
      control: await whileReading(unrelated, () => load(url, folder, 'control')),
      pacedAlone: await load(url, folder, 'paced-alone', PER_SECOND),
      paced: await whileReading(request.file, () => load(url, folder, 'paced', PER_SECOND)),
    });
  }
  const of = (name, figure) => median(rounds.map((each) => each[name][figure]));
  const more = (name, figure, than = 'alone') =>
    `${((of(name, figure) / of(than, figure) - 1) * 100).toFixed(1)} %`;
  console.log(
    `first load of ${VIDEOS.toLocaleString('en-US')} videos: ${Math.round(of('alone', 'ms'))} ms alone; ` +
      `${more('withReader', 'ms')} longer while a reader scans the published file (CPU ${more('withReader', 'cpuMs')}), ` +
      `${more('control', 'ms')} while it scans an unrelated file (CPU ${more('control', 'cpuMs')});\n` +
      `with a limit of ${PER_SECOND} requests a second: ${Math.round(of('pacedAlone', 'ms'))} ms alone, ` +
      `${more('paced', 'ms', 'pacedAlone')} longer while a reader scans the published file`,
  );
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
}
