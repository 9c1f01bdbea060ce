/**
 * Eleven days of a demo account, the same on every machine and every day: a real pipeline over real HTTP into a real live file, by a
 * clock that the history advances, and the file published from it. The service omits a few days, and lists some videos in both
 * packages.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPipeline } from '../../../src/app/pipeline.ts';
import type { Config } from '../../../src/config/config.ts';
import type { Mode } from '../../../src/database/schema/values.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { openPublisher } from '../../../src/publishing/publisher.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import type { Catalogue, VideoRecord } from '../../../src/service/server/catalogue.ts';
import { createServiceServer } from '../../../src/service/server/server.ts';
import { silentProgress } from '../../../src/sync/context.ts';
import { createVirtualClock, type VirtualClock } from '../clocks/virtual-clock.ts';
import { allDays, allRecords } from '../fixtures/json-page.ts';
import { createTestConfig } from '../fixtures/test-config.ts';

/** The service's calendar, and the first requested day of storage. */
const TIMEZONE = 'Asia/Seoul';
const STORAGE_SINCE = '2025-10-01';

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

/** A number of changes of the account, then a run at the moment. No runs on the weekend of 7 March. */
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

/** A video as a package listed it. */
export interface Listed {
  package_name: string;
  video: VideoRecord;
}

/** The contents of the service at a run, by package and id. */
export interface Step {
  at: string;
  mode: Mode;
  listed: readonly Listed[];
}

export type SandboxHistory = Awaited<ReturnType<typeof makeSandboxHistory>>;

/** Creates the history: the path of the published file, its steps, and what removes the files. Needs `dist`, from which the publisher starts its process. */
export async function makeSandboxHistory() {
  const folder = mkdtempSync(join(tmpdir(), 'vodhouse-test-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    return { ...(await liveThrough(folder)), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function liveThrough(folder: string) {
  const clock = createVirtualClock(PUBLISHED_AT);
  const pace = { answerMs: ANSWER_MS };
  const newestMs = Date.parse(STEPS[0]?.at ?? '');
  const sandbox = createSandbox({ clock, seed: SEED, packages: PACKAGES, timezone: TIMEZONE, newestMs });
  const catalogue = await createShown(sandbox.catalogue, clock, pace);
  const sizes = { defaultPageSize: PAGE_SIZE, maxPageSize: PAGE_SIZE };
  const now = () => clock.now();
  const server = createServiceServer({ catalogue, keys: [sandbox.key], ...sizes, storageAuth: 'none', now });
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 });
  const config = historyConfig(folder, url, sandbox.key);
  const logger = createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined });
  const pipeline = openPipeline(config, { clock, logger, progress: silentProgress, command: 'test' });
  const { signal } = new AbortController();
  const steps: Step[] = [];
  try {
    for (const { at, changes, mode = 'full', answerMs = ANSWER_MS } of STEPS) {
      sandbox.churn(changes);
      pace.answerMs = answerMs;
      clock.set(at);
      await pipeline.run({ trigger: 'manual', mode, signal });
      const endedAt = clock.now();
      steps.push({ at, mode, listed: await readLists(catalogue) });
      clock.set(endedAt); // reading the lists took time too
    }
    clock.set(PUBLISHED_AT);
    await openPublisher(config, 'test')?.publish(clock.now(), signal);
  } finally {
    pipeline.close();
    await server.close();
  }
  return { published: config.publish?.file ?? '', steps };
}

/** The sandbox without the days, and with the shared videos. Every response advances the clock. */
async function createShown(
  sandbox: Catalogue,
  clock: VirtualClock,
  pace: { answerMs: number },
): Promise<Catalogue> {
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
      clock.advance(pace.answerMs);
      const days = await allDays(sandbox, from, to);
      return { days: days.filter(({ date }) => !UNSERVED_DAYS.some((day) => day === date)) };
    },
    videos: async ({ packageId, sort, page, pageSize }) => {
      const list = packageId === 102 ? await campaigns() : await allRecords(sandbox, packageId);
      const sign = sort.direction === 'asc' ? 1 : -1; // vodhouse requests lists by id only
      const sorted = list.toSorted((one, other) => sign * (one.id - other.id));
      const records = sorted.slice((page - 1) * pageSize, page * pageSize);
      clock.advance(pace.answerMs + RECORD_MS * records.length);
      return { totalcount: list.length, records };
    },
  };
}

async function readLists(catalogue: Catalogue): Promise<Listed[]> {
  const lists = PACKAGES.map(async ({ id, name }) =>
    (await allRecords(catalogue, id)).map((video) => ({ package_name: name, video })),
  );
  return (await Promise.all(lists)).flat();
}

/** One request at a time: the order is the same in every history. */
function historyConfig(folder: string, url: string, key: string): Config {
  const options = { url, pageSize: PAGE_SIZE, concurrency: 1, timezone: TIMEZONE };
  const storage = { key, since: STORAGE_SINCE };
  const config = createTestConfig({ ...options, storage }, join(folder, 'vodhouse.db'));
  const packages = PACKAGES.map(({ id, name }) => ({ id, name }));
  const videoList = { baseUrl: url, key, pageSize: PAGE_SIZE, exclude: [] };
  const exclude = ['access_key', 'org_access_key'];
  return {
    ...config,
    accounts: config.accounts.map((account) => ({ ...account, videoList, packages })),
    publish: {
      file: join(folder, 'vodhouse.bi.db'),
      exclude,
      tagSeparators: [',', ';'],
      everyMs: 0,
      targets: [],
    },
  };
}

const getKey = ({ package_name, video }: Listed) => `${package_name}/${video.id}`;

/**
 * Every video that disappeared between two runs, in order of the runs: when it was first missing, in UTC to the minute as the file
 * has it (`2026-03-06 01:00`), and whether it came back.
 */
export function removalsIn(steps: readonly Step[]) {
  const keys = steps.map(({ listed }) => new Set(listed.map(getKey)));
  return steps.slice(0, -1).flatMap(({ listed }, index) =>
    listed
      .filter((each) => keys[index + 1]?.has(getKey(each)) === false)
      .map((each) => ({
        package_name: each.package_name,
        id: each.video.id,
        removed: (steps[index + 1]?.at ?? '').slice(0, 16).replace('T', ' '),
        isBack: keys.slice(index + 2).some((later) => later.has(getKey(each))),
      })),
  );
}
