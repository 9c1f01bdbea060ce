import { describe, expect, it, onTestFinished } from 'vitest';
import { openMetricDeltas, type MetricDeltas } from '../../src/queries/metric-deltas.ts';
import { insert, liveFileWith } from '../support/fixtures/filled-live-file.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const NOON = toMs('2026-03-10T12:00:00Z');
const NOTHING: MetricDeltas = { runs: [], records: [], requests: [] };

type Row = Record<string, string | number | null>;
const request = (request_id: number, row: Row = {}) =>
  insert('request', {
    request_id,
    account: 'main',
    at_ms: NOON,
    purpose: 'page',
    spent_until_ms: NOON + 30_000,
    ...row,
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
});
