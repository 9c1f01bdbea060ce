/**
 * `npm run bench -- [CASE…] [--videos N] [--rounds N] [--json]`: measures vodhouse beside a floor, the same work written by
 * hand without any check, in interleaved rounds on the same machine. Absolute times depend on the machine: compare the
 * ratios. `--json` also writes all figures to bench/results/VERSION.json.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { CASES } from './cases.js';
import { PEER_CASE } from './peers/case.js';
import { startListServer } from './processes.js';

const OPTIONS = {
  videos: { type: 'string', default: '100000' },
  rounds: { type: 'string', default: '5' },
  json: { type: 'boolean', default: false },
};
const all = [...CASES, PEER_CASE];

function readOptions() {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [videos, rounds] = [values.videos, values.rounds].map(Number);
  const unknown = positionals.filter((name) => !all.some((each) => each.name === name));
  if (!Number.isInteger(videos / 1000) || !(rounds > 0) || unknown.length > 0) {
    const names = all.map(({ name }) => name).join(' ');
    console.error('usage: npm run bench -- [CASE…] [--videos THOUSANDS] [--rounds N] [--json]');
    console.error(`cases: ${names}`);
    process.exit(2);
  }
  const cases = positionals.length > 0 ? all.filter(({ name }) => positionals.includes(name)) : all;
  return { videos, rounds, cases, isJson: values.json };
}

/** Figures of each round by step, then by contender: `{ step: { contender: [figures, …] } }`. */
async function measure({ steps, open }, options) {
  const root = mkdtempSync(new URL('../data/bench-', import.meta.url).pathname);
  const list = await startListServer();
  const site = await open({ ...options, root, list });
  try {
    if (typeof site === 'string') return site;
    const measured = {};
    for (let round = 0; round < options.rounds; round++) {
      const folder = `${root}/round-${round}`;
      mkdirSync(folder);
      await site.begin?.(folder);
      for (const step of steps) await measureStep(site, step, folder, (measured[step] ??= {}));
      rmSync(folder, { recursive: true });
    }
    return measured;
  } finally {
    await site.close?.();
    list.stop();
    rmSync(root, { recursive: true });
  }
}

/** All contenders after each other. A contender returns null for a step that it does not have. */
async function measureStep(site, step, folder, measured) {
  await site.before?.(step, folder);
  for (const [contender, work] of Object.entries(site.contenders)) {
    const figures = await work(step, folder);
    if (figures) (measured[contender] ??= []).push(figures);
  }
  await site.after?.(step);
}

const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];

/**
 * A row for each step and contender: the medians, and the speed as a share of that of the floor: the first contender, if the case
 * names none.
 */
function summarize(measured, floorName) {
  return Object.entries(measured).flatMap(([step, contenders]) => {
    const medians = Object.entries(contenders).map(([contender, rounds]) => {
      const names = Object.keys(rounds[0]);
      const figures = names.map((name) => [name, median(rounds.map((each) => each[name]))]);
      return { step, contender, ...Object.fromEntries(figures) };
    });
    const floor = floorName ? medians.find(({ contender }) => contender === floorName) : medians[0];
    const isCompared = floor && medians.length > 1;
    return medians.map((row) => ({ ...row, ...(isCompared && compare(row, floor)) }));
  });
}

function compare(row, floor) {
  const ratios = {};
  if (row.seconds) ratios.ofFloor = floor.seconds / row.seconds;
  if (row.inProcess && floor.inProcess) ratios.ofFloorInProcess = floor.inProcess / row.inProcess;
  return ratios;
}

const show = (value) =>
  typeof value !== 'number' ? (value ?? '') : value < 100 ? value.toFixed(2) : Math.round(value);

function print({ name, about }, rows) {
  console.log(`\n${name}: ${about}`);
  if (typeof rows === 'string') return console.log(`  left out: ${rows}`);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  console.table(rows.map((row) => Object.fromEntries(columns.map((column) => [column, show(row[column])]))));
}

function describeMachine() {
  const [{ model }] = cpus();
  const memoryGb = Math.round(totalmem() / 1e9);
  return { cpu: model, cores: cpus().length, memoryGb, node: process.version, load: loadavg() };
}

const { cases, isJson, ...options } = readOptions();
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const machine = describeMachine();
const results = {};
console.log(
  `vodhouse ${version}, ${options.videos} videos, median of ${options.rounds} rounds; ${machine.cores} × ${machine.cpu}, ` +
    `Node ${machine.node}, load ${machine.load[0].toFixed(1)}. ofFloor: speed as a share of that of the floor.`,
);
for (const each of cases) {
  const measured = await measure(each, options);
  const rows = typeof measured === 'string' ? measured : summarize(measured, each.floor);
  results[each.name] = { about: each.about, rows };
  print(each, rows);
}
if (isJson) {
  const document = {
    version,
    at: new Date().toISOString(),
    ...options,
    machine,
    loadAfter: loadavg(),
    results,
  };
  const file = new URL(`results/${version}.json`, import.meta.url);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
  console.log(`written to bench/results/${version}.json`);
}
