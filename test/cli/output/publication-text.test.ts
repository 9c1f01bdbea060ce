import { describe, expect, it } from 'vitest';
import { exitCodeForLoads, targetLoadsText } from '../../../src/cli/output/publication-text.ts';
import type { LoadReport } from '../../../src/publishing/targets/load-report.ts';
import { failedLoad, loadReport } from '../../support/fixtures/load-report.ts';

const done = (account = 'main', more: Partial<LoadReport> = {}): LoadReport =>
  loadReport({ account, ...more });
const failed = (account = 'main'): LoadReport => failedLoad({ account });
const refused = (account = 'main'): LoadReport =>
  done(account, { outcome: 'refused', changeSeq: null, rows: 0, error: `account ${account} is elsewhere` });

const loadsOf = (accounts: readonly LoadReport[]) => ({ target: 'warehouse', accounts });
const textOf = (results: readonly LoadReport[]) => targetLoadsText(loadsOf(results));

describe('the text of the loads of a target', () => {
  it('has a line for each account', () => {
    expect(textOf([done(), done('lab', { outcome: 'unchanged', rows: 0 }), refused('x')])).toBe(
      `target warehouse: 2 of 3 accounts up to date, 10 rows in 1.5s
  main  loaded at change 7: 10 rows in 500ms
  lab  unchanged at change 7
  x  REFUSED: account x is elsewhere
`,
    );
  });

  it('has one line for accounts that failed for the same reason, and what to do', () => {
    const text = textOf(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(failed));
    expect(text).toContain('a, b, c, d, e, 2 more  FAILED: permission denied for schema vodhouse\n');
    expect(text).toContain('-> grant create on schema vodhouse');
    expect(text.split('\n')).toHaveLength(4);
  });

  it('names the tables that belong to no account', () => {
    expect(textOf([done(), failed('(runs)')])).toContain('\n  runs and calendar  FAILED: permission denied');
  });

  it('shows whether both sides are equal, and what differs', () => {
    const text = textOf([done('main', { differences: [] }), done('lab', { differences: ['title is x'] })]);
    expect(text).toMatch(/main .*; every value is equal$/m);
    expect(text).toMatch(/lab .*; DIFFERS:\n {4}title is x$/m);
  });

  it('leaves out, after a run, the accounts of which there is nothing to tell', () => {
    const loads = loadsOf([done(), failed('lab')]);
    expect(targetLoadsText(loads, true)).not.toContain('main');
    expect(targetLoadsText(loads, true)).toContain('lab');
  });

  it('names of more than forty accounts those that failed or differ', () => {
    const all = Array.from({ length: 41 }, (_, index) => done(`a${index}`, { differences: [] }));
    const text = textOf([...all, failed('lab'), done('other', { differences: ['title is x'] })]);
    expect(text.split('\n').filter((line) => line.startsWith('  '))).toMatchObject([
      expect.stringMatching(/^ {2}lab {2}FAILED/),
      expect.stringContaining('->'),
      expect.stringMatching(/^ {2}other .* DIFFERS:$/),
      '    title is x',
    ]);
    expect(text).toMatch(/^target warehouse: 42 of 43 accounts/);
  });
});

describe('the exit code of loads', () => {
  it.each<[string, LoadReport[], number]>([
    ['everything is loaded', [done(), done('lab', { outcome: 'unchanged' })], 0],
    ['an account failed', [done(), failed('lab')], 3],
    ['an account is refused', [done(), refused('lab')], 3],
    ['every account is refused', [refused(), refused('lab')], 75],
    ['nothing could be loaded', [failed(), refused('lab')], 1],
    ['the target is down, and the file has no account', [failed('(runs)')], 1],
    ['an account differs', [done(), done('lab', { differences: ['x'] })], 3],
  ])('where %s', (_, results, code) => {
    expect(exitCodeForLoads([loadsOf(results)], false)).toBe(code);
  });

  it('is that of a part where only the file could be published', () => {
    expect(exitCodeForLoads([loadsOf([failed()])], true)).toBe(3);
  });

  it('considers all targets', () => {
    expect(exitCodeForLoads([loadsOf([refused()]), loadsOf([done()])], false)).toBe(3);
    expect(exitCodeForLoads([], true)).toBe(0);
  });
});
