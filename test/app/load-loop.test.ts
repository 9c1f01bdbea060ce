import { afterEach, describe, expect, it } from 'vitest';
import { createLoadLoop } from '../../src/app/load-loop.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { PostgresTargetConfig } from '../../src/config/config.ts';
import type { LoadResult, TargetLoader } from '../../src/publishing/targets/loader.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';

const SILENT = createLogger({ level: 'silent', format: 'json', secrets: [], write: () => undefined });

type Outcome = Partial<LoadResult>;

const FAILED: Outcome = { ...failedLoad(), retry: 'backoff' };
const HOPELESS: Outcome = { ...failedLoad(), retry: 'hourly' };
let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(close.map((each) => each()));
  close = [];
});

/** A loop over one target, or several by their names; it loads as the outcomes say, and then successfully. */
async function startLoop(
  outcomes: Outcome[] = [],
  targets: Record<string, Partial<PostgresTargetConfig>> = { one: {} },
) {
  const { warehouse, clock, walker } = await openTestWarehouse({ start: '2026-03-01T12:00Z' });
  await walker.walkOnce([]);
  const runId = warehouse.beginRun({
    trigger: 'manual',
    mode: 'full',
    now: clock.now(),
    scope: null,
    origin: null,
  });
  const judged = { offsetMs: null, isMachineOff: false, isFileWrong: false, mayPrune: true };
  const end = { status: 'succeeded', error: null, failures: [], resumeAt: null, clock: judged } as const;
  warehouse.endRun(runId, { ...end, now: clock.now(), retention: { requestsDays: 35, runsDays: 90 } });
  const loads: { target: string; at: number; verify: readonly string[] }[] = [];
  let [held, hasFile] = [0, true];
  const startedAt = clock.now();
  const loaders = Object.entries(targets).map(([name, changes]): TargetLoader => {
    const target = createTargetConfig('postgres://127.0.0.1/db', { name, ...changes });
    return {
      target,
      load: async ({ verify }) => {
        loads.push({ target: name, at: clock.now() - startedAt, verify });
        const verified = verify.length > 0 ? true : null;
        return Promise.resolve([{ ...loadReport(), retry: null, verified, ...outcomes.shift() }]);
      },
    };
  });
  const config = { accounts: [{ name: 'main' }] as never, timezone: 'Asia/Seoul' };
  const parts = { loaders, config, warehouse, clock, logger: SILENT, random: () => 0.5 };
  const open = () => createLoadLoop({ ...parts, hasFile: () => hasFile, onHeld: () => held++ });
  let loop = open();
  close.push(() => loop.close());
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ...{ loop, loads, warehouse, clock },
    held: () => held,
    restart: () => void (loop = open()),
    setFile: (isThere: boolean) => (hasFile = isThere),
    /** Minutes at which a check was followed by a load. */
    check: async (minutes: number): Promise<number[]> => {
      const before = loads.length;
      for (let minute = 0; minute < minutes; minute++) {
        clock.advance(MINUTE_MS);
        loop.check();
        await settle();
      }
      return loads.slice(before).map(({ at }) => at / MINUTE_MS);
    },
    request: async (): Promise<void> => {
      loop.requestLoad();
      await settle();
    },
  };
}

