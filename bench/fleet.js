/**
 * Three workers with four accounts each, and one PostgreSQL that all of them load: `npm run demo:fleet`. One worker after the
 * other is killed, a copy of its folder is refused, and it is started again. `node bench/fleet.js --rounds 1` ends after the
 * first one. Everything is in a temporary folder, which is removed at the end.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Database } from '../dist/database/sqlite.js';
import pg from 'pg';
import { formatFleet } from './fleet-table.js';
import { findPort } from './find-port.js';
import { findPostgres, startPostgres } from './postgres-server.js';

const VODHOUSE = join(dirname(fileURLToPath(import.meta.url)), '../bin/vodhouse.js');
const WORKERS = ['eu-1', 'eu-2', 'us-1'];
const ACCOUNTS_EACH = 4;
const [VIDEOS, CHURN] = [400, 240];
const CONFIG = 'vodhouse.yaml';
const REFRESH_MS = 2_000;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000000' } } });
const stopping = new AbortController();
const { signal } = stopping;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stopping.abort());
process.stdout.on('error', () => stopping.abort()); // its reader has ended: nothing may be left running
const events = [];
const say = (text) => {
  events.push(`${new Date().toISOString().slice(11, 19)} UTC  ${text}`);
  if (!process.stdout.isTTY) console.log(events.at(-1));
};
/** Waits, unless the user stops the demo. */
const wait = (ms) => sleep(ms, undefined, { signal });

/** A process of vodhouse in a folder; its own group, so that Ctrl-C comes from here only. */
function start(parameters, folder) {
  const child = spawn(process.execPath, [VODHOUSE, ...parameters], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].on('data', (data) => (output[name] = (output[name] + data).slice(-20_000)));
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  return { child, output, ended, isRunning: () => child.exitCode === null && child.signalCode === null };
}

async function startSandbox(folder) {
  const packages = String(WORKERS.length * ACCOUNTS_EACH);
  const parameters = [
    '--port',
    '0',
    '--packages',
    packages,
    '--videos',
    String(VIDEOS),
    '--churn',
    String(CHURN),
  ];
  const sandbox = start(['sandbox', ...parameters], folder);
  for (;;) {
    const [, url] = /sandbox at (\S+),/.exec(sandbox.output.stdout) ?? [];
    if (url) return { ...sandbox, url };
    if (!sandbox.isRunning()) throw new Error(`the sandbox did not start: ${sandbox.output.stderr}`);
    await wait(100);
  }
}

/** The folder of a worker, with its config; JSON is YAML. */
function createWorker(folder, index, service, postgres) {
  const worker = WORKERS[index];
  const home = join(folder, worker);
  mkdirSync(home);
  const accounts = Array.from({ length: ACCOUNTS_EACH }, (_, at) => {
    const id = 101 + index * ACCOUNTS_EACH + at;
    const videoList = { base_url: service, key: 'sandbox-key', page_size: 100 };
    return { name: `account-${id}`, video_list: videoList, packages: [id] };
  });
  const publish = { file: 'data/vodhouse.bi.db', targets: [{ name: 'fleet', postgres }] };
  const schedule = { full: '* * * * *' };
  writeFileSync(
    join(home, CONFIG),
    JSON.stringify({ worker, warehouse: 'data/vodhouse.db', timezone: 'UTC', accounts, schedule, publish }),
  );
  return { worker, home, process: start(['start'], home) };
}

/** What the target has of each worker, and what it lacks of its live file. */
async function readFleet(client, workers) {
  const { rows } = await client.query(`SELECT a.worker, count(*)::int AS accounts,
  sum((SELECT count(*) FROM vodhouse.videos v WHERE v.account = a.account))::int AS videos,
  sum((SELECT count(*) FROM vodhouse.vodhouse_load l WHERE l.account = a.account))::int AS loads,
  extract(epoch FROM now() - max(a.loaded_at))::int AS loaded_ago,
  extract(epoch FROM min(a.lease_until) - now())::int AS lease,
  json_object_agg(a.account, coalesce(a.change_seq, 0)) AS marks
FROM vodhouse.vodhouse_account a GROUP BY a.worker`);
  return workers.map(({ worker, home, process: { isRunning } }) => {
    const row = rows.find((each) => each.worker === worker);
    const behind = row ? countBehind(join(home, 'data/vodhouse.db'), row.marks) : null;
    return { worker, isRunning: isRunning(), ...row, behind };
  });
}

