/**
 * `npm run bench [-- --million]`: compares vodhouse with a floor on one machine, interleaved, in separate
 * processes. It measures the first load, a walk of an unchanged list, and a walk of a list with 1 % of
 * changes; then the ledger, publishing (also with a long history), the load of a PostgreSQL, that of a lake, a load with a reader of the published
 * file, and the server. Absolute times depend on the machine; compare the ratios of the medians.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const PACKAGES = 4;
const ROUNDS = 5;
const SCRIPTS = ['floor.js', 'vodhouse.js'];
/** The measurements, and the smallest allowed ratio of each. */
const WORK = [
  { name: 'first load', least: 0.8 },
  { name: 'unchanged walk', least: 3 },
  { name: '1 % changed', least: 0.8 },
];

/** Starts a script; returns its first message and the child. */
function start(script, args) {
  return new Promise((resolve, reject) => {
    const child = fork(join(here, script), args.map(String));
    child.once('message', (message) => resolve({ child, message }));
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
  });
}

async function startServer(total) {
  const { child, message } = await start('server.js', [PACKAGES, total / PACKAGES]);
  const change = async () => {
    child.send('change');
    await once(child, 'message');
  };
  return { url: `http://127.0.0.1:${message.port}`, change, stop: () => child.kill() };
}

/** One walk of all packages into the file of a folder. */
async function walk(script, url, total, folder) {
  const { message } = await start(script, [url, PACKAGES, join(folder, 'bench.db')]);
  if (message.rows !== total) throw new Error(`${script} saw ${message.rows} of ${total} records`);
  const { ms, rssMb, requests } = message;
  return { perSecond: Math.round(total / (ms / 1000)), rssMb: Math.round(rssMb), ms, requests };
}

async function inFolders(count, work) {
  const folders = Array.from({ length: count }, () => mkdtempSync(join(here, '../data/bench-')));
  try {
    return await work(folders);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

/** One round: both do each kind of work in sequence. Returns results by work, then by script. */
function round(server, total) {
  return inFolders(SCRIPTS.length, async (folders) => {
    const results = [];
    for (const [index] of WORK.entries()) {
      if (index === 2) await server.change();
      const both = [];
      for (const [place, script] of SCRIPTS.entries()) {
        both.push(await walk(script, server.url, total, folders[place]));
      }
      results.push(both);
    }
    return results;
  });
}

const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];
const show = (number) => number.toLocaleString('en-US');

function report(name, least, rounds) {
  const [floor, ours] = SCRIPTS.map((_, place) => median(rounds.map((both) => both[place].perSecond)));
  const [floorMb, oursMb] = SCRIPTS.map((_, place) => Math.max(...rounds.map((both) => both[place].rssMb)));
  console.log(
    `${name.padEnd(16)}${show(floor).padStart(12)}${show(ours).padStart(12)}` +
      `${(ours / floor).toFixed(2).padStart(8)}${String(least).padStart(8)}${`${floorMb} / ${oursMb}`.padStart(16)}`,
  );
  return oursMb;
}

async function compare(total) {
  const server = await startServer(total);
  await server.change(); // fills the page cache of the server
  const rounds = [];
  for (let count = 0; count < ROUNDS; count++) rounds.push(await round(server, total));
  server.stop();
  console.log(
    `${show(total)} records of about 1 KB in ${PACKAGES} packages, records/s, median of ${ROUNDS}:`,
  );
  console.log(
    `${' '.repeat(16)}${'floor'.padStart(12)}${'vodhouse'.padStart(12)}${'ratio'.padStart(8)}` +
      `${'least'.padStart(8)}${'peak RSS MB'.padStart(16)}`,
  );
  const [rss] = WORK.map(({ name, least }, index) =>
    report(
      name,
      least,
      rounds.map((results) => results[index]),
    ),
  );
  const firstLoads = rounds.map(([firstLoad]) => firstLoad[1]);
  return { rss, firstLoad: firstLoads.sort((one, other) => one.ms - other.ms)[firstLoads.length >> 1] };
}

/** The cost of a request in the ledger, and its share of a first load. */
async function budget({ ms, requests }) {
  const { medianUs, meanUs, p99Us } = await inFolders(1, async ([folder]) => {
    const { message } = await start('budget.js', [join(folder, 'bench.db')]);
    return message;
  });
  const us = (number) => `${show(Math.round(number))} µs`;
  const share = (requests * meanUs) / 1000 / ms;
  console.log(
    `the budget of a request, 20,000 a day in the ledger: ${us(medianUs)} at the median (at most 100 µs), ` +
      `mean ${us(meanUs)}, p99 ${us(p99Us)};\n` +
      `${(share * 100).toFixed(1)} % of the first load with its ${show(requests)} requests (at most 5 %)`,
  );
}

async function million(rssAt100k) {
  const total = 1_000_000;
  const server = await startServer(total);
  await inFolders(1, async ([folder]) => {
    for (const name of ['first load', 'unchanged walk']) {
      const { perSecond, rssMb } = await walk('vodhouse.js', server.url, total, folder);
      const growth = Math.round((rssMb / rssAt100k - 1) * 100);
      const figures = `${show(perSecond)} records/s, peak RSS ${rssMb} MB (${growth} % against 100,000)`;
      console.log(`${show(total)} records, ${name}: ${figures}`);
    }
  });
  server.stop();
}

const { rss, firstLoad } = await compare(100_000);
await budget(firstLoad);
if (process.argv.includes('--million')) await million(rss);
for (const script of [
  'publish.js',
  'target.js',
  'lake-loads.js',
  'history.js',
  'load-with-reader.js',
  'mirror.js',
]) {
  await once(fork(join(here, script), process.argv.slice(2)), 'exit');
}
