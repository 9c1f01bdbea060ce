import { describe, expect, it } from 'vitest';
import type { RunRequest } from '../../src/app/pipeline.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { useFakeTimers } from '../support/clocks/fake-timers.ts';
import { openTestPipeline, START, type TestPipelineOptions } from '../support/fixtures/open-pipeline.ts';
import { listPage, STORAGE, storageDays, videoRecord } from '../support/fixtures/service-responses.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { startScriptedService, type Reply, type SeenRequest } from '../support/servers/scripted-service.ts';

const PACKAGES = [101, 102, 103, 104, 105, 106, 107, 108];
const RECORDS = [videoRecord(1), videoRecord(2)];

/** Replies to a request instead of the service; null: the service replies. */
type Override = (request: SeenRequest) => Reply | null;

const isStorage = ({ path }: SeenRequest) => path === STORAGE;

/** An account of eight packages and storage, each of one page. `take` returns what was requested since its last call. */
async function openAccount(options: Partial<TestPipelineOptions> = {}) {
  const state: { override: Override } = { override: () => null };
  const service = await startScriptedService(
    (request) =>
      state.override(request) ?? (isStorage(request) ? storageDays(request) : listPage(request, RECORDS)),
  );
  const account = { url: service.url, packages: PACKAGES, storage: {}, ...options };
  const settings = { folder: temporaryFolder(), silent: true, ...account };
  let opened = openTestPipeline(settings);
  let from = 0;
  const run = async (override: Override, request: Partial<RunRequest> = {}) => {
    state.override = override;
    const summary = await opened.run(request);
    const requested = service.requests
      .slice(from)
      .map((one) => (isStorage(one) ? 'storage' : Number(one.query.get('pkg'))));
    from = service.requests.length;
    opened.clock.advance(HOUR_MS);
    const messages = summary.failures.map(({ message }) => message);
    return { ...summary, requested, messages };
  };
  return {
    run,
    service,
    query: <Row>(sql: string) => opened.query<Row>(sql),
    restart: async () => {
      const { clock } = opened;
      opened.close();
      opened = openTestPipeline({ ...settings, clock });
    },
  };
}

const DEAD: Override = () => 'drop';
const ALIVE: Override = () => null;
const deadStorage: Override = (request) => (isStorage(request) ? 'drop' : null);
const deadList: Override = (request) => (isStorage(request) ? null : 'drop');

