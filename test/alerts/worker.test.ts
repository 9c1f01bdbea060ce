import { INCIDENT_EVENTS } from '../../src/health/incident-events.ts';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AccountConfig, Config, NotifyConfig } from '../../src/config/config.ts';
import type { RunSummary } from '../../src/sync/run.ts';
import {
  CANARY_KEY,
  findCanary,
  replyWithKey,
  QUICK_PACKAGES,
  writtenFiles,
} from '../support/fixtures/awkward-key.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { START } from '../support/fixtures/open-pipeline.ts';
import {
  createServerConfig,
  createStorageConfig,
  createTestConfig,
} from '../support/fixtures/test-config.ts';
import {
  addDate,
  startScriptedService,
  type Reply,
  type SeenRequest,
} from '../support/servers/scripted-service.ts';
import { findChildProcesses } from '../support/processes/process-table.ts';
import {
  listPage,
  listRefusal,
  STORAGE,
  storageDays,
  videoRecord,
} from '../support/fixtures/service-responses.ts';
import { lockOrThrow } from '../../src/database/lock.ts';
import { startTestWorker } from '../support/fixtures/test-worker.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { SECRET_PATH, startWebhook } from '../support/servers/webhook.ts';

const RECORDS = [videoRecord(1), videoRecord(2)];

type List = (request: SeenRequest) => Reply | Promise<Reply>;
type Tick = () => Promise<void>;
const succeed: List = (request) => listPage(request, RECORDS);

interface WorkerOptions {
  packages?: readonly number[];
  notify?: (url: string) => Partial<NotifyConfig>;
  key?: string;
  secrets?: readonly string[];
  accounts?: (base: AccountConfig) => AccountConfig[];
  serves?: boolean;
}

/** A worker over a service with scripted responses, and a trigger for its checks. */
async function openWorker({ packages = [101], key = 'test-key', ...options }: WorkerOptions = {}) {
  let list = succeed;
  const clock = createVirtualClock(START);
  const service = await startScriptedService(async (request) => addDate(await list(request), clock.now()));
  const webhook = await startWebhook();
  const folder = temporaryFolder();
  const path = join(folder, 'vodhouse.db');
  const base = createTestConfig({ url: service.url, packages, pageSize: 100 }, path);
  const [main] = base.accounts;
  if (!main) throw new Error('the config has no account');
  const account = { ...main, videoList: { ...main.videoList, key } };
  const addresses = options.notify?.(webhook.url) ?? { webhook: webhook.url };
  const config: Config = {
    ...base,
    accounts: options.accounts?.(account) ?? [account],
    server: options.serves ? createServerConfig() : null,
    notify: { webhook: null, ping: null, events: INCIDENT_EVENTS, remindAfterMs: 24 * HOUR_MS, ...addresses },
    secrets: [key, webhook.url, ...(options.secrets ?? [])],
  };
  const log: string[] = [];
  const runs: RunSummary[] = [];

  /** Runs until the due work is done, and then until `live` resolves. */
  async function start(live: (tick: Tick) => Promise<void> = () => Promise.resolve()) {
    const worker = startTestWorker(config, clock, { level: 'debug', log, runs });
    await worker.settled;
    await live(worker.tick);
    await worker.stop();
  }
  const answer = (next: List) => void (list = next);
  const postsReach = (count: number) => expect.poll(() => webhook.calls.length).toBe(count);
  return { start, answer, clock, webhook, path, folder, log, runs, postsReach };
}

