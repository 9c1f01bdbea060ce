import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { commandFolder } from '../../support/fixtures/command-folder.ts';
import { configText } from '../../support/fixtures/config-file.ts';
import { listPage, videoRecord } from '../../support/fixtures/service-responses.ts';
import {
  startScriptedService,
  type Reply,
  type SeenRequest,
} from '../../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 60_000 });

/**
 * The most moments that any sliding window of this length contains; a window includes its beginning and not
 * its end. The moments rise.
 */
function mostWithin(moments: readonly number[], windowMs: number): number {
  let most = 0;
  let first = 0;
  for (const [index, moment] of moments.entries()) {
    while ((moments[first] ?? moment) <= moment - windowMs) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** High limits: the rate is back soon after a pause. */
const LIMITS = 'per_second: 100, per_minute: 6000';
const later = (seconds: number) => ({ status: 429, headers: { 'retry-after': String(seconds) } });

const ACCOUNT = { key: 'main', packages: [101, 102, 103], pageSize: 2, storage: false };

/** A service of packages with this many videos; `replace` returns another response, or null. */
function serve(videos: number, replace: (request: SeenRequest) => Reply | null) {
  const records = Array.from({ length: videos }, (_, index) => videoRecord(index + 1));
  return startScriptedService(async (request) => {
    const reply = replace(request);
    await pause(10);
    return reply ?? listPage(request, records);
  });
}

/** The arrivals between two moments. */
function between(arrivals: readonly SeenRequest[], from: number, to: number): SeenRequest[] {
  return arrivals.filter(({ at }) => at > from && at < to);
}

describe('with the clock of a real server', () => {
  it('a 429 with a time stops every process of the account until then, and no other account', async () => {
    let restrictedAt = Infinity;
    const { url, requests } = await serve(400, ({ at, query }) => {
      if (query.get('key') !== 'main' || restrictedAt !== Infinity) return null;
      restrictedAt = at;
      return later(4);
    });
    const main = configText({ ...ACCOUNT, url, limits: LIMITS });
    const [, other = ''] = configText({ ...ACCOUNT, url, limits: 'per_second: 30', key: 'other' }).split(
      'accounts:\n',
    );
    const folder = commandFolder(main + other.replace('main', 'other'));
    const getArrivals = (key: string) => requests.filter(({ query }) => query.get('key') === key);
    const sync = folder.start('sync', '--log-level', 'silent');
    await expect.poll(() => getArrivals('main').length).toBeGreaterThan(0);
    await expect.poll(() => folder.value('select count(*) from pause')).toBe(1); // until then it may ask
    const check = await folder.run('check');
    sync.kill('SIGKILL');
    const arrivals = getArrivals('main');
    const checked = arrivals.filter(({ query }) => query.get('pagesize') === '1');
    expect(check.code).toBe(0);
    expect(checked[0]?.at).toBeGreaterThanOrEqual(restrictedAt + 4_000);
    // those in flight
    expect(arrivals.filter(({ at }) => at < restrictedAt + 4_000).length).toBeLessThanOrEqual(4);
    expect(between(arrivals, restrictedAt + 1_000, restrictedAt + 4_000)).toEqual([]);
    expect(between(getArrivals('other'), restrictedAt + 1_000, restrictedAt + 4_000).length).toBeGreaterThan(
      10,
    );
  });

  it('a pause longer than max_wait parks the run, and the next run resumes from the checkpoint', async () => {
    let restrictedAt = Infinity;
    const { url, requests } = await serve(20, ({ at, number }) => {
      if (number !== 6) return null;
      restrictedAt = at;
      return later(4);
    });
    const limits = `${LIMITS}, concurrency: 1, max_wait: 2s`;
    const { run, rows, value } = commandFolder({ ...ACCOUNT, url, packages: [101], limits });
    const parked = await run('sync');
    expect([parked.code, requests.length]).toEqual([3, 6]);
    expect(parked.stdout).toContain('parked');
    expect(parked.stdout + parked.stderr).toMatch(/ is paused until .* UTC: /);
    const again = await run('sync');
    expect(again.code).toBe(3);
    await pause(restrictedAt + 5_500 - Date.now());
    expect(requests).toHaveLength(6);
    const after = await run('sync');
    expect([after.code, after.stderr]).toEqual([0, expect.any(String)]);
    expect(rows('select status, resumed from walk order by walk_id').at(-1)).toEqual({
      status: 'succeeded',
      resumed: 1,
    });
    expect(value('select count(*) from video')).toBe(20);
  });
});

const RECORDS = Array.from({ length: 400 }, (_, index) => videoRecord(index + 1));

/** The duration of each response; the last ones are an error, a closed connection and half a page. */
const LATENCIES_MS = [20, 20, 80, 20, 900, 20, 40, 40, 40];

async function reply(request: SeenRequest) {
  const kind = request.number % LATENCIES_MS.length;
  await pause(LATENCIES_MS[kind]);
  const page = listPage(request, RECORDS);
  const faults = {
    6: { status: 500, body: 'on fire' },
    7: 'drop',
    8: { ...page, truncateAfter: 100 },
  } as const;
  return kind in faults ? faults[kind as keyof typeof faults] : page;
}

/**
 * Processes one after the other: how long each runs, how it ends, and whether a `check` runs at the same
 * time.
 */
const LIVES = [
  [700, 'SIGKILL', true],
  [1500, 'SIGKILL', false],
  [900, 'SIGTERM', true],
  [2000, 'SIGKILL', true],
] as const;

describe('with the clock of a real server', () => {
  it.each([
    [1_000, 'per_second', 5],
    [60_000, 'per_minute', 12],
  ])(
    'no %i ms have more requests than %s, whatever fails and whichever process is killed',
    async (windowMs, limit, most) => {
      const { url, requests } = await startScriptedService(reply);
      const options = { packages: [101, 102, 103], pageSize: 2, storage: false, limits: `${limit}: ${most}` };
      const { start } = commandFolder({ url, ...options });
      const sync = () => start('sync', '--log-level', 'error');
      for (const [afterMs, signal, withCheck] of LIVES) {
        const running = [sync(), ...(withCheck ? [start('check', '--all')] : [])];
        await pause(afterMs);
        for (const process of running) process.kill(signal);
        await Promise.all(running.map((process) => process.ended));
      }
      const last = sync();
      await expect.poll(() => requests.length).toBeGreaterThan(3);
      last.kill('SIGKILL');
      const arrivals = requests.map(({ at }) => at);
      expect(mostWithin(arrivals, windowMs)).toBeLessThanOrEqual(most);
    },
  );
});
