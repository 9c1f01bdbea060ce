import { describe, expect, it } from 'vitest';
import { findProblems } from '../../src/health/problems.ts';
import type { TargetAccount, TargetReport } from '../../src/health/targets.ts';
import { OTHER_COPY, OTHER_WAREHOUSE, RUNS } from '../../src/lib/load-report.ts';
import { healthFacts } from '../support/fixtures/health-facts.ts';
import { failingAccount, targetAccount, targetReport } from '../support/fixtures/target-report.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

/** The problems at the time of 10 March 2026. */
const problemsAt = (time: string, ...targets: TargetReport[]) =>
  findProblems(healthFacts({ targets, now: toMs(`2026-03-10T${time}Z`) }));
const messagesOf = (...accounts: TargetAccount[]) =>
  problemsAt('12:40', targetReport(accounts)).map(({ kind, message }) => `${kind}: ${message}`);
const named = (count: number, more: (account: string) => TargetAccount) =>
  Array.from({ length: count }, (_, index) => more(`a${index + 1}`));

describe('a target whose loads fail', () => {
  it('is a problem after an hour', () => {
    const target = targetReport([failingAccount(), targetAccount({ account: 'other' })]);
    expect(problemsAt('12:30', target)).toEqual([]);
    expect(problemsAt('12:31', target)).toMatchObject([
      {
        kind: 'target_failed',
        scope: { account: null, packageId: null },
        since: '2026-03-10 11:31:00',
        severity: 'attention',
        message:
          'target warehouse has failed since 2026-03-10 11:31:00 UTC for account main: connection refused by db.example.test:5432',
        advice: [
          { text: 'is the server running?', command: null },
          {
            text: 'the worker tries again by itself; to try it now',
            command: 'vodhouse publish --target warehouse',
          },
        ],
      },
    ]);
  });

  it('is one problem for all accounts, and each target has its own', () => {
    const accounts = named(100, (account) => failingAccount({ account }));
    const some = [...accounts.slice(0, 12), targetAccount()];
    const [all, part, ...others] = problemsAt(
      '13:00',
      targetReport(accounts),
      targetReport(some, { target: 'second' }),
    );
    expect(others).toEqual([]);
    expect(all?.message).toContain('for 100 accounts (a1, a2, a3, 97 more): ');
    expect(part?.message).toContain(
      'target second has failed since 2026-03-10 11:31:00 UTC for 12 accounts (a1, a2, a3, 9 more): ',
    );
  });

  it('is none once it was loaded', () => {
    expect(messagesOf(targetAccount())).toEqual([]);
  });
});

describe('an account', () => {
  const refused = (account: string) =>
    failingAccount({
      ...{ account, outcome: 'refused', code: OTHER_WAREHOUSE, failing_since: '2026-03-10 12:39:00' },
      ...{ error: `account ${account} belongs to another warehouse`, hint: null },
    });

  it('that a target refuses is a problem of the account at once', () => {
    const [problem] = problemsAt('12:40', targetReport([refused('main'), targetAccount({ account: 'b' })]));
    expect(problem).toMatchObject({
      kind: 'target_refused',
      scope: { account: 'main', packageId: null },
      message: 'target warehouse: account main belongs to another warehouse',
      advice: [{ command: 'vodhouse publish --target warehouse --take-over main' }],
    });
    const copy = failingAccount({ outcome: 'refused', code: OTHER_COPY });
    const [other] = problemsAt('12:40', targetReport([copy]));
    expect(other?.advice[0]?.command).toBe('vodhouse publish --target warehouse --rebuild main');
  });

  it('is one problem together with others that are refused for the same reason', () => {
    expect(messagesOf(...named(11, refused), targetAccount())).toEqual([
      'target_refused: target warehouse: account a1 belongs to another warehouse (and 10 other accounts)',
    ]);
  });

  it('that was never loaded is no problem', () => {
    const never = { outcome: null, loaded_at: null, attempted_at: null, change_seq: null } as const;
    expect(messagesOf(targetAccount(), targetAccount({ account: 'b', ...never }))).toEqual([]);
  });

  it('that differs is a problem, with what differs first', () => {
    const differences = ['videos main/101, 5: title is 1', 'more'];
    expect(messagesOf(targetAccount({ differences }))).toEqual([
      'target_differs: target warehouse: videos main/101, 5: title is 1',
    ]);
  });
});

describe('the tables of runs, which belong to no account', () => {
  it('are named only where no account fails', () => {
    const runs = failingAccount({ account: RUNS });
    const [alone] = problemsAt('13:00', targetReport([targetAccount()], { runs }));
    expect(alone?.message).toContain('UTC for the tables of runs: connection refused');
    const [together] = problemsAt('13:00', targetReport([failingAccount()], { runs }));
    expect(together?.message).toContain('UTC for account main: connection refused');
  });
});
