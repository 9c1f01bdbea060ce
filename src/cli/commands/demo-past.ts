/** The files of the demo, and its past: real runs against the sandbox, by a clock that moves over 60 days. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { getDemoConfig } from '../../app/configured-warehouse.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/config.ts';
import { openForCopy } from '../../database/connection.ts';
import { lockOrThrow } from '../../database/lock.ts';
import { FOR_OWNER, makeFolder } from '../../database/files.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { addDays } from '../../lib/days.ts';
import { ConfigError } from '../../lib/errors.ts';
import { isDemoFile } from '../../warehouse/statements/warehouse-state.ts';
import { displayPath } from '../output/output.ts';
import { setImmediate as breathe } from 'node:timers/promises';
import { openPipeline, type Pipeline } from '../../app/pipeline.ts';
import type { Mode } from '../../database/schema/values.ts';
import { DAY_MS, HOUR_MS, toTimestamp, type Clock } from '../../lib/clock.ts';
import { createLogger } from '../../lib/logger.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { silentProgress } from '../../sync/context.ts';
import type { CommandContext } from '../command-context.ts';
import { transact } from '../../database/transaction.ts';
import { correctDay } from '../../warehouse/store-days.ts';

export const TIMEZONE = 'Asia/Seoul';

const LECTURES = { id: 101, name: 'Lectures', videos: 1_000 } as const;

/** The packages of the sandbox account, with the number of videos that each starts with. */
export const PACKAGES = [
  LECTURES,
  { id: 102, name: 'Campaigns', videos: 240 },
  { id: 103, name: 'Archive (empty)', videos: 0 },
  { id: 104, name: 'Webinars', videos: 360, shares: LECTURES },
  { id: 105, name: 'Product tours', videos: 120 },
] as const;
const [CAMPAIGNS, WEBINARS, TOURS] = [102, 104, 105] as const;

/** The first line of the demo's config. A file of this name without that line is not replaced. */
const MARKER = '# Written by vodhouse demo at each start. The account answers while the demo runs.\n';

/**
 * Writes the config of the demo next to its warehouse, and returns it with more frequent runs. The sandbox
 * answers at `url`; the web server listens on `port`. Without a worker (`isRunning` is false) the schedule is
 * hourly, so that `status` does not report the packages as stale a few minutes later.
 */
export function writeDemoConfig(
  warehouse: string,
  { url, key, port, isRunning }: { url: string; key: string; port: number; isRunning: boolean },
): Config {
  const now = Date.now();
  const tick = new Date(now - 2 * HOUR_MS);
  // walks Campaigns once a day, so that its removals stay held back until tomorrow
  const daily = `${tick.getUTCMinutes()} ${tick.getUTCHours()} * * *`;
  const packages = PACKAGES.map(
    ({ id, name }) =>
      `      - { id: ${id}, name: ${name}${id === CAMPAIGNS ? `, schedule: "${daily}"` : ''} }\n`,
  );
  const file = getDemoConfig(warehouse);
  makeFolder(dirname(file), FOR_OWNER, file);
  const text = `${MARKER}warehouse: ${JSON.stringify(parse(warehouse).base)}
timezone: ${TIMEZONE}
accounts:
  - name: demo
    video_list: { base_url: "${url}", key: ${key}, page_size: 250 }
    storage: { base_url: "${url}", since: ${addDays(createCalendar(TIMEZONE).dayAt(now), -400)}, settle: 0s }
    proxy: none
    packages:
${packages.join('')}    limits: { per_second: 20, per_minute: 600, per_day: null }
schedule: { timezone: UTC, full: "${isRunning ? '* * * * *' : '@hourly'}" }
publish: { file: ${JSON.stringify(parse(getPublishedFile(warehouse)).base)} }
server: { port: ${port} }
`;
  writeFileSync(file, text, { mode: 0o600 });
  const config = loadConfig(file);
  // more often than a config file may ask for; the first tick is as late as possible, so that it does not
  // preempt the first load
  const seconds = [0, 20, 40].map((later) => (new Date(now).getUTCSeconds() + later) % 60);
  return { ...config, schedule: { ...config.schedule, full: `${seconds.join(',')} * * * * *` } };
}

