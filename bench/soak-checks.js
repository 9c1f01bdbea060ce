/** The checks at the end of the soak. Each returns a sentence, and what contradicts it: nothing if it holds. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { query } from './soak-measure.js';
import { runCommand } from './soak-worker.js';

const MIB = 1024 ** 2;
const ADDED = ['account', 'package_id', 'extra', 'first_seen_at', 'changed_at', 'removed_at'];

/** All records of a package, as the service has them now. */
async function listAll(account, packageId) {
  const records = [];
  for (let page = 1; ; page++) {
    const sort = { item: 'id', direction: 'asc' };
    const found = await account.sandbox.catalogue.videos({ packageId, sort, page, pageSize: 1_000 });
    records.push(...found.records);
    if (records.length >= found.totalcount) return records;
  }
}

/** Every video of the service is in the live file with all of its fields, and no other one is live. */
export async function checkVideos(workers) {
  const wrong = [];
  let count = 0;
  for (const { live, accounts } of workers) {
    for (const account of accounts) {
      for (const packageId of account.packages) {
        const listed = await listAll(account, packageId);
        const sql =
          'select * from video where account = ? and package_id = ? and removed_at is null order by id';
        const stored = new Map(query(live, sql, account.name, packageId).map((row) => [row.id, row]));
        count += listed.length;
        wrong.push(...compare(`${account.name}/${packageId}`, listed, stored));
      }
    }
  }
  return {
    sentence: `all ${count.toLocaleString('en-US')} videos of the service are in the live files, as they are now`,
    wrong,
  };
}

function compare(name, listed, stored) {
  const wrong = listed.flatMap((record) => {
    const row = stored.get(record.id);
    stored.delete(record.id);
    if (!row) return [`${name}: video ${record.id} is missing`];
    const fields = Object.keys(record).filter(
      (field) => !ADDED.includes(field) && !(row[field] === record[field]),
    );
    return fields.map((field) => `${name}: ${field} of ${record.id} is ${row[field]}, not ${record[field]}`);
  });
  return [
    ...wrong,
    ...[...stored.keys()].map((id) => `${name}: video ${id} is gone at the service, and live here`),
  ];
}

/** Every past day is booked with the figures of the service, or known as missing. */
export async function checkDays(workers, today) {
  const wrong = [];
  const counts = { booked: 0, gaps: 0 };
  for (const { live, accounts } of workers) {
    for (const { name, sandbox, since } of accounts) {
      const { days } = await sandbox.catalogue.storage({ from: since, to: today, direction: 'asc' });
      const booked = new Map(
        query(live, `select * from storage_day where state = 'booked' and account = ?`, name).map((row) => [
          row.date,
          row,
        ]),
      );
      const known = new Set(
        query(live, 'select date from storage_gap where account = ?', name).map(({ date }) => date),
      );
      for (const day of days.filter(({ date }) => date < today)) {
        const row = booked.get(day.date);
        booked.delete(day.date);
        if (row) {
          counts.booked++;
          const fields = Object.keys(day).filter((field) => row[field] !== day[field]);
          wrong.push(
            ...fields.map((field) => `${name} ${day.date}: ${field} is ${row[field]}, not ${day[field]}`),
          );
        } else if (known.has(day.date)) counts.gaps++;
        else wrong.push(`${name} ${day.date} is neither booked nor known as missing`);
      }
      wrong.push(
        ...[...booked.keys()].map(
          (date) => `${name} ${date} is booked, and the service has no such past day`,
        ),
      );
    }
  }
  const sentence = `${counts.booked} past days are booked with the figures of the service, ${counts.gaps} are known as missing`;
  return { sentence, wrong };
}

export function checkIntegrity(workers) {
  const files = workers.flatMap(({ home, live, published }) => [live, published, ...listBackups(home)]);
  const wrong = files.flatMap((file) => {
    const result = query(file, 'pragma integrity_check')?.[0]?.integrity_check ?? 'it does not exist';
    return result === 'ok' ? [] : [`${file}: ${result}`];
  });
  return { sentence: `integrity_check of ${files.length} files, live, published and backups, is ok`, wrong };
}

