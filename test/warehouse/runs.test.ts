import { beforeEach, describe, expect, it } from 'vitest';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { execute, readRows, readValue } from '../support/fixtures/live-file.ts';
import { ACCOUNT, createWalker, PACKAGE } from '../support/fixtures/package-walker.ts';
import { openEmptyWarehouse } from '../support/fixtures/test-warehouse.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';
import { transact } from '../../src/database/transaction.ts';
import { beginRun, endRun, type RunEnd } from '../../src/warehouse/runs.ts';
import { registerPackages } from '../../src/warehouse/packages.ts';
import { findLastRun } from '../../src/warehouse/statements/run.ts';
const KEEP = { requestsDays: 1000, runsDays: 1000 };

let path: string;
let clock: VirtualClock;
let warehouse: Warehouse;

beforeEach(() => {
  ({ path, clock, warehouse } = openEmptyWarehouse());
});

const END: Omit<RunEnd, 'now'> = {
  status: 'succeeded',
  error: null,
  failures: [],
  resumeAt: null,
  clockOffsetMs: null,
  undated: [],
  retention: KEEP,
};
const finishRun = (runId: number, end: Partial<RunEnd> = {}) =>
  transact(warehouse.db, (tx) => endRun(tx, runId, { ...END, now: clock.now(), ...end }));

const startRun = (scope: string | null = null, mode: 'full' | 'quick' = 'full') =>
  transact(warehouse.db, (tx) =>
    beginRun(tx, { trigger: 'schedule', mode, now: clock.now(), scope, origin: null }),
  );

describe('a run', () => {
  it('exists from its beginning, and has its result at its end', async () => {
    const runId = startRun('packages 7');
    const row = {
      run_id: runId,
      trigger: 'schedule',
      mode: 'full',
      scope: 'packages 7',
      started_at: '2026-03-01 12:00:00',
      origin_started_at: null,
      resume_at: null,
      clock_offset_ms: null,
    };
    expect(readRows(path, 'select * from run')).toEqual([
      { ...row, status: 'running', finished_at: null, requests: 0, error: null },
    ]);
    const budget = warehouse.createBudget(ACCOUNT, {
      perSecond: null,
      perMinute: null,
      perDay: null,
      maxWaitMs: 0,
    });
    await budget.admit({ purpose: 'storage', packageId: null, page: null, runId, deadlineMs: 1000 });
    clock.advance(90_000);
    finishRun(runId, { status: 'partial', error: 'no' });
    expect(readRows(path, 'select * from run')).toEqual([
      { ...row, status: 'partial', finished_at: '2026-03-01 12:01:30', requests: 1, error: 'no' },
    ]);
  });

  it('marks runs and walks of killed processes as interrupted', async () => {
    transact(warehouse.db, (tx) =>
      registerPackages(tx, [{ name: ACCOUNT, packages: [{ id: PACKAGE, name: null }] }], clock.now()),
    );
    const walker = createWalker(warehouse, clock);
    await walker.begin();
    clock.advance(DAY_MS);
    const runId = startRun();
    const end = {
      status: 'interrupted',
      finished_at: '2026-03-02 12:00:00',
      error: 'the process ended before the run did',
    };
    expect(readRows(path, 'select status, finished_at, error from run order by run_id')).toEqual([
      end,
      { status: 'running', finished_at: null, error: null },
    ]);
    expect(readRows(path, 'select status, finished_at, error from walk')).toEqual([end]);
    finishRun(runId);
    startRun();
    expect(readRows(path, 'select status from run order by run_id').map(({ status }) => status)).toEqual([
      'interrupted',
      'succeeded',
      'running',
    ]);
  });

  it('retains its errors until the run is pruned', async () => {
    const failed = { account: ACCOUNT, message: 'no', skipped: null };
    const failures = [
      { ...failed, packageId: PACKAGE, stream: 'videos' as const, kind: 'timeout' as const },
      { ...failed, packageId: null, stream: 'storage' as const, kind: 'refused' as const },
      { ...failed, packageId: null, stream: null, kind: 'clock' as const },
    ];
    const runId = startRun();
    finishRun(runId, { failures });
    const rows = () => readRows(path, 'select * from run_failure order by kind desc');
    expect(rows()).toEqual(
      failures.map(({ packageId, ...failure }) => ({ run_id: runId, package_id: packageId, ...failure })),
    );
    clock.advance(1001 * DAY_MS);
    finishRun(startRun());
    expect(rows()).toEqual([]);
  });
});

