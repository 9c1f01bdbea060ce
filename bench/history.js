/**
 * Publishing with more packages and more history: `node bench/history.js [--million]`. Each row has packages
 * times former states of each video, over 400 days; the total number of states is similar, so that columns
 * are comparable. The floor reads and writes everything: VACUUM INTO of the live file and of the published
 * file.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { createPublisher } from '../dist/publishing/publisher.js';
import { END, makeHistoryFile } from './history-file.js';
import { requestFor, vacuum } from './publish.js';

const PACKAGES = [10, 100, 1_000, 10_000];
const VERSIONS = [0, 1, 10, 100];
const STATES = 101_000;
/** The allowed ratio to the same number of states without history. */
const MOST_GROWTH = 1.5;
const here = dirname(fileURLToPath(import.meta.url));
const show = (number) => Math.round(number).toLocaleString('en-US');
const least = (values) => Math.min(...values);

/** The fastest of three rounds: other load on the machine can only add time. */
async function measure(packages, versions, states, rounds) {
  const folder = mkdtempSync(join(here, '../data/bench-'));
  try {
    const videos = Math.max(packages, Math.floor(states / (versions + 1) / packages) * packages);
    makeHistoryFile(join(folder, 'live.db'), { packages, videos, versions });
    const measured = [];
    for (let round = 0; round < rounds; round++) measured.push(await measureOnce(folder));
    const [{ rows }] = measured;
    return {
      states: videos * (versions + 1),
      days: rows.package_daily,
      floorMs: least(measured.map(({ floorMs }) => floorMs)),
      ms: least(measured.map(({ ms }) => ms)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureOnce(folder) {
  const startedAt = performance.now();
  const { rows } = await createPublisher(requestFor(folder)).publish(END, new AbortController().signal);
  const ms = performance.now() - startedAt;
  return { rows, ms, floorMs: vacuum(folder) + vacuum(folder, 'live.bi.db') };
}

const cells = (...values) => values.map((value) => String(value).padStart(14)).join('');

async function table(packagesList, states, rounds) {
  console.log(
    cells(
      'packages',
      'versions',
      'states',
      'package_daily',
      'floor ms',
      'publish ms',
      'ratio',
      'to 0 versions',
    ),
  );
  for (const packages of packagesList) {
    let plain = null;
    for (const versions of VERSIONS) {
      const found = await measure(packages, versions, states, rounds);
      plain ??= found;
      const { days, floorMs, ms } = found;
      const isAlike = Math.abs(found.states / plain.states - 1) < 0.15;
      const growth = isAlike ? (ms / plain.ms).toFixed(2) : '';
      console.log(
        cells(
          ...[packages, versions, found.states, days, floorMs, ms].map(show),
          (ms / floorMs).toFixed(2),
          growth,
        ),
      );
    }
  }
}

console.log(`publishing over history of 400 days; to 0 versions: at most ${MOST_GROWTH}`);
for (const packages of PACKAGES) await table([packages], STATES, packages > 1_000 ? 1 : 3);
if (process.argv.includes('--million')) await table([1_000], 1_010_000, 1);
