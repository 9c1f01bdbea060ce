/**
 * `npm run bench:sizing`: what a million videos with one state each take, measured with the built command: requests, bytes of
 * the live file, the published file and a PostgreSQL, and the largest resident memory of each process. `--videos N`: another number.
 */
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clearInterval, setInterval } from 'node:timers';
import { parseArgs } from 'node:util';
import { fetch } from 'undici';
import { findPostgres, startPostgres } from './postgres-server.js';
import { findChildren } from './soak-measure.js';

const here = dirname(fileURLToPath(import.meta.url));
const VODHOUSE = join(here, '../bin/vodhouse.js');
const PACKAGES = 10;
const SAMPLE_MS = 50;
const PORT = 54_998;
/** What each process is, by the file that it runs. */
const ROLES = {
  vodhouse: 'command',
  'publish-child': 'publishing',
  'load-child': 'loading',
  'helper-process-entry': 'helper',
};
const show = (number) => Math.round(number).toLocaleString('en-US');
const mb = (bytes) => `${show(bytes / 1e6)} MB`;

const { values } = parseArgs({ options: { videos: { type: 'string', default: '1000000' } } });
const videos = Number(values.videos);
if (!Number.isInteger(videos / PACKAGES) || videos <= 0) {
  console.error(`usage: npm run bench:sizing -- [--videos N], a multiple of ${PACKAGES}`);
  process.exit(2);
}

function startServer() {
  const child = fork(join(here, 'server.js'), [PACKAGES, videos / PACKAGES].map(String));
  return new Promise((resolve) =>
    child.once('message', ({ port }) => resolve({ child, url: `http://127.0.0.1:${port}` })),
  );
}

/** JSON is YAML. */
function writeConfig(folder, url, postgres) {
  const packages = Array.from({ length: PACKAGES }, (_, index) => index + 1);
  const limits = { per_second: null, per_minute: null, per_day: null };
  const account = { name: 'main', video_list: { base_url: url, key: 'a-key' }, packages, limits };
  const targets = postgres ? [{ name: 'warehouse', postgres }] : [];
  writeFileSync(
    join(folder, 'vodhouse.yaml'),
    JSON.stringify({
      timezone: 'UTC',
      accounts: [account],
      publish: { file: 'data/vodhouse.bi.db', targets },
    }),
  );
}

/** The name of the file that a process runs, and its largest resident memory so far in bytes; none where it has ended. */
function readPeak(pid) {
  try {
    const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    const file = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .find((each) => each.endsWith('.js'));
    return kib && file ? [[ROLES[basename(file, '.js')] ?? file, Number(kib) * 1024]] : [];
  } catch {
    return [];
  }
}

/** Runs a command to its end. Returns its JSON document, its seconds, and the peak of each process by its file. */
async function measure(folder, ...parameters) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [VODHOUSE, ...parameters, '--json', '--log-level', 'warn'], {
    cwd: folder,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const peaks = {};
  const sample = () => {
    for (const [name, bytes] of [child.pid, ...findChildren(child.pid)].flatMap(readPeak))
      peaks[name] = Math.max(peaks[name] ?? 0, bytes);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`vodhouse ${parameters.join(' ')} ended with ${code}: ${stderr}`);
  return { result: JSON.parse(stdout), seconds: (performance.now() - startedAt) / 1000, peaks };
}

const formatPeaks = (peaks) =>
  Object.entries(peaks)
    .map(([name, bytes]) => `${name} ${mb(bytes)}`)
    .join(', ');

async function report(folder, url, server) {
  writeConfig(folder, url, server?.url);
  const size = (name) => statSync(join(folder, 'data', name)).size;
  const line = (title, text, { seconds, peaks }) =>
    console.log(`${title.padEnd(22)}${text}; ${seconds.toFixed(0)} s; peak RSS ${formatPeaks(peaks)}`);
  const page = await (await fetch(`${url}/?pkg=1&page=1&pagesize=1000`)).arrayBuffer();
  console.log(
    `${show(videos)} videos in ${PACKAGES} packages, records of ${show(page.byteLength / 1000)} bytes, pages of 1,000; Node ${process.version}`,
  );
  const first = await measure(folder, 'sync', '--videos');
  line(
    'first sync',
    `${show(first.result.requests)} requests, live file ${mb(size('vodhouse.db'))}, published file ${mb(size('vodhouse.bi.db'))}`,
    first,
  );
  const again = await measure(folder, 'sync', '--videos');
  line('full sync, unchanged', `${show(again.result.requests)} requests`, again);
  const quick = await measure(folder, 'sync', '--videos', '--quick');
  line('quick sync, unchanged', `${show(quick.result.requests)} requests`, quick);
  const publication = await measure(folder, 'publish');
  line('publish', `published file ${mb(size('vodhouse.bi.db'))}`, publication);
  if (!server) return;
  const bytes = Number(
    server.psql(`select sum(pg_total_relation_size(c.oid)) from pg_class c join pg_namespace n
on n.oid = c.relnamespace where n.nspname = 'vodhouse' and c.relkind = 'r'`),
  );
  console.log(`${'PostgreSQL'.padEnd(22)}tables and indexes ${mb(bytes)}, loaded by the first sync`);
}

const folder = mkdtempSync(join(here, '../data/sizing-'));
const bin = findPostgres();
const server = bin && (await startPostgres(bin, PORT));
if (!server) console.log("PostgreSQL: left out, Debian's package postgresql is not installed");
const service = await startServer();
try {
  await report(folder, service.url, server);
} finally {
  service.child.kill();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