describe('an account that gives no answer', () => {
  it('ends its part of the run after its storage and one package, and says so', async () => {
    const { run } = await openAccount();
    const first = await run(DEAD);
    expect(first.requested).toEqual(['storage', 'storage', 108]);
    expect(first).toMatchObject({ status: 'failed', walks: [{ package_id: 108, status: 'failed' }] });
    expect(first.messages).toEqual([
      expect.stringMatching(/^account main, storage .*: the connection broke off/),
      expect.stringMatching(/^account main, package 108, page 1: the connection broke off/),
      'account main: 7 packages were not requested in this run: no answer, 2 times in a row',
    ]);
  });

  it('ends it after two packages where it has no storage, after two requests where it has one package', async () => {
    const packages = await openAccount({ storage: null });
    const first = await packages.run(DEAD);
    expect(first.requested).toEqual([101, 108]);
    expect(first.failures.map(({ packageId, kind, skipped }) => [packageId, kind, skipped])).toEqual([
      [108, 'connection', null],
      [101, 'connection', null],
      [null, 'skipped', 6],
    ]);
    expect((await packages.run(DEAD, { mode: 'quick' })).requested).toHaveLength(1);
    const one = await openAccount({ storage: null, packages: [101] });
    expect((await one.run(DEAD)).requested).toEqual([101, 101]);
    expect((await one.run(DEAD)).requested).toEqual([101]);
    expect((await one.run(ALIVE)).status).toBe('succeeded');
  });

  it('is asked once in each later run, also after a restart, until it answers; then everything is read', async () => {
    const { run, restart } = await openAccount();
    await run(DEAD);
    for (const mode of ['full', 'quick', 'full'] as const) {
      const { requested, messages } = await run(DEAD, { mode });
      expect(requested.filter((one) => one === 'storage')).toHaveLength(1);
      expect(requested).toHaveLength(2);
      expect(messages.at(-1)).toContain('7 packages were not requested in this run: no answer');
      await restart();
    }
    const back = await run(ALIVE);
    expect(back).toMatchObject({ status: 'succeeded', packagesDone: 8, storage: [{ live: true }] });
    expect((await run(DEAD)).requested).toEqual(['storage', 'storage', 108]);
  });

  it('is asked once by a run of one package too, and a run of another account changes nothing', async () => {
    const { run } = await openAccount({ storage: null });
    await run(DEAD);
    const scoped = { packages: [{ account: null, packageId: 104 }] };
    expect((await run(DEAD, scoped)).requested).toEqual([104]);
    await run(DEAD, { packages: [] });
    expect((await run(DEAD)).requested).toHaveLength(1);
  });

  it('is read completely where only its first requests got no answer: they are repeated', async () => {
    const { run } = await openAccount();
    let requests = 0;
    const { status, requested } = await run(() => (++requests === 1 || requests === 3 ? 'drop' : null));
    expect(status).toBe('succeeded');
    expect(requested.slice(0, 4)).toEqual(['storage', 'storage', 101, 108]);
    expect(requested.filter((one) => one === 101)).toHaveLength(2);
  });

  it('is read again as soon as it answers to the second package', async () => {
    const { run } = await openAccount({ storage: null });
    const seen = new Map<string | null, number>();
    const { status } = await run(({ query }) => {
      const count = (seen.get(query.get('pkg')) ?? 0) + 1;
      seen.set(query.get('pkg'), count);
      return query.get('pkg') === '101' && count < 5 ? 'drop' : null;
    });
    expect(status).toBe('succeeded');
    expect(seen.get('101')).toBe(5);
  });

  it('is read but for its storage where only that is dead, and the storage then delays no package', async () => {
    const { run } = await openAccount();
    for (const count of [2, 1, 1]) {
      const { requested, packagesDone, messages, walks } = await run(deadStorage);
      expect(packagesDone).toBe(8);
      expect(walks.every(({ status }) => status === 'succeeded')).toBe(true);
      expect(requested.filter((one) => one === 'storage')).toHaveLength(count);
      expect(messages).toEqual([expect.stringMatching(/^account main, storage /)]);
    }
    expect(await run(ALIVE)).toMatchObject({ status: 'succeeded', storage: [{ live: true }] });
  });

  it('has its storage booked where only its video list is dead, also if both were', async () => {
    const { run } = await openAccount();
    await run(DEAD);
    const later = await run(deadList);
    expect(later).toMatchObject({ status: 'partial', storage: [{ live: true }], packagesDone: 0 });
    expect(later.requested).toHaveLength(2);
    expect((await run(deadList)).requested).toHaveLength(2);
  });

  it.each<[string, Reply]>([
    ['never answers', 'hang'],
    ['begins an answer and never ends it', { drip: ' ', everyMs: 7_000 }],
  ])('is one that %s, too: three attempts of 30 seconds, then one', async (_, reply) => {
    const { pass } = useFakeTimers(START);
    const { run, service } = await openAccount();
    /** A run whose requests end at their deadlines; those that are sent at the same time end together. */
    const hang = async () => {
      const progress = { isOver: false, sent: service.requests.length };
      const result = run(() => reply).finally(() => (progress.isOver = true));
      let seconds = 0;
      while (!progress.isOver) {
        for (let turn = 0; turn < 50; turn++) await pass(0);
        if (service.requests.length === progress.sent) continue;
        progress.sent = service.requests.length;
        await pass(30_000);
        seconds += 30;
      }
      const { messages, requested } = await result;
      return { seconds, requested, message: messages[0] };
    };
    const first = await hang();
    expect(first).toMatchObject({ seconds: 90, requested: ['storage', 'storage', 108] });
    expect(first.message).toContain('no complete response within 30 s');
    expect((await hang()).seconds).toBe(30);
  });
});
