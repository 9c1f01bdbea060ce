import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import type { Finding, LoadReport } from '../../src/lib/load-report.ts';
import type { TargetLoad } from '../../src/warehouse/statements/target-loads.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import type { VirtualClock } from '../support/clocks/virtual-clock.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';
import { openEmptyWarehouse } from '../support/fixtures/test-warehouse.ts';

let clock: VirtualClock;
let warehouse: Warehouse;

beforeEach(() => {
  ({ clock, warehouse } = openEmptyWarehouse('2026-03-01T12:00Z'));
});

/** Records the report, and returns the row of its account in the target `warehouse`. */
function record(report: LoadReport, target = 'warehouse'): TargetLoad {
  warehouse.recordLoadReport(target, report, clock.now());
  const row = warehouse
    .listTargetLoads()
    .find((load) => load.target === target && load.account === report.account);
  if (!row) throw new Error('no row was written');
  return row;
}

const finding = (kind: Finding['kind'], message = `found ${kind}`): Finding => ({ kind, message });

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
      held_by: null,
      held_until: null,
      loads: 1,
      failures: 0,
      rows: 10,
      duration_ms: 500,
      verified_at: null,
      verified: null,
      findings: [],
    });
  });

  it('adds to the totals; what failed counts in none of the totals of success', () => {
    record(loadReport());
    record(failedLoad());
    clock.advance(HOUR_MS);
    expect(record(loadReport({ outcome: 'unchanged', rows: 0, durationMs: 20 }))).toMatchObject({
      ...{ loads: 2, failures: 1, rows: 10, duration_ms: 520, loaded_at: '2026-03-01 13:00:00' },
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

  it('of an account that another worker has is no failure', () => {
    record(failedLoad());
    const held = { outcome: 'held', heldBy: 'eu-2', heldUntil: '2026-03-01 12:31:00' } as const;
    expect(record(loadReport({ ...held, changeSeq: null, rows: 0 }))).toMatchObject({
      ...{ outcome: 'held', held_by: 'eu-2', held_until: '2026-03-01 12:31:00' },
      ...{ failing_since: null, loaded_at: null, loads: 0, failures: 1 },
    });
    expect(record(loadReport())).toMatchObject({ held_by: null, held_until: null, loads: 1 });
  });

  it('that compares both sides says when and whether they were equal, until the next comparison', () => {
    expect(record(loadReport({ verified: true }))).toMatchObject({ verified: true });
    clock.advance(HOUR_MS);
    const same = { verified: true, verified_at: '2026-03-01 12:00:00' };
    expect(record(loadReport())).toMatchObject(same);
    expect(record(failedLoad())).toMatchObject(same);
    const other = { verified: false, verified_at: '2026-03-01 13:00:00' };
    expect(record(loadReport({ verified: false }))).toMatchObject(other);
  });

  it('moves no time backward where the clock was set back', () => {
    record(loadReport({ verified: true }));
    clock.advance(-DAY_MS);
    expect(record(failedLoad())).toMatchObject({
      ...{ attempted_at: '2026-03-01 12:00:00', failing_since: '2026-03-01 12:00:00' },
    });
    expect(record(loadReport({ verified: true }))).toMatchObject({
      ...{ loaded_at: '2026-03-01 12:00:00', verified_at: '2026-03-01 12:00:00' },
    });
  });

  it('is that of one account in one target', () => {
    record(loadReport());
    record(loadReport({ account: 'other', rows: 3 }));
    record(failedLoad(), 'lake');
    const rows = warehouse.listTargetLoads();
    expect(rows.map(({ target, account, rows: written }) => [target, account, written])).toEqual([
      ['lake', 'main', 0],
      ['warehouse', 'main', 10],
      ['warehouse', 'other', 3],
    ]);
  });
});

describe('a finding', () => {
  const foundBy = (...reports: LoadReport[]) => {
    const rows = reports.map((report) => {
      const row = record(report);
      clock.advance(HOUR_MS);
      return row;
    });
    return rows.at(-1)?.findings.map(({ kind, since }) => `${kind} ${since.slice(11, 16)}`);
  };

  it('keeps its time while it is found again, with the newest text', () => {
    const first = loadReport({ findings: [finding('columns_missing', 'one column')] });
    const second = loadReport({ findings: [finding('columns_missing', 'two columns')] });
    expect(foundBy(first, second)).toEqual(['columns_missing 12:00']);
    expect(warehouse.listTargetLoads()[0]?.findings[0]?.message).toBe('two columns');
  });

  it.each(['booked_differs', 'differs'] as const)(
    '%s stays until a comparison finds both sides equal',
    (kind) => {
      const found = loadReport({ verified: false, findings: [finding(kind)] });
      const stays = [`${kind} 12:00`];
      expect(foundBy(found, loadReport(), failedLoad())).toEqual(stays);
      expect(foundBy(loadReport({ verified: false }))).toEqual(stays);
      expect(foundBy(loadReport({ outcome: 'unchanged', verified: true }))).toEqual([]);
    },
  );

  it('history_set_aside is told for seven days', () => {
    const found = loadReport({ findings: [finding('history_set_aside')] });
    expect(foundBy(found, loadReport({ verified: true }))).toEqual(['history_set_aside 12:00']);
    clock.advance(7 * DAY_MS);
    expect(foundBy(loadReport())).toEqual([]);
  });

  it.each(['columns_missing', 'left_behind'] as const)(
    '%s ends with the next load that succeeds without it, not with one that fails',
    (kind) => {
      expect(foundBy(loadReport({ findings: [finding(kind)] }), failedLoad())).toEqual([`${kind} 12:00`]);
      expect(foundBy(loadReport({ outcome: 'unchanged' }))).toEqual([]);
    },
  );

  it('nul_replaced ends with a load that writes, not with one that had nothing to write', () => {
    const found = loadReport({ findings: [finding('nul_replaced')] });
    expect(foundBy(found, loadReport({ outcome: 'unchanged' }))).toEqual(['nul_replaced 12:00']);
    expect(foundBy(loadReport())).toEqual([]);
  });
});

describe('the rows of targets', () => {
  it('go with a target that left the config, and only then', () => {
    record(loadReport());
    record(loadReport(), 'lake');
    warehouse.deleteTargetLoadsExcept(['warehouse', 'new']);
    expect(warehouse.listTargetLoads().map(({ target }) => target)).toEqual(['warehouse']);
    warehouse.deleteTargetLoadsExcept([]);
    expect(warehouse.listTargetLoads()).toEqual([]);
  });

  it('of an account that is renamed are deleted: no target has anything under the new name', () => {
    record(loadReport());
    record(loadReport({ account: 'other' }));
    warehouse.renameAccount('main', 'prod');
    expect(warehouse.listTargetLoads().map(({ account }) => account)).toEqual(['other']);
  });

  it('of an account that is forgotten are deleted, those of its other packages are not', () => {
    record(loadReport());
    warehouse.forget({ account: 'main', packageId: 101 }, Date.now());
    expect(warehouse.listTargetLoads()).toHaveLength(1);
    warehouse.forget({ account: 'main', packageId: null }, Date.now());
    expect(warehouse.listTargetLoads()).toEqual([]);
  });

  it('have no time ahead of the clock after a run that finds the file ahead of it', () => {
    record(failedLoad({ verified: true }));
    clock.advance(-DAY_MS);
    const run = { trigger: 'schedule', mode: 'full', now: clock.now(), scope: null, origin: null } as const;
    warehouse.endRun(warehouse.beginRun(run), {
      ...{ status: 'succeeded', now: clock.now(), error: null, failures: [], resumeAt: null },
      clock: { offsetMs: null, isMachineOff: false, isFileWrong: true, mayPrune: false },
      retention: { requestsDays: 35, runsDays: 90 },
    });
    const at = '2026-02-28 12:00:00';
    expect(warehouse.listTargetLoads()).toMatchObject([
      { attempted_at: at, failing_since: at, verified_at: at, loaded_at: null },
    ]);
  });
});