/** Videos of a live file that changed after the marks of their accounts. */
function countBehind(file, marks) {
  if (!existsSync(file)) return null;
  const db = new Database(file, { readonly: true });
  try {
    const count = db.prepare('select count(*) from video where account = ? and change_seq > ?').pluck();
    return Object.entries(marks).reduce((sum, [account, mark]) => sum + count.get(account, mark), 0);
  } finally {
    db.close();
  }
}

async function show(client, workers, url) {
  while (!signal.aborted) {
    const rows = await readFleet(client, workers).catch(() => null); // before the first load there are no tables
    const text = rows ? formatFleet(rows) : 'the workers make their first run …\n';
    if (process.stdout.isTTY) {
      const lines = events.slice(-8).join('\n');
      const look = `psql ${url} -c "select * from vodhouse.vodhouse_freshness order by account"`;
      process.stdout.write(
        `\u001b[H\u001b[2J${text}\n${lines}\n\n${look}\nCtrl-C stops and removes everything\n`,
      );
    } else console.log(`\n${text}`);
    await wait(process.stdout.isTTY ? REFRESH_MS : 5 * REFRESH_MS).catch(() => undefined);
  }
}

/** Kills a worker, shows that nobody else gets its accounts, and starts it again. */
async function playRound(fleet, index, folder) {
  const worker = fleet[index];
  say(`${worker.worker} is killed (SIGKILL); its accounts stay its own until the lease ends`);
  worker.process.child.kill('SIGKILL');
  await worker.process.ended;
  await wait(5_000);
  const copy = join(folder, `copy-of-${worker.worker}`);
  cpSync(worker.home, copy, { recursive: true });
  say(`a copy of its folder tries to sync the same accounts …`);
  const refused = start(['sync', '--log-level', 'silent'], copy);
  const code = await refused.ended;
  say(`… exit code ${code}: ${refused.output.stderr.split(/[;\n]/)[0]}; …`);
  rmSync(copy, { recursive: true });
  await wait(15_000);
  worker.process = start(['start'], worker.home);
  say(`${worker.worker} is started again: it has its accounts at once, and loads what was missed`);
  await wait(70_000);
}

async function play(fleet, client, folder) {
  const isLoaded = async () => (await readFleet(client, fleet)).every(({ loads }) => loads >= ACCOUNTS_EACH);
  while (!(await isLoaded().catch(() => false))) await wait(500);
  say(
    `${WORKERS.length * ACCOUNTS_EACH} accounts were loaded by ${WORKERS.length} workers; ${CHURN} videos change a minute, and each worker runs every minute`,
  );
  for (let round = 0; round < Number(values.rounds); round++) {
    await wait(20_000);
    await playRound(fleet, (round + 1) % fleet.length, folder);
  }
}

async function stopProcess({ child, ended, isRunning }) {
  if (isRunning()) child.kill('SIGTERM');
  await Promise.race([ended, sleep(8_000, undefined, { ref: false })]);
  if (isRunning()) child.kill('SIGKILL');
}

async function main(bin) {
  const folder = mkdtempSync(join(tmpdir(), 'vodhouse-fleet-'));
  const opened = [async () => rmSync(folder, { recursive: true, force: true })];
  try {
    const server = await startPostgres(bin, await findPort());
    opened.push(server.stop);
    const sandbox = await startSandbox(folder);
    opened.push(() => stopProcess(sandbox));
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    opened.push(() => client.end());
    const fleet = WORKERS.map((_, index) => createWorker(folder, index, sandbox.url, server.url));
    opened.push(() => Promise.all(fleet.map((each) => stopProcess(each.process))));
    say(
      `PostgreSQL at ${server.url}, a sandbox at ${sandbox.url}, and the workers ${WORKERS.join(', ')} in ${folder}`,
    );
    await Promise.race([show(client, fleet, server.url), play(fleet, client, folder)]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stopping.abort();
    console.log('\nstopping; everything is removed …');
    for (const close of opened.reverse()) await close();
  }
}

const bin = findPostgres();
if (bin === null) {
  console.error('demo:fleet starts a PostgreSQL of its own: apt-get install postgresql');
  process.exitCode = 1;
} else await main(bin);
