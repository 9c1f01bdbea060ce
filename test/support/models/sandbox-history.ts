/**
 * Eleven days of a demo account, the same on every machine and every day: a real pipeline over real HTTP into
 * a real live file, by a clock that the history advances, and the file published from it. The proxy before
 * the sandbox omits a few days, and lists some videos in both packages.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import type { Change } from '../../../src/sandbox/churn.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import type { Catalogue, VideoQuery, VideoRecord } from '../../../src/service/server/catalogue.ts';
import { allDays, allRecords } from '../fixtures/json-page.ts';
import { createServiceServer } from '../../../src/service/server/server.ts';
import type { RunSummary } from '../../../src/sync/run.ts';
import type { Mode } from '../../../src/database/schema/runs.ts';
import { openPublisher } from '../../../src/publishing/publisher.ts';
import { createStorageConfig, createTestConfig } from '../fixtures/test-config.ts';
import { createVirtualClock, type VirtualClock } from '../clocks/virtual-clock.ts';
import { silentProgress } from '../../../src/sync/context.ts';
import { openPipeline } from '../../../src/app/pipeline.ts';

/** The service's calendar. */
export const TIMEZONE = 'Asia/Seoul';

/** The first requested day of storage. */
export const STORAGE_SINCE = '2025-10-01';

/** Days of which the service has no record: one ends a month, the last one is still requested. */
export const UNSERVED_DAYS = ['2025-12-31', '2026-02-07', '2026-02-08', '2026-03-10'] as const;

/** A seed whose account has changes of every kind. */
const SEED = 10;

/** Videos of 101 that 102 lists too, by their rank at the start; and one that was uploaded there again. */
const SHARED_RANKS = [70, 150];
const UPLOADED_TWICE = 330;
const OTHER_ID = 990_001;

const PACKAGES = [
  { id: 101, name: 'Lectures', videos: 400 },
  { id: 102, name: 'Campaigns', videos: 80 },
] as const;

/**
 * The events: a number of changes of the account, then a run at the moment. No runs on the weekend of 7
 * March.
 */
const STEPS: readonly { at: string; changes: number; mode?: Mode; answerMs?: number }[] = [
  { at: '2026-03-02T01:00Z', changes: 0 },
  { at: '2026-03-03T01:00Z', changes: 9 },
  { at: '2026-03-04T01:00Z', changes: 12 },
  { at: '2026-03-05T01:00Z', changes: 7 },
  { at: '2026-03-06T01:00Z', changes: 10, answerMs: 4000 },
  { at: '2026-03-09T01:00Z', changes: 16 },
  { at: '2026-03-10T01:00Z', changes: 8 },
  { at: '2026-03-11T01:00Z', changes: 22 },
  { at: '2026-03-12T01:00Z', changes: 26 },
  { at: '2026-03-12T05:00Z', changes: 6, mode: 'quick' },
];
const PUBLISHED_AT = '2026-03-12T06:00Z';

const PAGE_SIZE = 50;

/** The duration of one response, and of each record in it. */
const ANSWER_MS = 600;
const RECORD_MS = 8;

/** The contents of the service at a run, by package, and the changes since the previous run. */
export interface Step {
  at: string;
  mode: Mode;
  changes: readonly Change[];
  lists: ReadonlyMap<number, readonly VideoRecord[]>;
  summary: RunSummary;
}

export interface SandboxHistory {
  /** Paths of the two files. */
  live: string;
  published: string;
  steps: readonly Step[];
  /** Removes the files. */
  close(): void;
}

/** Creates the history. Needs `dist`, from which the publisher starts its process. */
export async function makeSandboxHistory(): Promise<SandboxHistory> {
  const folder = mkdtempSync(join(tmpdir(), 'vodhouse-test-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    return { ...(await liveThrough(folder)), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function liveThrough(folder: string): Promise<Omit<SandboxHistory, 'close'>> {
  const clock = createVirtualClock(PUBLISHED_AT);
  const account = await openAccount(clock);
  const config = historyConfig(folder, account.url, account.sandbox.key);
  const logger = createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined });
  const pipeline = openPipeline(config, { clock, logger, progress: silentProgress, command: 'test' });
  const { signal } = new AbortController();
  const steps: Step[] = [];
  try {
    for (const { at, changes: count, mode = 'full', answerMs = ANSWER_MS } of STEPS) {
      const changes = account.sandbox.churn(count);
      account.answerMs = answerMs;
      clock.set(at);
      const summary = await pipeline.run({ trigger: 'manual', mode, signal });
      steps.push({ at, mode, changes, summary, lists: await readLists(account.shown) });
    }
    clock.set(PUBLISHED_AT);
    await openPublisher(config, 'test')?.publish(clock.now(), signal);
  } finally {
    await pipeline.close();
    await account.server.close();
  }
  return { live: config.warehouse, published: config.publish?.file ?? '', steps };
}

