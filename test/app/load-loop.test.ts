import { afterEach, describe, expect, it } from 'vitest';
import { createLoadLoop, loadTarget } from '../../src/app/load-targets.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { PostgresTargetConfig } from '../../src/config/config.ts';
import type { LoadReport } from '../../src/publishing/targets/load-report.ts';
import type { TargetLoader } from '../../src/publishing/loader.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { transact } from '../../src/database/transaction.ts';
import { beginRun, endRun } from '../../src/warehouse/runs.ts';
import { recordLoadReports, listTargetLoads } from '../../src/warehouse/statements/target-loads.ts';
import { InterruptedError, WarehouseError } from '../../src/lib/errors.ts';
import { ACCOUNT } from '../support/fixtures/package-walker.ts';

const SILENT = createLogger({ level: 'silent', format: 'json', secrets: [], write: () => undefined });

type Outcome = Partial<LoadReport>;

const FAILED: Outcome = failedLoad();
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
  const { path, warehouse, clock, walker } = await openTestWarehouse({ start: '2026-03-01T12:00Z' });
  await walker.walkOnce([]);
  const runId = transact(warehouse.db, (tx) =>
    beginRun(tx, {
      trigger: 'manual',
      mode: 'full',
      now: clock.now(),
      scope: null,
      origin: null,
    }),
  );
  const end = {
    status: 'succeeded',
    error: null,
    failures: [],
    resumeAt: null,
    clockOffsetMs: null,
    undated: [],
  } as const;
  transact(warehouse.db, (tx) =>
    endRun(tx, runId, { ...end, now: clock.now(), retention: { requestsDays: 35, runsDays: 90 } }),
  );
  const loads: { target: string; at: number }[] = [];
  let hasFile = true;
  const startedAt = clock.now();
  const loaders = Object.entries(targets).map(([name, changes]): TargetLoader => {
    const target = createTargetConfig('postgres://127.0.0.1/db', { name, ...changes });
    return {
      target,
      load: async () => {
        loads.push({ target: name, at: clock.now() - startedAt });
        return Promise.resolve([{ ...loadReport(), ...outcomes.shift() }]);
      },
    };
  });
  const parts = { loaders, warehouse, clock, logger: SILENT };
  const open = () => createLoadLoop({ ...parts, hasFile: () => hasFile });
  let loop = open();
  close.push(() => loop.close());
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    loop,
    loads,
    path,
    warehouse,
    clock,
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
    const { check, request, setFile, loads } = await startLoop();
    setFile(false);
    expect(await check(5)).toEqual([]);
    setFile(true);
    await request();
    expect(loads).toHaveLength(1);
    expect(await check(2)).toEqual([]);
  });

  it('follow its start, and each publication', async () => {
    const { check, request, loads } = await startLoop();
    expect(await check(10)).toEqual([1]); // what an earlier worker left
    await request();
    expect(loads).toHaveLength(2);
    expect(await check(24 * 60)).toEqual([]);
  });

  it('are tried again after longer and longer waits', async () => {
    const { check } = await startLoop(Array.from({ length: 8 }, () => FAILED));
    const minutes = await check(150);
    const waits = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0));
    expect(waits.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
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

  it('are tried again where their results could not be stored', async () => {
    const { check, path } = await startLoop();
    execute(
      path,
      `create trigger full_disk before insert on target_load begin select raise(abort, 'full'); end`,
    );
    expect(await check(4)).toEqual([1, 2, 4]);
    execute(path, 'drop trigger full_disk');
    expect(await check(8)).toEqual([8]);
  });

  it('of one target are not held up by a failure of another one', async () => {
    const { check, loads } = await startLoop([FAILED], { first: {}, second: {} });
    await check(1);
    expect(loads.map(({ target }) => target)).toEqual(['first', 'second']);
  });

  it('of a refused account wait for the next publication', async () => {
    const { check, request, loads } = await startLoop([{ outcome: 'refused' }]);
    expect(await check(60)).toEqual([1]);
    await request();
    expect(loads).toHaveLength(2);
  });

  it('are not stopped by a clock that was set back', async () => {
    const { check, request, loads, clock } = await startLoop([], { slow: { everyMs: HOUR_MS } });
    clock.advance(365 * 24 * HOUR_MS);
    await check(70);
    loads.length = 0;
    clock.advance(-365 * 24 * HOUR_MS);
    await request();
    expect(loads).toHaveLength(1);
  });

  it('forget targets that left the config', async () => {
    const first = await startLoop();
    transact(first.warehouse.db, (tx) => recordLoadReports(tx, 'gone', [loadReport()], first.clock.now()));
    const { warehouse, clock } = first;
    createLoadLoop({ loaders: [], warehouse, clock, logger: SILENT, hasFile: () => true });
    expect(listTargetLoads(warehouse.db)).toEqual([]);
  });
});

