import { describe, expect, it, onTestFinished } from 'vitest';
import { openMetricDeltas, type MetricDeltas } from '../../src/queries/metric-deltas.ts';
import { insert, liveFileWith } from '../support/fixtures/filled-live-file.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { openTestPipeline } from '../support/fixtures/open-pipeline.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';
import { listPage, videoRecord, serveEverything } from '../support/fixtures/service-responses.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const NOON = toMs('2026-03-10T12:00:00Z');
const STARTED = '2026-03-10 11:00:00';
const RECORDS = Array.from({ length: 12 }, (_, index) => videoRecord(index + 1));
const NOTHING: MetricDeltas = { runs: [], records: [], requests: [] };

const runRow = (id: number, status: string, mode = 'full') =>
  insert('run', { run_id: id, trigger: 'schedule', mode, status, started_at: STARTED });

const walkRow = (id: number, row: Record<string, string | number | null>) =>
  insert('walk', {
    walk_id: id,
    run_id: 1,
    account: 'main',
    package_id: 101,
    mode: 'full',
    status: 'succeeded',
    started_at: STARTED,
    origin_started_at: STARTED,
    ...row,
  });

const requestRow = (id: number, row: Record<string, string | number | null> = {}) =>
  insert('request', {
    request_id: id,
    account: 'main',
    at_ms: NOON,
    purpose: 'page',
    spent_until_ms: NOON + 30_000,
    ...row,
  });

/** Deltas of a live file with this content, and a function that changes the file. */
function openDeltas(...statements: string[]) {
  const path = liveFileWith(...statements);
  const deltas = openMetricDeltas(path, NOON);
  onTestFinished(() => deltas.close());
  return { readDeltas: (now = NOON) => deltas.sinceLast(now), change: (sql: string) => execute(path, sql) };
}