function listBackups(home) {
  const folder = join(home, 'data/backups');
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.db'))
        .map((name) => join(folder, name))
    : [];
}

export function checkLeftFiles(workers) {
  const wrong = workers.flatMap(({ name, home }) =>
    readdirSync(join(home, 'data'), { recursive: true })
      .filter((file) => /\.new-|-journal$/.test(file))
      .map((file) => `${name}: ${file}`),
  );
  return { sentence: 'no half-written file is left', wrong };
}

export async function checkTarget(workers) {
  const wrong = [];
  for (const worker of workers) {
    const { code, stdout, stderr } = await runCommand(worker, ['publish', '--verify', '--json']);
    const results = code === 0 ? JSON.parse(stdout).targets.flatMap(({ accounts }) => accounts) : [];
    const bad = results.filter(({ verified }) => verified !== true);
    if (code !== 0) wrong.push(`${worker.name}: publish --verify ended with ${code}: ${stderr.trim()}`);
    wrong.push(...bad.map((each) => `${worker.name}: ${JSON.stringify(each)}`));
  }
  return { sentence: 'the target has what the published files have (publish --verify)', wrong };
}

/** Each request that arrived was written to the ledger before. */
export function checkLedger(workers, countEver) {
  const wrong = [];
  let all = 0;
  for (const { name, live, accounts } of workers) {
    const arrived = accounts.reduce((sum, { requests }) => sum + requests, 0);
    all += arrived;
    const written = countEver(live, 'request');
    if (written < arrived) wrong.push(`${name}: ${arrived} arrived, ${written} are in the ledger`);
  }
  return { sentence: `each of the ${all.toLocaleString('en-US')} requests was in the ledger`, wrong };
}

const median = (numbers) => [...numbers].sort((one, other) => one - other)[numbers.length >> 1] ?? 0;

/**
 * `samples`: of the worker that is never killed. The last third of the time needs hardly more than the second one: at most, and
 * of its helper processes at the median, since publications, loads and backups come and go.
 */
export function checkGrowth(samples) {
  const third = Math.floor(samples.length / 3);
  const [second, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const most = (part, name) => Math.max(0, ...part.map((each) => each[name]));
  const usual = (part, name) => median(part.map((each) => each[name]));
  const wrong = [];
  for (const [name, measure, factor, more] of [
    ['rss', most, 1.2, 16 * MIB],
    ['files', most, 1, 6],
    ['helpersRss', usual, 1.2, 16 * MIB],
    ['helpersFiles', usual, 1, 6],
  ]) {
    const [before, after] = [measure(second, name), measure(last, name)];
    if (after > before * factor + more)
      wrong.push(`${name}: ${before} in the second third, ${after} in the last one`);
  }
  const show = (part) =>
    `${Math.round(most(part, 'rss') / MIB)} MiB and ${most(part, 'files')} file descriptors`;
  const helpers = (part) => `${Math.round(usual(part, 'helpersRss') / MIB)} MiB`;
  const sentence = `the worker that ran all the time had at most ${show(second)} in the second third, and ${show(last)} in the last one; its helper processes usually ${helpers(second)} and ${helpers(last)}`;
  return { sentence, wrong };
}

/** Problems that may stay: a person ends them, or another day, or a service without them for three walks. */
const MAY_STAY = [
  /^storage of \w+: the service (now reports other figures|did not serve) /,
  /^storage of \w+: \d+ of \d+ booked days differ from what the service reports now/,
  /^storage of \w+: .* for a second reading$/,
  /^(videos|storage days) of \w+ (have|lack) /,
];
const mayStay = (text) => MAY_STAY.some((pattern) => pattern.test(text));

export function checkProblems(statuses) {
  const wrong = statuses.flatMap(({ error, needs = [] }) =>
    error ? [error] : needs.filter((text) => !mayStay(text)),
  );
  const kept = statuses.flatMap(({ needs = [] }) => needs).filter(mayStay);
  const left = kept.length > 0 ? `, except what a person or another day ends (${kept.length})` : '';
  return { sentence: `status has no problem after the last runs${left}`, wrong };
}