describe('a worker', () => {
  it('reports a failure that no open incident covers, also of storage, until the data is read', async () => {
    const { start, answer, clock, webhook, postsReach } = await openWorker({
      packages: [101, 102],
      accounts: (base) => [{ ...base, storage: createStorageConfig(base.videoList.baseUrl) }],
    });
    const serve: List = (request) => (request.path === STORAGE ? storageDays(request) : succeed(request));
    answer((request) => {
      const fails = request.path === STORAGE || request.query.get('pkg') === '101';
      return fails ? listRefusal('Gone', 'no more') : serve(request);
    });
    await start(async (tick) => {
      await postsReach(2);
      answer(serve);
      clock.advance(HOUR_MS);
      await tick();
      await postsReach(4);
    });
    const posts = webhook.received.map(({ event, state, package_id: id }) => [event, state, id]);
    expect(posts.sort()).toEqual([
      ['failed', 'begun', null],
      ['failed', 'begun', 101],
      ['failed', 'over', null],
      ['failed', 'over', 101],
    ]);
    const begun = webhook.received.filter(({ state }) => state === 'begun');
    expect(begun.map(({ text }) => text).sort()).toEqual([
      expect.stringMatching(/^Storage of main could not be read: the service refuses the requests; /),
      expect.stringMatching(/^main\/101 could not be read: the service refuses the requests; /),
    ]);
    expect(begun.map(({ details }) => String(details['error'])).sort()).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d: /),
      expect.stringMatching(/^page 1: .*no more/),
    ]);
  });

  it('that was off all night catches up before it sends anything', async () => {
    const { start, clock, webhook, runs, postsReach } = await openWorker();
    await start();
    clock.advance(9 * HOUR_MS);
    await start(async (tick) => {
      await tick();
      await tick();
    });
    expect(runs).toHaveLength(2);
    expect(webhook.calls).toEqual([]);
    await postsReach(0);
  });

  it('reports stale data while a run is under way', async () => {
    const { start, answer, clock, webhook, postsReach } = await openWorker();
    await start(async (tick) => {
      let isFirst = true;
      answer(async (request) => {
        if (!isFirst) return succeed(request);
        isFirst = false;
        clock.advance(5 * HOUR_MS);
        void tick();
        await postsReach(1);
        return succeed(request);
      });
      clock.advance(HOUR_MS);
      await tick();
      await postsReach(2);
    });
    expect(webhook.received.map(({ event, state, package_id: id }) => [event, state, id])).toEqual([
      ['stale', 'begun', 101],
      ['stale', 'over', 101],
    ]);
  });

  it('does not wait for a webhook that never answers, neither with a run nor for long at its end', async () => {
    const { start, answer, clock, webhook, runs, log, postsReach } = await openWorker();
    webhook.answer('hang');
    answer(() => listRefusal('Gone', 'no such package'));
    await start(async (tick) => {
      await postsReach(1);
      for (const hour of [1, 2, 3]) {
        clock.advance(HOUR_MS);
        await tick();
        expect(runs).toHaveLength(1 + hour);
      }
    });
    expect(webhook.calls).toHaveLength(1);
    expect(log.join('')).not.toContain('webhook');
    webhook.answer(204);
    await start(async (tick) => {
      await tick();
      await postsReach(2);
    });
    expect(webhook.received).toMatchObject([{ event: 'failed', state: 'begun' }]);
  });

  it('that shuts down waits for its server and for the webhook at the same time', async () => {
    const { start, answer, clock, webhook, postsReach } = await openWorker({ serves: true });
    webhook.answer('hang');
    answer(() => listRefusal('Gone', 'no such package'));
    let wasServing: boolean | null = null;
    const sleep = clock.sleep.bind(clock);
    clock.sleep = (ms, signal) => {
      if (ms === 5_000) wasServing = findChildProcesses(process.pid, 'web/process/entry').length > 0;
      return sleep(ms, signal);
    };
    await start(() => postsReach(1));
    expect(wasServing).toBe(true);
    expect(findChildProcesses(process.pid, 'web/process/entry')).toEqual([]);
  });

  it('pings when a run over everything begins, succeeds and fails; one that is refused tells no start', async () => {
    const addresses = (url: string) => ({
      success: `${url}/ok`,
      start: `${url}/start`,
      failure: `${url}/fail`,
    });
    const worker = await openWorker({ notify: (url) => ({ ping: addresses(url) }) });
    const { start, answer, clock, webhook, path, postsReach } = worker;
    await start(async (tick) => {
      await postsReach(2);
      const lock = lockOrThrow(path, 'run', 'sync', clock.now());
      clock.advance(HOUR_MS);
      await tick();
      lock.release();
      answer(() => listRefusal('Gone'));
      await tick();
      await postsReach(4);
    });
    const paths = webhook.calls.map(({ method, path: called }) => `${method} ${called.split('/').at(-1)}`);
    expect(paths).toEqual(['GET start', 'GET ok', 'GET start', 'GET fail']);
  });

  it('writes no key anywhere, whatever message the service sends about it', async () => {
    const SERVER_KEY = 'server-canary-5d1c';
    const worker = await openWorker({
      packages: [...QUICK_PACKAGES.slice(0, 5), 7],
      key: CANARY_KEY,
      secrets: [SERVER_KEY],
      accounts: (base) => [
        { ...base, limits: { ...base.limits, concurrency: 1 } },
        {
          ...base,
          name: 'slow',
          packages: [{ id: 8, name: null }],
          limits: { ...base.limits, restrictedCodes: ['Slow'] },
        },
      ],
    });
    const { start, answer, webhook, folder, path, log } = worker;
    answer((request) => {
      const id = request.query.get('pkg');
      const key = request.query.get('key') ?? '';
      if (id === '7') return listRefusal('Other', `it is ${SERVER_KEY}`);
      return id === '8' ? listRefusal('Slow', `wait, ${key} and ${SERVER_KEY}`) : replyWithKey(request);
    });
    await start(() => expect.poll(() => new Set(webhook.received.map(({ event }) => event)).size).toBe(2));
    const posts = webhook.calls.map(({ body }, index): [string, string] => [`post ${index}`, body]);
    expect(posts.join('')).toContain('[key]');
    expect(webhook.received.map(({ event }) => event)).toContain('restricted');
    const texts = [...posts, ...writtenFiles(folder), ['the log', log.join('')] as [string, string]];
    expect(findCanary(texts)).toEqual([]);
    const ours = ['incident'].flatMap((table) => readRows(path, `select * from ${table}`));
    const written = `${JSON.stringify(ours)}${posts.join('')}${log.join('')}`;
    expect(written).toContain('it is [key]');
    expect(written).not.toContain(SERVER_KEY);
    expect(texts.filter(([, text]) => text.includes(SECRET_PATH)).map(([name]) => name)).toEqual([]);
  });
});
