/**
 * `npm run soak -- --hours 0.67`: two workers, four accounts and a PostgreSQL in real time, with all faults of the service at
 * random, kills, restarts, a target that goes down, and steps of the clock. It prints a row of a table every ten minutes
 * (`--every MINUTES`), checks everything at the end, and ends with exit code 1 if a check fails. `--seed N` draws other faults;
 * `--keep` keeps the folder, as does a failure.
 */
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as checks from './soak-checks.js';
import * as events from './soak-events.js';
import { countEver, fileSize, query, readStatus } from './soak-measure.js';
import { openSite } from './soak-site.js';
import { formatHead, formatRow, LEGEND } from './soak-table.js';
import { startWorker, stopWorker } from './soak-worker.js';

const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000];
const DAY_EVERY_MS = 3 * MINUTE_MS;

const OPTIONS = {
  hours: { type: 'string', default: '0.67' },
  every: { type: 'string', default: '10' },
  seed: { type: 'string', default: '1' },
  keep: { type: 'boolean', default: false },
};

/** The options; ends with exit code 2 where they are wrong. */
function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    const [hours, everyMinutes, seed] = [values.hours, values.every, values.seed].map(Number);
    if (!(hours > 0)) throw new Error(`--hours ${values.hours} is not a number above 0`);
    if (!(everyMinutes > 0)) throw new Error(`--every ${values.every} is not a number of minutes above 0`);
    if (!Number.isInteger(seed)) throw new Error(`--seed ${values.seed} is not an integer`);
    return { hours, everyMinutes, seed, keep: values.keep };
  } catch (error) {
    console.error(`soak: ${error.message}`);
    console.error('  -> npm run soak -- [--hours 0.67] [--every MINUTES] [--seed N] [--keep]');
    return process.exit(2);
  }
}

const { hours, everyMinutes, seed, keep } = readOptions();
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stopping.abort());

/** Repeats `work` until the soak is over or stopped. Its errors are wrong, unless it says otherwise. */
async function repeat(soak, everyMs, work) {
  while (!soak.isQuiet && !stopping.signal.aborted) {
    await sleep((0.5 + soak.random()) * everyMs, undefined, { signal: soak.over }).catch(() => undefined);
    if (soak.isQuiet || stopping.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      soak.say(`wrong: ${error.stack}`);
      soak.wrong.add(error.message);
    }
  }
}

async function readRow(soak) {
  const sum = (count) => soak.workers.reduce((total, worker) => total + count(worker), 0);
  const statuses = await Promise.all(
    soak.workers.map((worker) => readStatus(worker, (at) => events.toRealTime(soak, at))),
  );
  const last = soak.samples.at(-1) ?? { rss: 0, files: 0, helpersRss: 0, helpersFiles: 0 };
  for (const { needs } of statuses) soak.say(`status: ${JSON.stringify(needs)}`);
  return {
    ...soak.counts,
    hours: (Date.now() - soak.startedAt) / HOUR_MS,
    days: soak.days,
    runs: sum(({ live }) => countEver(live, 'run')),
    requests: soak.accounts.reduce((total, each) => total + each.requests, 0),
    faults: soak.accounts
      .flatMap((each) => Object.values(each.faults))
      .reduce((one, other) => one + other, 0),
    rss: last.rss,
    mostRss: Math.max(0, ...soak.samples.map(({ rss }) => rss)),
    helpersRss: last.helpersRss,
    files: last.files + last.helpersFiles,
    live: sum(({ live }) => fileSize(live)),
    wal: sum(({ live }) => fileSize(`${live}-wal`)),
    published: sum(({ published }) => fileSize(published)),
    changes: soak.postgres && statuses.reduce((total, { changes = 0 }) => total + changes, 0),
    seconds: soak.postgres && Math.max(...statuses.map(({ seconds = 0 }) => seconds)),
    problems: statuses.reduce((total, { needs }) => total + (needs?.length ?? 0), 0),
  };
}

async function suffer(soak) {
  const end = new AbortController();
  soak.over = end.signal;
  setMaxListeners(0, end.signal);
  stopping.signal.addEventListener('abort', () => end.abort());
  const loops = [
    repeat(soak, 2 * SECOND_MS, () => soak.accounts.forEach((each) => each.churn())),
    repeat(soak, 4 * SECOND_MS, () => events.look(soak)),
    repeat(soak, 5 * SECOND_MS, () => events.readAsReader(soak)),
    repeat(soak, 20 * SECOND_MS, () => events.command(soak)),
    repeat(soak, 45 * SECOND_MS, () => events.strike(soak)),
    repeat(soak, 5 * MINUTE_MS, () => void (soak.isWebhookUp = !soak.isWebhookUp)),
    ...(soak.postgres ? [repeat(soak, 3 * MINUTE_MS, () => events.takeTargetDown(soak))] : []),
    ...(soak.faketime
      ? [
          repeat(soak, DAY_EVERY_MS, () => events.passDay(soak)),
          repeat(soak, 2 * MINUTE_MS, () => events.stepClock(soak)),
        ]
      : []),
  ];
  await Promise.all(soak.workers.map((worker) => events.untilItAnswers(worker)));
  loops.push(repeat(soak, 6 * SECOND_MS, () => events.readPages(soak)));
  const until = soak.startedAt + hours * HOUR_MS;
  for (
    let next = soak.startedAt + everyMinutes * MINUTE_MS;
    !stopping.signal.aborted;
    next += everyMinutes * MINUTE_MS
  ) {
    await events.wait(soak, Math.max(0, Math.min(next, until) - Date.now()));
    console.log(formatRow(await readRow(soak)));
    if (Date.now() >= until) break;
  }
  soak.isQuiet = true;
  end.abort();
  await Promise.all(loops);
}

