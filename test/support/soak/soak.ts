/**
 * A worker for many days by a virtual clock: its schedule, the outages of its service, its crashes. `SOAK_DAYS` (default and
 * least: 30) and `SOAK_SEED` change its length, its videos, its outages and its crashes.
 */
import type { Config } from '../../../src/config/config.ts';
import { createStorageConfig, createTestConfig } from '../fixtures/test-config.ts';
import { measure, readRunsAfter, type Sizes, type SoakRun } from './soak-results.ts';
import { outagesFrom, outageWithin, type Outage } from './soak-outages.ts';
import { startSoakService, type SoakService } from './soak-service.ts';
import { startSoakWorker, type SoakWorker } from './soak-worker.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../../src/lib/clock.ts';
import { createVirtualClock, toMs, type VirtualClock } from '../clocks/virtual-clock.ts';
export const DAYS = Math.max(30, Number(process.env['SOAK_DAYS'] ?? 30));
export const SEED = Number(process.env['SOAK_SEED'] ?? 7);
/** On 29 March 2026 the clocks of Berlin go forward. */
export const START = toMs('2026-03-10T09:04Z');
export const END = START + DAYS * DAY_MS;
const TIMEZONE = 'Europe/Berlin';
export const SINCE = '2026-03-01';

export const LIMITS = { perSecond: 5, perMinute: 20, perDay: 1_700 };
export const RETENTION = { requestsDays: 7, runsDays: 10 };
const SCHEDULE = { full: '0 * * * *', quick: '*/20 * * * *' };
export const QUICK_MS = 20 * MINUTE_MS;
const isFullTick = (at: number) => at % HOUR_MS === 0;

const PACKAGES = [
  { id: 101, videos: 220 },
  { id: 102, videos: 120 },
  { id: 103, videos: 0 },
  { id: 104, videos: 70 },
  { id: 105, videos: 30 },
];

/** When the worker is killed, every ten days: a number of requests after a tick of a full run. */
const DEATHS = Array.from({ length: Math.floor(DAYS / 10) }, (_, index) => ({
  at:
    Math.ceil(START / HOUR_MS) * HOUR_MS +
    (10 * index + 4) * DAY_MS +
    ((SEED * 5 + index * 7) % 24) * HOUR_MS,
  requests: 3 + ((SEED + index * 3) % 8),
}));
/** How long it stays down. */
const DEAD_FOR_MS = 130_000;

/** The result. */
export interface Soak {
  service: SoakService;
  outages: readonly Outage[];
  runs: SoakRun[];
  /** The moments of its crashes, and of the restarts after them. */
  deaths: { at: number; again: number }[];
  /** Log messages that no outage explains. */
  defects: string[];
  /** After each ten days. */
  sizes: Sizes[];
  endedAt: number;
}

/** Runs for these days with the file at `path`. */
export async function runSoak(path: string): Promise<Soak> {
  const clock = createVirtualClock(START);
  const outages = outagesFrom(START, DAYS, SEED);
  const service = await startSoakService({
    clock,
    packages: PACKAGES,
    timezone: TIMEZONE,
    outages,
    seed: SEED,
  });
  const config = soakConfig(service.url, path);
  const soak: Soak = { service, outages, runs: [], deaths: [], defects: [], sizes: [], endedAt: 0 };
  const begin = () => startWorker(config, soak, clock);
  const everyHalfDay = () => {
    soak.runs.push(...readRunsAfter(path, soak.runs.at(-1)?.id ?? 0));
    recordSizes(soak, path, clock.now());
  };
  try {
    await live(soak, clock, begin, everyHalfDay);
  } finally {
    await service.close();
  }
  soak.endedAt = clock.now();
  return soak;
}

async function live(soak: Soak, clock: VirtualClock, begin: () => SoakWorker, everyHalfDay: () => void) {
  const { outages, service } = soak;
  const deaths = [...DEATHS];
  let worker = begin();
  let sizesAt = START;
  for (let at = START; at < END; at = nextCheck(outages, at, clock.now())) {
    clock.set(Math.max(at, clock.now()));
    churn(service, at);
    if (deaths[0] && at >= deaths[0].at) service.atArrival(deaths.shift()?.requests ?? 0, worker.kill);
    await worker.runTick();
    if (worker.isKilled()) worker = await startAgain(worker, soak, clock, begin);
    if (at < sizesAt) continue;
    sizesAt += DAY_MS / 2;
    everyHalfDay();
  }
  await endQuietly(worker, service, clock);
  everyHalfDay();
}

/** One more full run, with a service that does not change. */
async function endQuietly(worker: SoakWorker, service: SoakService, clock: VirtualClock): Promise<void> {
  service.stopChanges();
  clock.set(Math.ceil(clock.now() / HOUR_MS) * HOUR_MS);
  await worker.runTick();
  await worker.stop();
}

function startWorker(config: Config, soak: Soak, clock: VirtualClock): SoakWorker {
  const onDefect = (line: string) => void soak.defects.push(line);
  return startSoakWorker({ config, clock, onDefect });
}

async function startAgain(dead: SoakWorker, { deaths }: Soak, clock: VirtualClock, begin: () => SoakWorker) {
  const at = clock.now();
  await dead.restoreFiles();
  clock.advance(DEAD_FOR_MS);
  deaths.push({ at, again: clock.now() });
  const worker = begin();
  await worker.runTick();
  return worker;
}

/**
 * The ticks of the schedule from the first full hour on; the last full one is after the end, and runs anyway.
 */
export function ticks(): { full: number[]; quick: number[] } {
  const first = Math.ceil(START / HOUR_MS) * HOUR_MS;
  const all = Array.from({ length: (DAYS * DAY_MS) / QUICK_MS + 1 }, (_, index) => first + index * QUICK_MS);
  return { full: all.filter(isFullTick), quick: all.filter((at) => at <= END) };
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

function recordSizes({ sizes }: Soak, path: string, now: number): void {
  const day = (sizes.at(-1)?.day ?? 0) + 10;
  if (now >= START + day * DAY_MS) sizes.push(measure(path, day));
}

function soakConfig(url: string, path: string): Config {
  const base = createTestConfig(
    { url, packages: PACKAGES.map(({ id }) => id), pageSize: 50, removalBrake: 0.2 },
    path,
  );
  const [account] = base.accounts;
  if (!account) throw new Error('the config has no account');
  const videoList = { ...account.videoList, key: 'sandbox-key' };
  const storage = createStorageConfig(url, { key: 'sandbox-key', since: SINCE });
  const limits = { ...account.limits, ...LIMITS };
  return {
    ...base,
    timezone: TIMEZONE,
    accounts: [{ ...account, videoList, storage, limits }],
    schedule: { ...SCHEDULE, timezone: 'UTC' },
    retention: RETENTION,
  };
}