/**
 * Removes the warehouse and the published file of an earlier demo. Throws ConfigError where a file of these
 * names is not of a demo, and LockedError where one runs.
 */
export function removeEarlierDemo(warehouse: string): void {
  const [config, published] = [getDemoConfig(warehouse), getPublishedFile(warehouse)];
  const isOurs = existsSync(config) && readFileSync(config, 'utf8').startsWith(MARKER);
  const foreign = [config, warehouse, published].find((file) =>
    isOurs ? file === warehouse && existsSync(file) && !isDemo(file) : existsSync(file),
  );
  if (foreign !== undefined)
    throw new ConfigError(
      `${displayPath(foreign)} exists, and vodhouse demo did not make it; nothing was changed`,
      { hint: 'name another file: vodhouse demo --file data/new-demo.db' },
    );
  // throws while another demo uses the file
  if (existsSync(warehouse)) lockOrThrow(warehouse, 'worker', 'demo', Date.now()).release();
  for (const file of [warehouse, `${warehouse}-wal`, `${warehouse}-shm`, published])
    rmSync(file, { force: true });
}

/** Whether a live file of any version is that of a demo. Changes nothing. */
function isDemo(warehouse: string): boolean {
  const db = openForCopy(warehouse);
  try {
    return isDemoFile(db);
  } finally {
    db.$client.close();
  }
}

/** `data/demo.bi.db` for `data/demo.db`. */
function getPublishedFile(warehouse: string): string {
  const { dir, name, ext } = parse(warehouse);
  return join(dir, `${name}.bi${ext}`);
}

/** The days from the first run of the past to the last one, and how long ago the last one began. */
const PAST_DAYS = 60;
const ENDS_AGO_MS = HOUR_MS;
/** The runs, as days before the last one. Those at a multiple of six are full. */
const RUNS = [60, 54, 48, 42, 36, 30, 24, 18, 12, 7, 6, 5, 4, 3, 2, 1, 0.75, 0.5, 0.25, 0];
const FULL_EVERY = 6;
/** Changes begin this long after a run began; it is over by then, also if it was parked. */
const RUN_MS = 3 * HOUR_MS;
/** Days before the last run: a day that the service leaves out, one that it counts too low, a restriction. */
const [GAP, CORRECTED, RESTRICTED] = [33, 6, 42];
/** How long the service asks to wait when it restricts the account. */
const RESTRICTION_MS = 2 * HOUR_MS;

/** What happens to the account before a run, by the days of that run before the last one. */
const INCIDENTS: Partial<Record<number, (sandbox: Sandbox, getDay: (daysAgo: number) => string) => void>> = {
  [PAST_DAYS]: ({ incidents }, getDay) => {
    incidents.leaveOut(getDay(GAP));
    incidents.changeDay(getDay(CORRECTED), 0.7);
  },
  48: ({ incidents }) => incidents.failPackages(PACKAGES.map(({ id }) => id)),
  [RESTRICTED]: ({ incidents }) => incidents.restrictOnce(RESTRICTION_MS),
  30: ({ removeMany }) => removeMany(TOURS, 37),
  24: ({ incidents }) => incidents.failPackages([WEBINARS]),
  [CORRECTED - 2]: ({ incidents }, getDay) => incidents.changeDay(getDay(CORRECTED), 1),
  // the files are deleted tomorrow, so that the storage of today does not fall
  0: ({ removeMany }, getDay) => removeMany(CAMPAIGNS, 71, getDay(-1 - ENDS_AGO_MS / DAY_MS)),
};

/** The clock of the demo. In the past only `set` and sleeps move it; after that it is the machine's clock. */
export interface PastClock extends Clock {
  /** Moves it to a moment of the past (ms); null: to the machine's clock, by which sleeps take no time. */
  set(ms: number | null): void;
}