type Line = Record<string, unknown>;

/** Loads once for each list of results, or error. Gives the lines of the log, and what the live file has. */
async function load(...outcomes: (LoadReport[] | Error)[]) {
  const { warehouse, clock } = await openTestWarehouse();
  const lines: Line[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Line);
  const logger = createLogger({ level: 'info', format: 'json', secrets: [], write });
  const loads: LoadReport[][] = [];
  for (const outcome of outcomes) {
    const loader: TargetLoader = {
      target: createTargetConfig('postgres://127.0.0.1/db'),
      load: () => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome)),
    };
    const { signal } = new AbortController();
    loads.push(await loadTarget(loader, { warehouse, clock, logger }, signal));
  }
  return { lines, loads, rows: listTargetLoads(warehouse.db) };
}

const result = (more: Partial<LoadReport> = {}): LoadReport => loadReport(more);
const failed = (account: string): LoadReport => failedLoad({ account });
describe('a load of a target', () => {
  it('is recorded and logged for each account', async () => {
    const { rows, lines } = await load([result({ differences: [] }), result({ account: 'other' })]);
    expect(
      rows.map(({ target, account, outcome, rows: count }) => [target, account, outcome, count]),
    ).toEqual([
      ['warehouse', 'main', 'loaded', 10],
      ['warehouse', 'other', 'loaded', 10],
    ]);
    expect(lines.map(({ event, account }) => [event, account])).toEqual([
      ['target_loaded', 'main'],
      ['target_loaded', 'other'],
    ]);
    expect(lines[0]).toMatchObject({ target: 'warehouse', rows: 10, change_seq: 7, duration_ms: 500 });
  });

  it('says nothing of an account of which the target has everything', async () => {
    expect((await load([result({ outcome: 'unchanged' })])).lines).toEqual([]);
  });

  it('says once why all accounts failed', async () => {
    const { lines, rows } = await load([failed('a'), failed('b'), failed('c')]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ event: 'target_load_failed', account: null, code: '42501' });
    expect(lines[0]?.msg).toContain('FAILED: permission denied for schema vodhouse; -> grant create');
    expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
  });

  it('names the one account that failed, one that is refused, and what differs', async () => {
    const refused = result({ account: 'b', outcome: 'refused', error: 'account b is elsewhere' });
    const differs = result({ account: 'c', outcome: 'unchanged', differences: ['title is x'] });
    const { lines } = await load([failed('a'), refused, differs]);
    expect(lines.map(({ event, account }) => [event, account])).toEqual([
      ['target_load_failed', 'a'],
      ['target_account_refused', 'b'],
      ['target_loaded', 'c'],
    ]);
  });

  it('is a failure of each account where it cannot begin', async () => {
    const { loads, lines, rows } = await load(
      new WarehouseError('there is no file', { hint: 'publish one' }),
    );
    expect(loads[0]).toMatchObject([{ account: ACCOUNT, outcome: 'failed', error: 'there is no file' }]);
    expect(lines[0]).toMatchObject({ event: 'target_load_failed', hint: 'publish one' });
    expect(rows).toMatchObject([{ account: ACCOUNT, outcome: 'failed' }]);
  });

  it('throws if it is stopped', async () => {
    await expect(load(new InterruptedError('stopped'))).rejects.toThrow(InterruptedError);
  });
});