describe('the last complete run', () => {
  it.each(['succeeded', 'partial', 'parked', 'failed'] as const)('is one that %s', async (status) => {
    finishRun(startRun(), { status });
    expect(findLastRun(warehouse.db, 'full')).toEqual({
      startedAt: '2026-03-01 12:00:00',
      runId: 1,
      status,
      resumeAt: null,
    });
  });

  it('is not an interrupted one, or one whose process was killed', async () => {
    finishRun(startRun());
    clock.advance(DAY_MS);
    finishRun(startRun(), { status: 'interrupted' });
    startRun();
    expect(findLastRun(warehouse.db, 'full')).toMatchObject({ startedAt: '2026-03-01 12:00:00' });
  });

  it('is not a partial one, and not one of another mode', async () => {
    finishRun(startRun());
    clock.advance(DAY_MS);
    finishRun(startRun('packages 7'));
    finishRun(startRun(null, 'quick'));
    expect(findLastRun(warehouse.db, 'full')).toMatchObject({ startedAt: '2026-03-01 12:00:00' });
    expect(findLastRun(warehouse.db, 'quick')).toMatchObject({ startedAt: '2026-03-02 12:00:00' });
  });
});

describe('the packages', () => {
  const packages = () =>
    readRows(path, 'select account, package_id, name, retired_at from package order by account, package_id');
  const account = (name: string, ids: number[], label: string | null = null) => ({
    name,
    packages: ids.map((id) => ({ id, name: label })),
  });

  it('have their current names', async () => {
    transact(warehouse.db, (tx) =>
      registerPackages(tx, [account('one', [1, 2]), account('two', [1], 'Lectures')], clock.now()),
    );
    transact(warehouse.db, (tx) =>
      registerPackages(tx, [account('one', [1, 2], 'New'), account('two', [1])], clock.now()),
    );
    expect(packages()).toEqual([
      { account: 'one', package_id: 1, name: 'New', retired_at: null },
      { account: 'one', package_id: 2, name: 'New', retired_at: null },
      { account: 'two', package_id: 1, name: null, retired_at: null },
    ]);
  });
});

describe('the end of a run', () => {
  const retention = { requestsDays: 35, runsDays: 90 };

  /** A request, a run and a walk of each of these ages in days. */
  function age(days: readonly number[]): void {
    for (const each of [...days].sort((one, other) => other - one)) {
      const moment = `'2026-03-01 12:00:00', '-${each} days'`;
      const ms = clock.now() - each * DAY_MS;
      execute(
        path,
        `insert into request (account, at_ms, purpose, spent_until_ms) values ('main', ${ms}, 'page', ${ms});
         insert into run (run_id, "trigger", mode, status, started_at) values (${each + 1}, 'schedule', 'full', 'failed', datetime(${moment}));
         insert into walk (run_id, account, package_id, mode, status, started_at, origin_started_at)
         values (${each + 1}, 'main', 1, 'full', 'failed', datetime(${moment}), datetime(${moment}))`,
      );
    }
  }
  const ages = (table: string) =>
    readRows(path, `select run_id - 1 as age from ${table} where run_id is not null order by run_id`).map(
      (row) => row['age'],
    );

  it('deletes requests and runs, with their walks, that are older than the retention, and nothing else', async () => {
    age([0, 34, 35, 36, 89, 90, 91, 400]);
    execute(
      path,
      `insert into quarantine (account, stream, reason, raw, seen_at) values ('main', 'videos', 'r', '{}', '2020-01-01 00:00:00')`,
    );
    const runId = startRun();
    finishRun(runId, { retention });
    execute(path, `delete from run where run_id = ${runId}`);
    expect(ages('run')).toEqual([0, 34, 35, 36, 89, 90]);
    expect(ages('walk')).toEqual([0, 34, 35, 36, 89, 90]);
    expect(
      readRows(
        path,
        `select (${clock.now()} - at_ms) / ${DAY_MS} as age from request order by at_ms desc`,
      ).map((row) => row['age']),
    ).toEqual([0, 34, 35]);
    expect(readValue(path, 'select count(*) from quarantine')).toBe(1);
  });

  it('never deletes a request that still counts', async () => {
    const limits = { perSecond: null, perMinute: null, perDay: 1, maxWaitMs: 0 };
    const entry = { purpose: 'page', packageId: 1, page: 1, runId: null, deadlineMs: 1000 } as const;
    (await warehouse.createBudget('main', limits).admit(entry)).answered({
      status: 200,
      bytes: 1,
      sent: true,
    });
    clock.advance(DAY_MS - 1);
    const runId = startRun();
    finishRun(runId, { retention: { requestsDays: 1, runsDays: 1 } });
    await expect(warehouse.createBudget('main', limits).admit(entry)).rejects.toThrow(/spent/);
  });
});
