import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import type { LoadReport } from '../../src/publishing/targets/load-report.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';
import { openEmptyWarehouse } from '../support/fixtures/test-warehouse.ts';
import { transact } from '../../src/database/transaction.ts';
import {
  recordLoadReports,
  listTargetLoads,
  deleteTargetLoadsExcept,
} from '../../src/warehouse/statements/target-loads.ts';
import { renameAccount, forgetRows } from '../../src/warehouse/accounts.ts';

let clock: VirtualClock;
let warehouse: Warehouse;

beforeEach(() => {
  ({ clock, warehouse } = openEmptyWarehouse('2026-03-01T12:00Z'));
});

/** Records the report, and returns the row of its account in the target `warehouse`. */
function record(report: LoadReport, target = 'warehouse') {
  transact(warehouse.db, (tx) => recordLoadReports(tx, target, [report], clock.now()));
  const row = listTargetLoads(warehouse.db).find(
    (load) => load.target === target && load.account === report.account,
  );
  if (!row) throw new Error('no row was written');
  return row;
}

describe('a report of a load', () => {
  it('of an account that succeeds is the row of the account in the target', () => {
    expect(record(loadReport())).toEqual({
      target: 'warehouse',
      account: 'main',
      outcome: 'loaded',
      change_seq: 7,
      attempted_at: '2026-03-01 12:00:00',
      loaded_at: '2026-03-01 12:00:00',
      failing_since: null,
      error: null,
      hint: null,
      code: null,
      loads: 1,
      failures: 0,
      rows: 10,
      duration_ms: 500,
      verified_at: null,
      differences: null,
    });
  });

  it('adds to the totals; what failed counts in none of the totals of success', () => {
    record(loadReport());
    record(failedLoad());
    clock.advance(HOUR_MS);
    expect(record(loadReport({ outcome: 'unchanged', rows: 0, durationMs: 20 }))).toMatchObject({
      loads: 2,
      failures: 1,
      rows: 10,
      duration_ms: 520,
      loaded_at: '2026-03-01 13:00:00',
    });
  });

  it('that fails keeps what the target has, since when it fails, and why it failed last', () => {
    record(loadReport());
    clock.advance(HOUR_MS);
    record(failedLoad({ error: 'connection refused', hint: null, code: 'ECONNREFUSED' }));
    clock.advance(HOUR_MS);
    expect(record(failedLoad())).toMatchObject({
      outcome: 'failed',
      change_seq: 7,
      attempted_at: '2026-03-01 14:00:00',
      loaded_at: '2026-03-01 12:00:00',
      failing_since: '2026-03-01 13:00:00',
      error: 'permission denied for schema vodhouse',
      hint: 'grant create on schema vodhouse',
      code: '42501',
      failures: 2,
    });
    const ended = { failing_since: null, error: null, hint: null, code: null, change_seq: 9 };
    expect(record(loadReport({ changeSeq: 9 }))).toMatchObject(ended);
  });

  it('of an account that the warehouse no longer has deletes its row', () => {
    record(loadReport());
    transact(warehouse.db, (tx) =>
      recordLoadReports(tx, 'warehouse', [loadReport({ outcome: 'removed' })], clock.now()),
    );
    expect(listTargetLoads(warehouse.db)).toEqual([]);
  });

  it('that compares both sides says when, and what differs, until the next comparison', () => {
    expect(record(loadReport({ differences: [] }))).toMatchObject({ differences: '[]' });
    clock.advance(HOUR_MS);
    const same = { differences: '[]', verified_at: '2026-03-01 12:00:00' };
    expect(record(loadReport())).toMatchObject(same);
    expect(record(failedLoad())).toMatchObject(same);
    const other = { differences: '["title"]', verified_at: '2026-03-01 13:00:00' };
    expect(record(loadReport({ differences: ['title'] }))).toMatchObject(other);
  });

  it('moves no time backward where the clock was set back', () => {
    record(loadReport({ differences: [] }));
    clock.advance(-DAY_MS);
    expect(record(failedLoad())).toMatchObject({
      attempted_at: '2026-03-01 12:00:00',
      failing_since: '2026-03-01 12:00:00',
    });
    expect(record(loadReport({ differences: [] }))).toMatchObject({
      loaded_at: '2026-03-01 12:00:00',
      verified_at: '2026-03-01 12:00:00',
    });
  });
});

describe('the rows of targets', () => {
  it('go with a target that left the config, and only then', () => {
    record(loadReport());
    record(loadReport(), 'lake');
    transact(warehouse.db, (tx) => deleteTargetLoadsExcept(tx, ['warehouse', 'new']));
    expect(listTargetLoads(warehouse.db).map(({ target }) => target)).toEqual(['warehouse']);
    transact(warehouse.db, (tx) => deleteTargetLoadsExcept(tx, []));
    expect(listTargetLoads(warehouse.db)).toEqual([]);
  });

  it('of an account that is renamed are deleted: no target has anything under the new name', () => {
    record(loadReport());
    record(loadReport({ account: 'other' }));
    transact(warehouse.db, (tx) => renameAccount(tx, 'main', 'prod'));
    expect(listTargetLoads(warehouse.db).map(({ account }) => account)).toEqual(['other']);
  });

  it('of an account that is forgotten are deleted, those of its other packages are not', () => {
    record(loadReport());
    transact(warehouse.db, (tx) => forgetRows(tx, { account: 'main', packageId: 101 }, Date.now()));
    expect(listTargetLoads(warehouse.db)).toHaveLength(1);
    transact(warehouse.db, (tx) => forgetRows(tx, { account: 'main', packageId: null }, Date.now()));
    expect(listTargetLoads(warehouse.db)).toEqual([]);
  });
});
