import { describe, expect, it } from 'vitest';
import { addResult } from '../../src/publishing/targets/load-results.ts';
import type { LoadResult } from '../../src/publishing/targets/target-request.ts';
import { isUnreachable } from '../../src/publishing/targets/unreachable.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';

const result = (more: Partial<LoadResult> = {}): LoadResult => ({ ...loadReport(), retry: null, ...more });
const merge = (...results: LoadResult[]) => {
  const all = new Map<string, LoadResult>();
  for (const each of results) addResult(all, each);
  return [...all.values()];
};

describe('the results of a load that met a newer published file', () => {
  it('tell what both files brought', () => {
    const reloaded = { kind: 'reloaded', message: 'was loaded completely again' } as const;
    const booked = { kind: 'booked_differs', message: 'booked days' } as const;
    const first = result({ verified: true, findings: [reloaded, booked], rows: 10, durationMs: 5 });
    const second = result({ outcome: 'unchanged', changeSeq: 9, rows: 0, durationMs: 2 });
    expect(merge(first, second)).toEqual([
      { ...first, changeSeq: 9, durationMs: 7, findings: [reloaded] }, // booked days are told by each load
    ]);
  });

  it('are failed where the newer file could not be loaded', () => {
    const failed: LoadResult = { ...failedLoad(), retry: 'backoff' };
    expect(merge(result(), failed)).toMatchObject([{ outcome: 'failed', rows: 10, error: failed.error }]);
    expect(merge(failed, result())).toEqual([result()]);
  });
});

describe('a failure of one account', () => {
  const everybody = [
    'ECONNREFUSED',
    'EAI_AGAIN',
    'EPROTO',
    'CERT_HAS_EXPIRED',
    '28P01',
    '3D000',
    '53300',
    '57P03',
  ];
  it.each(everybody)('%s is one of every other account too', (code) => {
    expect([true, false].map((isClaimed) => isUnreachable(code, isClaimed))).toEqual([true, true]);
  });

  it.each(['ETIMEDOUT', '08006'])('%s is, before the account was claimed', (code) => {
    expect([true, false].map((isClaimed) => isUnreachable(code, isClaimed))).toEqual([false, true]);
  });

  it.each([null, 'SQLITE_CORRUPT', 'ERR_INTERNAL_ASSERTION', 'ECONNRESET', '57014', '42501', '53100'])(
    '%s is not',
    (code) => {
      expect([true, false].map((isClaimed) => isUnreachable(code, isClaimed))).toEqual([false, false]);
    },
  );
});
