import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { readTargets, targetText } from '../../src/health/targets.ts';
import { openReadOnly } from '../../src/database/connection.ts';
import { RUNS } from '../../src/publishing/targets/load-report.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';
import { createWalker, videos } from '../support/fixtures/package-walker.ts';
import { targetAccount, targetReport } from '../support/fixtures/target-report.ts';
import { openTestWarehouse } from '../support/fixtures/test-warehouse.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';
import { transact } from '../../src/database/transaction.ts';
import { recordLoadReports } from '../../src/warehouse/statements/target-loads.ts';

const NOON = toMs('2026-03-10T12:00Z');

describe('the targets of a live file', () => {
  it('are those of the config, each with its accounts, also those that no load has reached yet', async () => {
    const { path, clock, warehouse } = await openTestWarehouse();
    await createWalker(warehouse, clock).walkOnce(videos([1, 2, 3]));
    transact(warehouse.db, (tx) =>
      recordLoadReports(tx, 'lake', [loadReport({ changeSeq: 1 })], clock.now()),
    );
    const error = 'no user at postgres://me:secret-of-pg@db!';
    transact(warehouse.db, (tx) => recordLoadReports(tx, 'warehouse', [failedLoad({ error })], clock.now()));
    transact(warehouse.db, (tx) => recordLoadReports(tx, 'gone', [loadReport()], clock.now()));
    const left = loadReport({ account: 'retired', outcome: 'refused' });
    const runs = loadReport({ account: RUNS });
    transact(warehouse.db, (tx) => recordLoadReports(tx, 'lake', [runs], clock.now()));
    transact(warehouse.db, (tx) => recordLoadReports(tx, 'lake', [left], clock.now()));
    const db = openReadOnly(path);
    onTestFinished(() => void db.$client.close());
    const config = {
      accounts: [{ name: 'main' }, { name: 'second' }],
      publish: { targets: ['warehouse', 'lake', 'new'].map((name) => ({ name, everyMs: 0 })) },
      secrets: ['secret-of-pg'],
    } as unknown as Config;
    const read = readTargets({ config, db });
    expect(
      read.map(({ target, accounts }) => [
        target,
        ...accounts.map((row) => `${row.account} ${row.outcome ?? 'never'} ${row.behind_changes}`),
      ]),
    ).toEqual([
      ['warehouse', 'main failed 3', 'second never 0'],
      ['lake', 'main loaded 2', 'second never 0'],
      ['new', 'main never 3', 'second never 0'],
    ]);
    expect(read[0]?.accounts[0]?.error).toBe('no user at postgres://me:[key]@db!');
    expect([read[0]?.runs, read[1]?.runs?.account]).toEqual([null, RUNS]);
  });

  it('are not looked for without targets in the config', async () => {
    const { path, warehouse, clock } = await openTestWarehouse();
    transact(warehouse.db, (tx) => recordLoadReports(tx, 'gone', [loadReport()], clock.now()));
    const db = openReadOnly(path);
    onTestFinished(() => void db.$client.close());
    const config = { accounts: [{ name: 'main' }], publish: null, secrets: [] } as unknown as Config;
    expect(readTargets({ config, db })).toEqual([]);
  });
});

describe('the summary of a target', () => {
  type Accounts = ReturnType<typeof targetAccount>[];
  const textOf = (...accounts: Accounts) => targetText(targetReport(accounts), NOON);
  const never = targetAccount({
    account: 'new',
    outcome: null,
    loaded_at: null,
    verified_at: null,
    behind_changes: 9,
  });

  it('says how many accounts are up to date, and when they were loaded and verified', () => {
    const times = 'loaded 2 min ago, verified 7 h ago';
    expect(textOf(targetAccount(), never)).toBe(`2 accounts, 1 up to date, ${times}`);
    expect(textOf(never)).toBe('1 account, not loaded yet');
    const differs = targetAccount({ behind_changes: 2, differences: ['title'] });
    expect(textOf(differs)).toBe(`1 account, 0 up to date, ${times}, 1 with differences`);
    const unverified = targetAccount({ account: 'other', verified_at: null, differences: null });
    expect(textOf(targetAccount(), unverified)).toBe('2 accounts, 2 up to date, loaded 2 min ago');
  });
});