/** Creates the clock, which begins as the machine's. */
export function createPastClock(): PastClock {
  let past: number | null = null;
  return {
    now: () => past ?? Date.now(),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      if (past === null) return;
      past += Math.max(0, Math.ceil(ms)); // clocks have whole milliseconds
      await breathe();
    },
    set: (ms) => void (past = ms),
  };
}

/** When the past begins, in milliseconds since 1970. */
export function startOfPast(): number {
  return Math.floor((Date.now() - ENDS_AGO_MS) / 1000) * 1000 - PAST_DAYS * DAY_MS;
}

interface PastParts {
  config: Config;
  /** Its clock is `clock`. */
  sandbox: Sandbox;
  clock: PastClock;
  /** When the past begins, in milliseconds since 1970. */
  startMs: number;
  context: CommandContext;
  signal: AbortSignal;
}

/** Makes the past in a new live file, and returns a line about it. Throws its reason if the signal aborts. */
export async function makePast(parts: PastParts): Promise<string> {
  const { config, sandbox, clock, startMs, context, signal } = parts;
  const endMs = startMs + PAST_DAYS * DAY_MS;
  const calendar = createCalendar(TIMEZONE);
  const getDay = (daysAgo: number) => calendar.dayAt(endMs - daysAgo * DAY_MS);
  const changeUntil = createChanges(sandbox, clock, startMs);
  clock.set(startMs);
  const logger = createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined });
  const pipeline = openPipeline(config, { ...context, clock, logger, progress: silentProgress });
  const makeRun = async (mode: Mode, resumesFrom: string | null): Promise<void> => {
    const trigger = resumesFrom === null ? 'schedule' : 'catch_up';
    await pipeline.run({ trigger, mode, resumesFrom, signal });
    signal.throwIfAborted();
  };
  try {
    for (const daysAgo of RUNS) {
      const at = endMs - daysAgo * DAY_MS;
      changeUntil(at, daysAgo === PAST_DAYS ? 0 : countChanges(daysAgo));
      INCIDENTS[daysAgo]?.(sandbox, getDay);
      await makeRun(daysAgo % FULL_EVERY === 0 ? 'full' : 'quick', null);
      if (daysAgo === CORRECTED - 2) await correctOneDay(pipeline, getDay(CORRECTED), clock, signal);
      sandbox.incidents.answerAgain();
      if (daysAgo !== RESTRICTED) continue;
      clock.set(at + RESTRICTION_MS);
      await makeRun('full', toTimestamp(at));
    }
    changeUntil(endMs + ENDS_AGO_MS, 14);
  } finally {
    pipeline.close();
    clock.set(null);
  }
  const runs = `${RUNS.length + 1} runs, among them an outage and a restriction`;
  const days = 'one missing day of storage, one corrected day, and removals that are held back';
  return `a past of ${PAST_DAYS} days is made up: ${runs}, ${days}\n`;
}

async function correctOneDay(
  pipeline: Pipeline,
  day: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const { observed: row } = await pipeline.readCorrection('demo', day, signal);
  const reason = 'the service counted the day again';
  transact(pipeline.warehouse.db, (tx) =>
    correctDay(tx, { account: 'demo', row, acceptedAt: clock.now(), reason }),
  );
}

/** Returns a function that spreads `changes` evenly from the end of the last run to `ms`. */
function createChanges(sandbox: Sandbox, clock: PastClock, startMs: number) {
  let doneMs = startMs;
  return (ms: number, changes: number): void => {
    const firstMs = doneMs + Math.min(RUN_MS, (ms - doneMs) / 2);
    for (let made = 0; made < changes; made++) {
      clock.set(Math.floor(firstMs + ((ms - firstMs) * made) / changes));
      sandbox.churn(1);
    }
    clock.set(ms);
    doneMs = ms;
  };
}

/** The number of changes before a run; fewer on the last day, because its runs are close together. */
const countChanges = (daysAgo: number): number => (daysAgo < 1 ? 8 : 12 + ((daysAgo * 7) % 34));