describe('a delta', () => {
  it('is empty right after opening, whatever the file contains', () => {
    const { readDeltas } = openDeltas(
      runRow(1, 'succeeded'),
      walkRow(1, { inserted: 10_000 }),
      requestRow(1, { status: 200 }),
      requestRow(2, { spent_until_ms: NOON - 1 }),
    );
    expect(readDeltas()).toEqual(NOTHING);
  });

  it('has each row that was added since and has ended, once', () => {
    const { readDeltas, change } = openDeltas(runRow(1, 'succeeded'), walkRow(1, { inserted: 5 }));
    change(
      [
        runRow(2, 'succeeded'),
        runRow(3, 'succeeded'),
        runRow(4, 'failed', 'quick'),
        walkRow(2, { inserted: 3, unchanged: 7 }),
        walkRow(3, { inserted: 1, removed: 2, restored: 4, package_id: 102 }),
        walkRow(4, { updated: 6, quarantined: 8, account: 'other', status: 'partial' }),
        requestRow(1, { status: 200 }),
        requestRow(2, { status: 200 }),
        requestRow(3, { status: 503, account: 'other' }),
      ].join(''),
    );
    expect(readDeltas()).toEqual({
      runs: [
        { mode: 'full', status: 'succeeded', count: 2 },
        { mode: 'quick', status: 'failed', count: 1 },
      ],
      records: [
        { account: 'main', change: 'inserted', count: 4 },
        { account: 'main', change: 'unchanged', count: 7 },
        { account: 'main', change: 'removed', count: 2 },
        { account: 'main', change: 'restored', count: 4 },
        { account: 'other', change: 'updated', count: 6 },
        { account: 'other', change: 'quarantined', count: 8 },
      ],
      requests: [
        { account: 'main', status: '200', count: 2 },
        { account: 'other', status: '503', count: 1 },
      ],
    });
    expect(readDeltas()).toEqual(NOTHING);
  });

  it('has rows under way when they end: begun before the opening or after, among newer rows that ended first', () => {
    const { readDeltas, change } = openDeltas(
      runRow(1, 'running'),
      walkRow(1, { status: 'running', inserted: 5 }),
      requestRow(1),
    );
    change(
      [
        runRow(2, 'running'),
        runRow(3, 'succeeded'),
        walkRow(2, { status: 'running' }),
        walkRow(3, { updated: 1 }),
        requestRow(2),
        requestRow(3, { status: 200 }),
      ].join(''),
    );
    expect(readDeltas()).toEqual({
      runs: [{ mode: 'full', status: 'succeeded', count: 1 }],
      records: [{ account: 'main', change: 'updated', count: 1 }],
      requests: [{ account: 'main', status: '200', count: 1 }],
    });
    change(`update run set status = 'interrupted' where run_id = 1;
      update walk set status = 'interrupted', inserted = 9 where walk_id = 1;
      update request set status = 500 where request_id = 1;`);
    expect(readDeltas()).toEqual({
      runs: [{ mode: 'full', status: 'interrupted', count: 1 }],
      records: [{ account: 'main', change: 'inserted', count: 9 }],
      requests: [{ account: 'main', status: '500', count: 1 }],
    });
    change(`update run set status = 'parked' where run_id = 2;
      update walk set status = 'parked', removed = 2 where walk_id = 2;
      update request set status = 200 where request_id = 2;`);
    expect(readDeltas()).toEqual({
      runs: [{ mode: 'full', status: 'parked', count: 1 }],
      records: [{ account: 'main', change: 'removed', count: 2 }],
      requests: [{ account: 'main', status: '200', count: 1 }],
    });
    expect(readDeltas()).toEqual(NOTHING);
  });

  it('has a request without a response when its deadline has passed, once', () => {
    const { readDeltas, change } = openDeltas(requestRow(1));
    change(requestRow(2, { account: 'other', spent_until_ms: NOON + 60_000 }));
    expect(readDeltas(NOON + 29_999)).toEqual(NOTHING);
    expect(readDeltas(NOON + 30_000).requests).toEqual([{ account: 'main', status: 'none', count: 1 }]);
    change('update request set status = 200 where request_id = 1;'); // by a machine that slept
    expect(readDeltas(NOON + 60_000).requests).toEqual([{ account: 'other', status: 'none', count: 1 }]);
  });

  it('omits rows that disappeared while under way: pruned, or a walk that found nothing', () => {
    const { readDeltas, change } = openDeltas(
      runRow(1, 'running'),
      walkRow(1, { status: 'running' }),
      requestRow(1),
    );
    change(`${runRow(2, 'running')}${walkRow(2, { run_id: 2, status: 'running' })}${requestRow(2)}`);
    expect(readDeltas()).toEqual(NOTHING);
    change('pragma foreign_keys = on; delete from run; delete from request;');
    expect(readDeltas()).toEqual(NOTHING);
    change(`${runRow(3, 'succeeded')}${requestRow(3, { status: 200 })}`);
    expect(readDeltas()).toEqual({
      runs: [{ mode: 'full', status: 'succeeded', count: 1 }],
      records: [],
      requests: [{ account: 'main', status: '200', count: 1 }],
    });
  });

  it('survives a query that fails', () => {
    const { readDeltas, change } = openDeltas();
    change(`${runRow(1, 'succeeded')} alter table request rename to away;`);
    expect(() => readDeltas()).toThrow();
    change('alter table away rename to request;');
    expect(readDeltas().runs).toEqual([{ mode: 'full', status: 'succeeded', count: 1 }]);
  });

  it('is complete though more requests are under way than a statement accepts parameters', () => {
    const { readDeltas, change } = openDeltas();
    const rows = Array.from({ length: 40_000 }, (_, index) => requestRow(index + 1));
    change(`begin; ${rows.join('')} commit;`);
    expect(readDeltas()).toEqual(NOTHING);
    expect(readDeltas(NOON + 30_000).requests).toEqual([{ account: 'main', status: 'none', count: 40_000 }]);
  });

  it('includes runs of the pipeline in any process', async () => {
    const { url } = await startScriptedService(serveEverything((request) => listPage(request, RECORDS)));
    const pipeline = openTestPipeline({ url, silent: true });
    const deltas = openMetricDeltas(pipeline.file, pipeline.clock.now());
    onTestFinished(() => deltas.close());
    await pipeline.run();
    expect(deltas.sinceLast(pipeline.clock.now())).toEqual({
      runs: [{ mode: 'full', status: 'succeeded', count: 1 }],
      records: [{ account: 'main', change: 'inserted', count: 12 }],
      requests: [{ account: 'main', status: '200', count: expect.any(Number) as number }],
    });
  });
});
