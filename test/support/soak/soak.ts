import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runWorker } from '../../../src/app/worker.ts';
import type { Config } from '../../../src/config/config.ts';
import { DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { InterruptedError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { silentProgress } from '../../../src/sync/context.ts';
import { createVirtualClock, toMs, type VirtualClock } from '../clocks/virtual-clock.ts';
import { readRows } from '../fixtures/live-file.ts';
import { createTestConfig } from '../fixtures/test-config.ts';
import {
  outagesFrom,
  outageWithin,
  startSoakService,
  type Outage,
  type SoakService,
} from './soak-service.ts';

export const DAYS = Math.max(10, Number(process.env['SOAK_DAYS'] ?? 10));
export const SEED = Number(process.env['SOAK_SEED'] ?? 7);
/** On 29 March 2026 the clocks of Berlin go forward. */
export const START = toMs('2026-03-22T09:04Z');
export const END = START + DAYS * DAY_MS;
const TIMEZONE = 'Europe/Berlin';
export const SINCE = '2026-03-13';

export const LIMITS = { perSecond: 5, perMinute: 20, perDay: 1_700 };
export const RETENTION = { requestsDays: 3, runsDays: 4 };
/** How often the sizes are recorded, in days: rows have been deleted by then. */
export const SIZES_EVERY = 5;
const SCHEDULE = { full: '0 * * * *', quick: '*/20 * * * *', timezone: 'UTC' };
export const QUICK_MS = 20 * MINUTE_MS;

const PACKAGES = [220, 120, 0, 70, 30].map((videos, index) => ({ id: 101 + index, videos }));

export interface SoakRun {
  id: number;
  mode: 'full' | 'quick';
  status: string;
  startedAt: number;
  finishedAt: number;
  /** It resumes one that was parked. */
  goesOn: boolean;
  error: string | null;
}

/** The result. */
export interface Soak {
  service: SoakService;
  outages: readonly Outage[];
  runs: SoakRun[];
  /** Log messages that no outage explains. */
  defects: string[];
  /** After each `SIZES_EVERY` days: bytes of the heap in use, and of each table with its indexes. */
  sizes: { day: number; heap: number; tables: ReadonlyMap<string, number> }[];
  endedAt: number;
}

/** Runs for these days with the file at `path`. */
export async function runSoak(path: string): Promise<Soak> {
  const clock = createVirtualClock(START);
  const outages = outagesFrom(START, DAYS, SEED);
  const account = { packages: PACKAGES, timezone: TIMEZONE, seed: SEED };
  const service = await startSoakService({ clock, outages, ...account });
  const soak: Soak = { service, outages, runs: [], defects: [], sizes: [], endedAt: 0 };
  try {
    await live(soak, clock, soakConfig(service.url, path));
  } finally {
    await service.close();
  }
  soak.endedAt = clock.now();
  return soak;
}

async function live(soak: Soak, clock: VirtualClock, config: Config): Promise<void> {
  const { outages, service } = soak;
  const worker = startWorker(config, clock, soak.defects);
  let recordedAt = START;
  for (let at = START; at < END; at = nextCheck(outages, at, clock.now())) {
    clock.set(Math.max(at, clock.now()));
    churn(service, at);
    await worker.runTick();
    if (at < recordedAt) continue;
    recordedAt += DAY_MS / 2; // runs are deleted by age
    record(soak, config.warehouse, clock.now());
  }
  service.stopChanges(); // one more full run, with a service that does not change
  clock.set(Math.ceil(clock.now() / HOUR_MS) * HOUR_MS);
  await worker.runTick();
  await worker.stop();
  record(soak, config.warehouse, clock.now());
}

/** A run may be due every twenty minutes; around an outage, and after a missed tick, at any minute. */
function nextCheck(outages: readonly Outage[], lastAt: number, now: number): number {
  const minute = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
  const isOften = now - lastAt > MINUTE_MS || outageWithin(outages, minute, minute + 5 * MINUTE_MS);
  return isOften ? minute : Math.ceil(minute / QUICK_MS) * QUICK_MS;
}

/** A change every second hour, and sometimes many at once. */
function churn({ sandbox }: SoakService, at: number): void {
  if (at % (2 * HOUR_MS) === 20 * MINUTE_MS) sandbox.churn(1);
  if (at % (8 * DAY_MS) === 40 * MINUTE_MS) sandbox.churn(40);
}

function soakConfig(url: string, path: string): Config {
  const packages = PACKAGES.map(({ id }) => id);
  const storage = { key: 'sandbox-key', since: SINCE };
  const options = { url, packages, pageSize: 50, removalBrake: 0.2, timezone: TIMEZONE, limits: LIMITS };
  const config = createTestConfig({ ...options, storage, retention: RETENTION }, path);
  const accounts = config.accounts.map((account) => ({
    ...account,
    videoList: { ...account.videoList, key: 'sandbox-key' },
  }));
  return { ...config, accounts, schedule: SCHEDULE };
}

/** The real worker. The test triggers its ticks. `defects` gets what it must never log. */
function startWorker(config: Config, clock: VirtualClock, defects: string[]) {
  const controller = new AbortController();
  let give: (tick: () => Promise<void>) => void = () => undefined;
  const given = new Promise<() => Promise<void>>((resolve) => (give = resolve));
  const write = (line: string) => {
    if (line.includes('the run failed') || line.includes('could not be stored')) defects.push(line);
  };
  const logger = createLogger({ level: 'error', format: 'json', secrets: [], write });
  const startTicks = (tick: () => Promise<void>) => {
    give(tick);
    return () => undefined;
  };
  const ignore = () => undefined;
  const listeners = {
    onRun: ignore,
    onStarted: ignore,
    onReloaded: ignore,
    onServing: ignore,
    onPublished: ignore,
  };
  const surroundings = { clock, logger, progress: silentProgress, command: 'start', startTicks };
  const ended = runWorker(config, surroundings, controller.signal, listeners);
  const endedEarly = ended.then(() => Promise.reject(new Error('the worker ended before its first tick')));
  endedEarly.catch(ignore);
  return {
    /** Checks what is due, and resolves when that is done. */
    runTick: async () => {
      await (
        await Promise.race([given, endedEarly])
      )();
    },
    stop: async () => {
      controller.abort(new InterruptedError('stopped by the test'));
      await ended;
    },
  };
}

/**
 * Adds the runs that ended since the last time, and the sizes where they are due. Call it only while no run is
 * in progress.
 */
function record({ runs, sizes }: Soak, path: string, now: number): void {
  const since = runs.at(-1)?.id ?? 0;
  const rows = readRows(path, 'select * from run where run_id > ? order by run_id', since);
  const toRun = (row: (typeof rows)[number]): SoakRun => ({
    id: Number(row['run_id']),
    mode: row['mode'] as SoakRun['mode'],
    status: String(row['status']),
    startedAt: fromTimestamp(String(row['started_at'])),
    finishedAt: fromTimestamp(String(row['finished_at'])),
    goesOn: row['origin_started_at'] !== null,
    error: row['error'] as string | null,
  });
  runs.push(...rows.map(toRun));
  const day = (sizes.at(-1)?.day ?? 0) + SIZES_EVERY;
  if (now < START + day * DAY_MS) return;
  const tables = readRows(
    path,
    `select coalesce(tbl_name, stat.name) as name, sum(pgsize) as bytes
     from dbstat as stat left join sqlite_schema as entry on entry.name = stat.name group by 1`,
  );
  sizes.push({
    day,
    heap: heapInUse(),
    tables: new Map(tables.map(({ name, bytes }) => [String(name), Number(bytes)])),
  });
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
