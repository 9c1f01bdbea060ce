/**
 * `npm run bench [-- --million]`: vodhouse against a floor, interleaved, in processes of their own, on one machine.
 * Absolute times mean little on a shared machine; the ratio of the medians is the figure to watch.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const PACKAGES = 4;
const ROUNDS = 5;

/** Starts a script; gives its first message and the child. */
function start(script, args) {
  return new Promise((resolve, reject) => {
    const child = fork(join(here, script), args.map(String));
    child.once('message', (message) => resolve({ child, message }));
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
  });
}

async function measure(script, url, total, { keep } = {}) {
  const folder = keep ?? mkdtempSync(join(here, '../data/bench-'));
  try {
    const { message } = await start(script, [url, PACKAGES, join(folder, 'bench.db')]);
    if (message.rows !== total) throw new Error(`${script} stored ${message.rows} of ${total} records`);
    return { perSecond: Math.round(total / (message.ms / 1000)), rssMb: Math.round(message.rssMb) };
  } finally {
    if (!keep) rmSync(folder, { recursive: true });
  }
}

const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];
const show = (number) => number.toLocaleString('en-US');

async function firstLoad(total) {
  const { child, message } = await start('server.js', [PACKAGES, total / PACKAGES]);
  const url = `http://127.0.0.1:${message.port}`;
  const results = { 'floor.js': [], 'vodhouse.js': [] };
  await measure('floor.js', url, total); // warms the server's pages
  for (let round = 0; round < ROUNDS; round++) {
    for (const script of Object.keys(results)) results[script].push(await measure(script, url, total));
  }
  const again = await secondWalk(url, total);
  child.kill();
  const [floor, ours] = Object.values(results).map((each) => median(each.map((one) => one.perSecond)));
  const [floorMb, oursMb] = Object.values(results).map((each) => Math.max(...each.map((one) => one.rssMb)));
  console.log(`first load of ${show(total)} records in ${PACKAGES} packages, median of ${ROUNDS}:`);
  console.log(`  floor     ${show(floor)} records/s, peak RSS ${floorMb} MB`);
  console.log(`  vodhouse  ${show(ours)} records/s, peak RSS ${oursMb} MB`);
  console.log(`  ratio     ${(ours / floor).toFixed(2)}`);
  console.log(`second walk, nothing changed: ${show(again.perSecond)} records/s, peak RSS ${again.rssMb} MB`);
  return oursMb;
}

async function secondWalk(url, total) {
  const keep = mkdtempSync(join(here, '../data/bench-'));
  try {
    await measure('vodhouse.js', url, total, { keep });
    return await measure('vodhouse.js', url, total, { keep });
  } finally {
    rmSync(keep, { recursive: true });
  }
}

async function million(rssAt100k) {
  const total = 1_000_000;
  const { child, message } = await start('server.js', [PACKAGES, total / PACKAGES]);
  const result = await measure('vodhouse.js', `http://127.0.0.1:${message.port}`, total);
  child.kill();
  const growth = Math.round((result.rssMb / rssAt100k - 1) * 100);
  console.log(
    `${show(total)} records: ${show(result.perSecond)} records/s, peak RSS ${result.rssMb} MB (${growth} % against 100,000)`,
  );
}

const rss = await firstLoad(100_000);
if (process.argv.includes('--million')) await million(rss);