/** No faults and no changes any more: the workers must come to rest by themselves. */
async function calmDown(soak) {
  for (const account of soak.accounts) account.isQuiet = true;
  soak.isWebhookUp = true;
  // what the service left out is requested again on another day, and no clock was ever further ahead than two days
  if (soak.faketime) for (let days = 0; days < 2; days++) events.passDay(soak);
  events.setClocks(soak);
  for (const worker of soak.workers) {
    worker.configure({ schedule: { full: '* * * * *' } });
    if (worker.process) worker.process.child.kill('SIGHUP');
    else startWorker(worker);
  }
  const runs = () => soak.workers.map(({ live }) => countGoodRuns(live));
  const before = runs();
  const startedAt = Date.now();
  while (!stopping.signal.aborted && Date.now() - startedAt < 20 * MINUTE_MS) {
    await sleep(2_000);
    if (runs().every((count, index) => count - before[index] >= 3)) break;
  }
  console.log(
    `\nat rest for ${Math.round((Date.now() - startedAt) / SECOND_MS)} s, with three full runs of each worker`,
  );
}

function countGoodRuns(live) {
  return query(live, `select count(*) as count from run where status = 'succeeded' and mode = 'full'`)[0]
    .count;
}

async function judge(soak) {
  events.look(soak);
  await events.readAsReader(soak);
  const statuses = await Promise.all(
    soak.workers.map((worker) => readStatus(worker, (at) => events.toRealTime(soak, at))),
  );
  await Promise.all(soak.workers.map(stopWorker));
  const { workers, postgres, book, readers, counts } = soak;
  const today = new Date(Date.now() + soak.days * DAY_MS).toISOString().slice(0, 10);
  const slowest = Math.max(...workers.map(({ slowestStopMs }) => slowestStopMs)) / SECOND_MS;
  return [
    {
      sentence: `no worker ended by itself; the slowest stop took ${slowest.toFixed(1)} s`,
      wrong: workers.flatMap(({ deaths }) => deaths),
    },
    {
      sentence: `${counts.commands} commands, ${counts.restarts} restarts and ${counts.reloads} reloads beside it went right`,
      wrong: [...soak.wrong],
    },
    await checks.checkVideos(workers),
    await checks.checkDays(workers, today),
    {
      sentence: `no booked day of ${book.count()} in all copies ever changed or was lost`,
      wrong: [...book.broken],
    },
    {
      sentence: `${readers.file} readers of the published file and ${readers.target} of the target saw whole states`,
      wrong: [...readers.broken],
    },
    checks.checkLedger(workers, countEver),
    ...(postgres ? [await checks.checkTarget(workers)] : []),
    checks.checkIntegrity(workers),
    checks.checkLeftFiles(workers),
    checks.checkGrowth(soak.samples),
    checks.checkProblems(statuses),
  ];
}

function introduce(soak) {
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}, ${process.platform}`;
  console.log(`${hours} hours, seed ${seed}, on ${machine}; in ${soak.folder}`);
  if (!soak.postgres) console.log("left out: the target, Debian's package postgresql is not installed");
  if (!soak.faketime)
    console.log(
      "left out: days that pass and steps of the clock, Debian's package libfaketime is not installed",
    );
  console.log(`${LEGEND}\n\n${formatHead()}`);
}

function report(soak, results) {
  const faults = soak.accounts.flatMap((each) => Object.entries(each.faults));
  const byKind = new Map();
  for (const [kind, count] of faults) byKind.set(kind, (byKind.get(kind) ?? 0) + count);
  console.log(`faults: ${[...byKind].map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
  for (const { sentence, wrong } of results) {
    console.log(`${wrong.length === 0 ? 'ok    ' : 'FAILED'}  ${sentence}`);
    for (const each of wrong.slice(0, 10)) console.log(`          ${each}`);
    if (wrong.length > 10) console.log(`          and ${wrong.length - 10} more`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'vodhouse-soak-'));
const soak = await openSite(folder, seed);
let isGood = false;
try {
  introduce(soak);
  await suffer(soak);
  if (!stopping.signal.aborted) {
    await calmDown(soak);
  }
  if (!stopping.signal.aborted) {
    const results = await judge(soak);
    report(soak, results);
    isGood = results.every(({ wrong }) => wrong.length === 0);
  }
} finally {
  for (const close of soak.closing.reverse()) await close().catch((error) => console.error(error.message));
  if (isGood && !keep) rmSync(folder, { recursive: true, force: true });
  else
    console.log(`everything is in ${folder}: events.log, and a folder for each worker with its worker.log`);
  process.exitCode = isGood ? 0 : 1;
}