describe('the loads of a worker', () => {
  it('wait for the first publication, which is made after the first run', async () => {
    const { check, request, setFile } = await startLoop();
    setFile(false);
    expect(await check(5)).toEqual([]);
    setFile(true);
    await request();
    expect(await check(2)).toEqual([6]); // the comparison: there was no failure to wait for
  });

  it('follow its start, each publication, and the night', async () => {
    const { check, request, loads } = await startLoop();
    expect(await check(10)).toEqual([1, 2]); // what an earlier worker left; then the first comparison
    expect(loads.map(({ verify }) => verify)).toEqual([[], ['main']]);
    await request();
    expect(loads).toHaveLength(3);
    const nightly = await check(2 * 24 * 60);
    expect(nightly).toHaveLength(2);
    expect((nightly[1] ?? 0) - (nightly[0] ?? 0)).toBe(24 * 60);
    expect(loads.slice(3).map(({ verify }) => verify)).toEqual([['main'], ['main']]);
  });

  it('are tried again after longer and longer waits', async () => {
    const { check } = await startLoop(Array.from({ length: 8 }, () => FAILED));
    const minutes = await check(150);
    const waits = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0));
    expect(waits.slice(0, 8)).toEqual([1, 2, 5, 10, 20, 30, 30, 30]);
  });

  it('wait an hour where a person must do something first', async () => {
    const { check, request, loads } = await startLoop([HOPELESS]);
    expect(await check(60)).toEqual([1]);
    await request(); // a publication does not shorten the wait
    expect(loads).toHaveLength(1);
    expect((await check(2))[0]).toBe(61);
  });

  it('are no more frequent than `every` of their target', async () => {
    const { request, check, loads } = await startLoop([], { slow: { everyMs: HOUR_MS }, fast: {} });
    await check(5);
    loads.length = 0;
    for (let times = 0; times < 3; times++) await request();
    expect(loads.map(({ target }) => target)).toEqual(['fast', 'fast', 'fast']);
    expect(await check(60)).toHaveLength(1); // what was published in between
    expect(loads.slice(3).every(({ target }) => target === 'slow')).toBe(true);
  });

  it('of a worker that starts again wait for the `every` of the one before, unless they failed', async () => {
    const startAgain = async (outcome: 'loaded' | 'failed') => {
      const { check, loop, loads, restart } = await startLoop([{ outcome }], { slow: { everyMs: HOUR_MS } });
      expect(await check(1)).toEqual([1]);
      await loop.close();
      restart();
      await check(58);
      return loads.length;
    };
    expect(await startAgain('loaded')).toBe(1);
    expect(await startAgain('failed')).toBe(2);
  });

  it('of one target are not held up by a failure of another one', async () => {
    const { check, loads } = await startLoop([FAILED], { first: {}, second: {} });
    await check(1);
    expect(loads.map(({ target }) => target)).toEqual(['first', 'second']);
  });

  it('tell when another worker has an account', async () => {
    const { check, held } = await startLoop([{ outcome: 'held', retry: 'backoff' }]);
    await check(1);
    expect(held()).toBe(1);
  });

  it('go on where another worker has an account, or a person must decide about one', async () => {
    const held: Outcome = { outcome: 'held', retry: 'backoff' };
    const refused: Outcome = { outcome: 'refused', retry: 'hourly' };
    const { check, request, loads } = await startLoop([held, refused, refused]);
    await check(1);
    await request(); // a publication waits for nothing
    expect(loads).toHaveLength(2);
    expect(await check(61)).toEqual([61]);
    const late = await startLoop([held]);
    expect((await late.check(12)).slice(0, 2)).toEqual([1, 11]);
  });

  it('are not stopped by a clock that was set back', async () => {
    const { check, request, loads, clock, warehouse } = await startLoop([], { slow: { everyMs: HOUR_MS } });
    clock.advance(365 * 24 * HOUR_MS);
    await check(70);
    expect(warehouse.listTargetLoads()[0]?.verified_at).toContain('2027');
    loads.length = 0;
    clock.advance(-365 * 24 * HOUR_MS);
    await request();
    expect(loads.map(({ verify }) => verify)).toEqual([['main']]);
  });

  it('compare no account whose rows left the published file', async () => {
    const { check, warehouse, clock } = await startLoop([{ account: 'other' }, { account: 'other' }]);
    warehouse.recordLoadReport('one', loadReport(), clock.now());
    expect(await check(5)).toEqual([1]);
  });

  it('forget targets that left the config', async () => {
    const first = await startLoop();
    first.warehouse.recordLoadReport('gone', loadReport(), first.clock.now());
    const { warehouse, clock } = first;
    const parts = { loaders: [], config: { accounts: [], timezone: 'UTC' }, warehouse, clock };
    createLoadLoop({ ...parts, logger: SILENT, hasFile: () => true, onHeld: () => undefined });
    expect(warehouse.listTargetLoads()).toEqual([]);
  });
});