/** The sandbox with its proxy, over HTTP on loopback. */
async function openAccount(clock: VirtualClock) {
  const newestMs = Date.parse(STEPS[0]?.at ?? '');
  const sandbox = createSandbox({ clock, seed: SEED, packages: PACKAGES, timezone: TIMEZONE, newestMs });
  const shown = await createProxy(sandbox.catalogue);
  const server = createServiceServer({
    catalogue: takingTime(shown, clock, () => account.answerMs),
    keys: [sandbox.key],
    defaultPageSize: PAGE_SIZE,
    maxPageSize: PAGE_SIZE,
    storageAuth: 'none',
    now: () => clock.now(),
  });
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 });
  const account = { sandbox, shown, server, url, answerMs: ANSWER_MS };
  return account;
}

/** The sandbox without the days, and with the shared videos. */
async function createProxy(sandbox: Catalogue): Promise<Catalogue> {
  const lectures = await allRecords(sandbox, 101);
  const shared = new Set(SHARED_RANKS.map((rank) => lectures[rank]?.id));
  const uploadedTwice = lectures[UPLOADED_TWICE]?.id;
  const campaigns = async () => {
    const list = await allRecords(sandbox, 101);
    const again = list.filter(({ id }) => id === uploadedTwice).map((video) => ({ ...video, id: OTHER_ID }));
    return [...(await allRecords(sandbox, 102)), ...list.filter(({ id }) => shared.has(id)), ...again];
  };
  return {
    storage: async ({ from, to }) => {
      const days = await allDays(sandbox, from, to);
      return { days: days.filter(({ date }) => !UNSERVED_DAYS.some((day) => day === date)) };
    },
    videos: async (query, signal) => {
      if (query.packageId !== 102) return sandbox.videos(query, signal);
      const list = await campaigns();
      return { totalcount: list.length, records: getPage(list, query) };
    },
  };
}

/** The page of a list by id, which is the only list that vodhouse requests. */
function getPage(list: readonly VideoRecord[], { sort, page, pageSize }: VideoQuery): VideoRecord[] {
  const sign = sort.direction === 'asc' ? 1 : -1;
  const sorted = list.toSorted((one, other) => sign * (one.id - other.id));
  return sorted.slice((page - 1) * pageSize, page * pageSize);
}

/** Every response advances the clock. */
function takingTime(shown: Catalogue, clock: VirtualClock, answerMs: () => number): Catalogue {
  return {
    storage: async (range) => {
      clock.advance(answerMs());
      return shown.storage(range);
    },
    videos: async (query, signal) => {
      const page = await shown.videos(query, signal);
      clock.advance(answerMs() + RECORD_MS * ('records' in page ? page.records.length : 0));
      return page;
    },
  };
}

async function readLists(shown: Catalogue): Promise<Step['lists']> {
  const lists = PACKAGES.map(async ({ id }) => [id, await allRecords(shown, id)] as const);
  return new Map(await Promise.all(lists));
}

/** One request at a time: the order is the same in every history. */
function historyConfig(folder: string, url: string, key: string): Config {
  const config = createTestConfig({ url, pageSize: PAGE_SIZE, concurrency: 1 }, join(folder, 'vodhouse.db'));
  const storage = createStorageConfig(url, { key, since: STORAGE_SINCE });
  const packages = PACKAGES.map(({ id, name }) => ({ id, name }));
  const videoList = { baseUrl: url, key, pageSize: PAGE_SIZE };
  return {
    ...config,
    timezone: TIMEZONE,
    accounts: config.accounts.map((account) => ({ ...account, videoList, storage, packages })),
    publish: {
      file: join(folder, 'vodhouse.bi.db'),
      exclude: ['access_key', 'org_access_key'],
      everyMs: 0,
      targets: [],
    },
  };
}
