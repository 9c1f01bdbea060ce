import { describe, expect, it } from 'vitest';
import { exitCodeForLoads, targetLoadsText } from '../../../src/cli/output/load-text.ts';
import type { LoadResult } from '../../../src/publishing/targets/loader.ts';
import { failedLoad, loadReport } from '../../support/fixtures/load-report.ts';

const done = (account = 'main', more: Partial<LoadResult> = {}): LoadResult => ({
  ...loadReport({ account }),
  retry: null,
  ...more,
});
const failed = (account = 'main'): LoadResult => ({ ...failedLoad({ account }), retry: 'hourly' });
const held = (account = 'main'): LoadResult =>
  done(account, { outcome: 'held', changeSeq: null, heldBy: 'eu-2', heldUntil: '2026-03-01 12:10:00' });

const loadsOf = (results: readonly LoadResult[], isVerified = false) => ({
  ...{ target: 'warehouse', results, isVerified },
});
const textOf = (results: readonly LoadResult[], isVerified = false) =>
  targetLoadsText(loadsOf(results, isVerified));

describe('the text of the loads of a target', () => {
  it('has a line for each account', () => {
    expect(textOf([done(), done('lab', { outcome: 'unchanged', rows: 0 }), held('x')])).toBe(
      `target warehouse: 2 of 3 accounts up to date, 20 rows in 1.5s
  main  loaded up to change 7: 10 rows in 500ms
  lab   up to date at change 7
  x     HELD by eu-2 until 2026-03-01 12:10:00 UTC
`,
    );
  });

  it('has one line for accounts that failed for the same reason', () => {
    const text = textOf(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(failed));
    expect(text).toMatch(/^ {2}a, b, c, d, e, 2 more {2}FAILED: permission denied for schema vodhouse$/m);
    expect(text).toMatch(/^ {4}-> grant create on schema vodhouse$/m);
    expect(text.split('\n')).toHaveLength(4);
  });

  it('says whether both sides are equal, and what differs', () => {
    const differs = { kind: 'differs', message: 'account lab differs: videos: rows is 2' } as const;
    const text = textOf(
      [done('main', { verified: true }), done('lab', { verified: false, findings: [differs] }), done('x')],
      true,
    );
    expect(text).toMatch(/^ {2}main .*; counts and sums are equal$/m);
    expect(text).toMatch(/^ {2}lab .*; DIFFERS\n {4}account lab differs: videos: rows is 2$/m);
    expect(text).toMatch(/^ {2}x .*; NOT COMPARED/m);
  });
});

describe('the exit code of loads', () => {
  it.each<[string, LoadResult[], number]>([
    ['everything is loaded', [done(), done('lab', { outcome: 'unchanged' })], 0],
    ['an account failed', [done(), failed('lab')], 3],
    ['an account is held', [done(), held('lab')], 3],
    ['every account is held', [held(), held('lab')], 75],
    ['nothing could be loaded', [failed(), held('lab')], 1],
    ['an account differs', [done(), done('lab', { verified: false })], 3],
  ])('where %s', (_, results, code) => {
    expect(exitCodeForLoads([loadsOf(results)], false)).toBe(code);
  });

  it('is that of a part where only the file could be published', () => {
    expect(exitCodeForLoads([loadsOf([failed()])], true)).toBe(3);
  });

  it('is that of a part where an account could not be compared', () => {
    expect(exitCodeForLoads([loadsOf([done()], true)], false)).toBe(3);
    const runs = done('(runs)');
    expect(exitCodeForLoads([loadsOf([done('main', { verified: true }), runs], true)], false)).toBe(0);
  });

  it('considers all targets', () => {
    expect(exitCodeForLoads([loadsOf([held()]), loadsOf([done()])], false)).toBe(3);
    expect(exitCodeForLoads([], true)).toBe(0);
  });
});
