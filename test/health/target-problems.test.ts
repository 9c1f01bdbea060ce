import { describe, expect, it } from 'vitest';
import { findProblems } from '../../src/health/problems.ts';
import type { TargetAccount, TargetReport } from '../../src/health/targets.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { RUNS, type FindingKind } from '../../src/lib/load-report.ts';
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
          'target warehouse fails since 2026-03-10 11:31:00 UTC for account main: connection refused by db.example.test:5432',
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

  it('is one after twice `every` where that is sooner', () => {
    const target = targetReport([failingAccount()], { everyMs: 5 * MINUTE_MS });
    expect(problemsAt('11:40', target)).toEqual([]);
    expect(problemsAt('11:41', target)).toHaveLength(1);
    expect(problemsAt('12:31', { ...target, everyMs: 1440 * MINUTE_MS })).toHaveLength(1);
  });

  it.each([
    ...['53100', '42501', '28P01', '28000', '3D000', '3F000'],
    ...['ENOSPC', 'EACCES', 'EROFS', 'AccessDenied', 'NoSuchBucket', 'ExpiredToken', 'RequestTimeTooSkewed'],
  ])('is one at once for %s', (code) => {
    expect(problemsAt('11:31', targetReport([failingAccount({ code })]))).toHaveLength(1);
  });

  it.each(['57P03', '40001', 'ECONNREFUSED', '2800', 'SlowDown', null])('is none at once for %s', (code) => {
    expect(problemsAt('11:32', targetReport([failingAccount({ code })]))).toEqual([]);
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
    expect(all?.message).toContain('for all 100 accounts: ');
    expect(part?.message).toContain(
      'target second fails since 2026-03-10 11:31:00 UTC for 12 of 13 accounts (a1, a2, a3, 9 more): ',
    );
  });

  it('is none once it was loaded', () => {
    expect(messagesOf(targetAccount())).toEqual([]);
  });
});

describe('an account', () => {
  const refused = (account: string) =>
    failingAccount({
      ...{ account, outcome: 'refused', code: null, failing_since: '2026-03-10 12:39:00' },
      ...{ error: 'it belongs to another warehouse', hint: null },
    });

  it('that a target refuses is a problem of the account at once', () => {
    const [problem] = problemsAt('12:40', targetReport([refused('main'), targetAccount({ account: 'b' })]));
    expect(problem).toMatchObject({
      kind: 'target_refused',
      scope: { account: 'main', packageId: null },
      message: 'target warehouse refuses a load: it belongs to another warehouse',
      advice: [{ command: 'vodhouse publish --target warehouse --rebuild main' }],
    });
  });

  it('is not named alone where a target refuses more than ten', () => {
    expect(messagesOf(...named(10, refused))).toHaveLength(10);
    expect(messagesOf(...named(11, refused), targetAccount())).toEqual([
      'target_refused: target warehouse refuses 11 of 12 accounts (a1, a2, a3, 8 more): it belongs to another warehouse',
    ]);
  });

  it('that another worker has, or that was never loaded, is no problem', () => {
    const held = { outcome: 'held', held_by: 'eu-2', held_until: '2026-03-10 12:50:00' } as const;
    const never = { outcome: null, loaded_at: null, attempted_at: null, change_seq: null } as const;
    expect(messagesOf(targetAccount(held), targetAccount({ account: 'b', ...never }))).toEqual([]);
  });
});

describe('a finding', () => {
  const found = (kind: FindingKind, since = '2026-03-10 12:39:00') =>
    messagesOf(targetAccount({ findings: [{ kind, message: `it is ${kind}`, since }] }));

  it.each(['booked_differs', 'differs'] as const)('%s is a problem at once', (kind) => {
    expect(found(kind)).toEqual([`target_differs: target warehouse: it is ${kind}`]);
  });

  it('columns_missing is a problem after an hour', () => {
    expect(found('columns_missing')).toEqual([]);
    expect(found('columns_missing', '2026-03-10 11:40:00')).toHaveLength(1);
  });

  it.each(['history_set_aside', 'left_behind', 'nul_replaced', 'reloaded'] as const)('%s is none', (kind) => {
    expect(found(kind, '2026-03-01 00:00:00')).toEqual([]);
  });

  it('with several of its kind names the first one', () => {
    const findings = ['2026-03-01', '2026-03-02'].map((date) => {
      return { kind: 'booked_differs' as const, message: `${date} differs`, since: '2026-03-10 12:00:00' };
    });
    expect(messagesOf(targetAccount({ findings }))).toEqual([
      'target_differs: target warehouse: 2026-03-01 differs (and 1 more)',
    ]);
  });
});

describe('runs and walks, which belong to no account', () => {
  const runs = failingAccount({ account: RUNS });

  it('are named only where no account fails', () => {
    const [alone] = problemsAt('13:00', targetReport([targetAccount()], { runs }));
    expect(alone?.message).toContain('UTC for runs and walks: connection refused');
    const [together] = problemsAt('13:00', targetReport([failingAccount()], { runs }));
    expect(together?.message).toContain('UTC for account main: connection refused');
  });

  it('have the findings of the whole target, as a problem of no account', () => {
    const message = 'these columns are added by a later load: videos.note';
    const findings = [{ kind: 'columns_missing' as const, message, since: '2026-03-10 11:00:00' }];
    const found = targetReport([targetAccount()], { runs: targetAccount({ account: RUNS, findings }) });
    expect(problemsAt('13:00', found)).toMatchObject([
      { kind: 'target_columns', scope: { account: null }, message: `target warehouse: ${message}` },
    ]);
  });
});
