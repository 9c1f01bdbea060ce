/** Everything that the soak runs: the accounts of the service, the PostgreSQL, the receiver of alerts and the workers. */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { findPort } from './find-port.js';
import { findPostgres, startPostgres } from './postgres-server.js';
import { createRandom } from './soak-faults.js';
import { startAccount } from './soak-service.js';
import { createDayBook } from './soak-watch.js';
import { createWorker, findFaketime, startWorker, stopWorker } from './soak-worker.js';

const DAY_MS = 86_400_000;
/** The worker `steady` is never killed. */
const ACCOUNTS = { steady: ['alpha', 'beta'], struck: ['gamma', 'delta'] };
const PAST_DAYS = 30;

/** Everything of one soak. */
export async function openSite(folder, seed) {
  const random = createRandom(seed);
  const bin = findPostgres();
  const faketime = findFaketime();
  const soak = {
    folder,
    random,
    days: 0,
    /** The real time at which each day began; the first one at the start. */
    dayStarts: [Date.now()],
    counts: { kills: 0, downs: 0, steps: 0, restarts: 0, reloads: 0, commands: 0, backups: 0, messages: 0 },
    wrong: new Set(),
    samples: [],
    readers: { file: 0, target: 0, broken: new Set() },
    book: createDayBook(),
    startedAt: Date.now(),
    faketime,
    isTargetUp: bin !== null,
    isWebhookUp: true,
    isQuiet: false,
    closing: [],
    accounts: [],
    workers: [],
  };
  /** Notes what happens, with the real time. */
  soak.say = (text) => appendFileSync(join(folder, 'events.log'), `${new Date().toISOString()} ${text}\n`);
  soak.postgres = bin && (await startPostgres(bin, await findPort()));
  if (soak.postgres) soak.closing.push(soak.postgres.stop);
  const webhook = await startWebhook(soak);
  const getOffset = () => soak.days * DAY_MS;
  const since = new Date(Date.now() - PAST_DAYS * DAY_MS).toISOString().slice(0, 10);
  for (const [name, names] of Object.entries(ACCOUNTS)) {
    const accounts = await startAccounts(soak, names, { seed, getOffset, since });
    const options = {
      folder,
      accounts,
      port: await findPort(),
      target: soak.postgres?.url ?? null,
      faketime,
      webhook,
    };
    soak.workers.push(createWorker(name, options));
  }
  [soak.steady, soak.struck] = soak.workers;
  soak.workers.forEach(startWorker);
  soak.closing.push(() => Promise.all(soak.workers.map(stopWorker)));
  return soak;
}

async function startAccounts(soak, names, { seed, getOffset, since }) {
  const accounts = [];
  for (const name of names) {
    const account = await startAccount(name, seed * 100 + soak.accounts.length, getOffset);
    soak.accounts.push(account);
    soak.closing.push(account.close);
    accounts.push(Object.assign(account, { since }));
  }
  return accounts;
}

/** Takes the alerts; half of the time it refuses them. */
async function startWebhook(soak) {
  const server = createServer((request, response) => {
    soak.counts.messages++;
    request.resume().on('end', () => response.writeHead(soak.isWebhookUp ? 200 : 500).end());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  soak.closing.push(async () => void server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}
