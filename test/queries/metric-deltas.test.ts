import { describe, expect, it, onTestFinished } from 'vitest';
import { openMetricDeltas, type MetricDeltas } from '../../src/queries/metric-deltas.ts';
import { insert, liveFileWith } from '../support/fixtures/filled-live-file.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const NOON = toMs('2026-03-10T12:00:00Z');
const STARTED = '2026-03-10 11:00:00';
const NOTHING: MetricDeltas = { runs: [], records: [], requests: [] };

type Row = Record<string, string | number | null>;
const run = (run_id: number, status: string, mode = 'full') =>
  insert('run', { run_id, trigger: 'schedule', mode, status, started_at: STARTED });
const walk = (run_id: number, row: Row) =>
  insert('walk', {
    ...{ run_id, account: 'main', package_id: 101, mode: 'full', status: 'succeeded' },
    ...{ started_at: STARTED, origin_started_at: STARTED, ...row },
  });
const request = (request_id: number, row: Row = {}) =>
  insert('request', {
    ...{ request_id, account: 'main', at_ms: NOON, purpose: 'page', spent_until_ms: NOON + 30_000, ...row },
  });

/** Deltas of a live file with this content, and a function that changes the file. */
function open(...statements: string[]) {
  const path = liveFileWith(...statements);
  const deltas = openMetricDeltas(path, NOON);
  onTestFinished(() => deltas.close());
  return {
    read: (now = NOON) => deltas.sinceLast(now),
    change: (...sql: string[]) => execute(path, sql.join('')),
  };
}

describe('a delta', () => {
  it('is empty right after opening, whatever the file contains', () => {
    const { read } = open(
      run(1, 'succeeded'),
      walk(1, { inserted: 10_000 }),
      request(1, { status: 200 }),
      request(2, { spent_until_ms: NOON - 1 }),
    );
    expect(read()).toEqual(NOTHING);
  });

  it('has each run that ended since with its records, and each request, once', () => {
    const { read, change } = open(run(1, 'running'), walk(1, { inserted: 5 }));
    expect(read()).toEqual(NOTHING);
    change(
      `update run set status = 'interrupted';`,
      run(2, 'failed', 'quick'),
      run(3, 'running'),
      ...[walk(2, { updated: 6, account: 'other' }), walk(3, { removed: 9 })],
      ...[request(1, { status: 200 }), request(2, { status: 200 }), request(3, { status: 503 })],
    );
    expect(read()).toEqual({
      runs: [
        { mode: 'full', status: 'interrupted', count: 1 },
        { mode: 'quick', status: 'failed', count: 1 },
      ],
      records: [
        { account: 'main', change: 'added', count: 5 },
        { account: 'other', change: 'edited', count: 6 },
      ],
      requests: [
        { account: 'main', status: '200', count: 2 },
        { account: 'main', status: '503', count: 1 },
      ],
    });
    expect(read()).toEqual(NOTHING);
    change(`update run set status = 'succeeded' where run_id = 3;`);
    expect(read().records).toEqual([{ account: 'main', change: 'removed', count: 9 }]);
  });

  it('has the requests after one in flight when that is answered, or its deadline has passed', () => {
    const { read, change } = open(request(1));
    change(request(2, { status: 200 }), request(3, { account: 'other', spent_until_ms: NOON + 60_000 }));
    expect(read()).toEqual(NOTHING);
    change('update request set status = 500 where request_id = 1;');
    expect(read().requests).toEqual([
      { account: 'main', status: '200', count: 1 },
      { account: 'main', status: '500', count: 1 },
    ]);
    expect(read(NOON + 60_000).requests).toEqual([{ account: 'other', status: 'none', count: 1 }]);
  });

  it('survives a query that fails', () => {
    const { read, change } = open();
    change(run(1, 'succeeded'), 'alter table request rename to away;');
    expect(() => read()).toThrow();
    change('alter table away rename to request;');
    expect(read().runs).toEqual([{ mode: 'full', status: 'succeeded', count: 1 }]);
  });
});
