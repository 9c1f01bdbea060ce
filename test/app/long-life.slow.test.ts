/** A worker for days of a virtual clock, whose service has a bad night each day. */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { listDays } from '../../src/lib/days.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { readRows, readValue } from '../support/fixtures/live-file.ts';
import {
  listPage,
  STORAGE,
  storageBody,
  storageRecord,
  videoRecord,
} from '../support/fixtures/service-responses.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';
import { startTestWorker } from '../support/fixtures/test-worker.ts';
import {
  addDate,
  startScriptedService,
  type Reply,
  type SeenRequest,
} from '../support/servers/scripted-service.ts';

const START = '2026-03-10T12:30:00Z';
const [SINCE, LAST] = ['2026-03-05', '2026-03-15'];
/** The rows of both periods that are compared are deleted meanwhile. */
const RETENTION = { requestsDays: 1, runsDays: 1 };
const PERIOD_HOURS = 48;
const KEPT_FOR_EVER = ['video_version', 'storage_reading', 'storage_day', 'package_day'];
const KIB = 1024;

/** What the service answers for two hours around midnight in Seoul (15:00 UTC), another night each. */
const FAULTS: readonly Reply[] = [
  { status: 503 },
  'drop',
  { status: 429, headers: { 'retry-after': '900' } },
  { status: 503, headers: { 'retry-after': '3000' } },
];
const isNight = (hour: number) => [14, 15].includes(hour % 24);

const figureOf = (date: string) => 1_000_000 + Number(date.slice(-2));

async function openWorker() {
  const clock = createVirtualClock(START);
  let edits = 0;
  const serve = (request: SeenRequest): Reply => {
    const { query, path } = request;
    const hour = Math.floor(clock.now() / HOUR_MS);
    if (isNight(hour)) return FAULTS[Math.floor(hour / 24) % FAULTS.length] ?? 'drop';
    if (path !== STORAGE)
      return listPage(request, [videoRecord(1, { title: `title ${edits}` }), videoRecord(2)]);
    const days = listDays({ from: query.get('sdate') ?? '', to: query.get('edate') ?? '' });
    return { body: storageBody(days.map((date) => storageRecord(date, figureOf(date)))) };
  };
  const service = await startScriptedService((request) => addDate(serve(request), clock.now()));
  const path = join(temporaryFolder(), 'vodhouse.db');
  const config = createTestConfig(
    { url: service.url, storage: { since: SINCE }, retention: RETENTION },
    path,
  );
  const worker = startTestWorker(config, clock);
  await worker.settled;
  /** The next full hour. Returns the runs that began in it. */
  const passHour = async () => {
    const before = Number(readValue(path, 'select max(run_id) from run'));
    clock.set(Math.ceil((clock.now() + 1) / HOUR_MS) * HOUR_MS);
    const isBad = isNight(clock.now() / HOUR_MS);
    edits += clock.now() % (6 * HOUR_MS) === 0 ? 1 : 0;
    await worker.tick();
    for (const list of [worker.runs, worker.log, service.requests]) list.length = 0;
    const begun = readRows(path, 'select status from run where run_id > ?', before);
    return begun.map(({ status }) => (isBad ? 'in a bad night' : status));
  };
  return { path, passHour };
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Bytes of each table with its indexes. */
const sizesOf = (path: string) =>
  readRows(
    path,
    `select coalesce(tbl_name, stat.name) as name, sum(pgsize) as bytes
     from dbstat as stat left join sqlite_schema as entry on entry.name = stat.name group by 1`,
  ).map(({ name, bytes }): [string, number] => [String(name), Number(bytes)]);

it('makes one run an hour, books each day as it was, and grows by no row that was deleted', async () => {
  const { path, passHour } = await openWorker();
  const measured: { heap: number; tables: [string, number][] }[] = [];
  for (let hour = 1; hour <= 3 * PERIOD_HOURS; hour += 1) {
    const begun = await passHour();
    expect([hour, begun.length]).toEqual([hour, 1]);
    expect(['succeeded', 'in a bad night']).toContain(begun[0]);
    if (hour % PERIOD_HOURS === 0) measured.push({ heap: heapInUse(), tables: sizesOf(path) });
  }
  const booked = readRows(
    path,
    `select date, mov_org_size from storage_day where state = 'booked' order by date`,
  );
  expect(booked).toEqual(
    listDays({ from: SINCE, to: LAST }).map((date) => ({ date, mov_org_size: figureOf(date) })),
  );
  for (const table of ['storage_gap', 'storage_discrepancy'])
    expect([table, readRows(path, `select * from ${table}`)]).toEqual([table, []]);
  const [, before, after] = measured;
  expect((after?.heap ?? Infinity) - (before?.heap ?? 0)).toBeLessThan(KIB ** 2);
  const earlier = new Map(before?.tables);
  for (const [name, bytes] of after?.tables ?? [])
    if (!KEPT_FOR_EVER.includes(name))
      expect([name, bytes - (earlier.get(name) ?? 0) <= 8 * KIB]).toEqual([name, true]);
});
