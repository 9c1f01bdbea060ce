import { describe, expect, it } from 'vitest';
import { insert } from '../support/fixtures/filled-live-file.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import {
  NOON,
  openTestNotifier,
  runEnded,
  storageFailed,
  walkEnded,
} from '../support/fixtures/open-notifier.ts';

describe('an account, a walk or a scoped run that failed', () => {
  it('is an incident that lasts while a run is in progress', async () => {
    const { sql, check, checkAfter, newMessages } = await openTestNotifier();
    sql(
      runEnded(1, 'partial', '2026-03-10 11:00:00'),
      walkEnded(1, 101, 'partial', '2026-03-10 11:00:00', 'x'),
    );
    sql(
      runEnded(2, 'failed', '2026-03-10 11:30:00', 'no connection'),
      "update run set scope = 'x' where run_id = 2;",
    );
    await check();
    expect(newMessages().sort()).toEqual(['failed begun', 'partial begun 101']);
    sql(runEnded(3, 'running', NOON), walkEnded(3, 101, 'running', NOON));
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual([]);
    sql(
      "update run set status = 'succeeded' where run_id = 3; update walk set status = 'succeeded' where run_id = 3;",
    );
    await check();
    expect(newMessages().sort()).toEqual(['failed over', 'partial over 101']);
  });

  it('is one incident of the account, which covers what its packages and storage have', async () => {
    const packages = [101, 102, 103];
    const { sql, check, checkAfter, newMessages, webhook } = await openTestNotifier({ packages });
    const failure = (id: number | null) =>
      insert('run_failure', {
        run_id: 1,
        account: 'main',
        kind: 'connection',
        message: 'account main, x: no connection',
        ...(id === null ? { stream: 'storage' } : { package_id: id, stream: 'videos' }),
      });
    sql(
      runEnded(1, 'failed', '2026-03-10 12:00:10', 'no connection'),
      ...packages.map((id) => walkEnded(1, id, 'failed', '2026-03-10 12:00:05', 'no connection')),
      ...[null, ...packages].map(failure),
    );
    await check();
    sql("update run set started_at = '2026-03-10 14:50:00';"); // it took long: the packages are stale by now
    await checkAfter(3 * HOUR_MS);
    expect(newMessages()).toEqual(['failed begun']);
    expect(webhook.received[0]).toMatchObject({ account: 'main', details: { run_id: 1, packages: 3 } });
    sql(
      runEnded(2, 'succeeded', '2026-03-10 15:00:00'),
      ...packages.map((id) => walkEnded(2, id, 'succeeded', '2026-03-10 15:00:00')),
      "update package set walked_at = '2026-03-10 15:00:00';",
      "update storage_reading set observed_at = '2026-03-10 15:00:00';",
    );
    await check();
    expect(newMessages()).toEqual(['failed over']);
  });
});

describe('storage that failed', () => {
  const FAILED = [runEnded(2, 'partial', '2026-03-10 12:00:10'), storageFailed(2, 'status 500')];

  it('is not over after a deferred run or after a run without a storage result', async () => {
    const { sql, checkAfter, newMessages } = await openTestNotifier();
    sql(...FAILED, runEnded(3, 'parked', '2026-03-10 12:00:20'), storageFailed(3, 'x', { kind: 'parked' }));
    sql(runEnded(4, 'partial', '2026-03-10 12:00:30', 'account main is paused until later: status 429'));
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['failed begun']);
    sql(runEnded(5, 'succeeded', '2026-03-10 12:00:40'));
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['failed over']);
  });

  it('is reported for the account whose storage failed, and only if storage was requested', async () => {
    const { sql, checkAfter, newMessages } = await openTestNotifier();
    sql(runEnded(2, 'partial', '2026-03-10 12:00:10'), storageFailed(2, 'no budget', { kind: 'parked' }));
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual([]); // it sent no request
    sql("update run_failure set kind = 'skipped';");
    await checkAfter(MINUTE_MS);
    sql("update run_failure set kind = 'status', account = 'other';");
    await checkAfter(MINUTE_MS);
    sql(`update run_failure set account = 'main', stream = 'videos', package_id = 101;`);
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual([]);
    sql("update run_failure set stream = 'storage', package_id = null;");
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['failed begun']);
  });

  it('does not hide that the run itself failed', async () => {
    const { sql, checkAfter, newMessages, webhook } = await openTestNotifier();
    sql(
      runEnded(2, 'failed', '2026-03-10 12:00:10', 'x; y'),
      storageFailed(2, 'x'),
      storageFailed(2, 'y', { stream: 'videos', package_id: '101' }),
    );
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['failed begun']);
    expect(webhook.received[0]?.details).toMatchObject({ run_id: 2, error: 'x; y' });
  });
});

describe('a run that failed', () => {
  const failedWalk = [
    runEnded(2, 'failed', '2026-03-10 11:00:00', 'main/101: status 500'),
    walkEnded(2, 101, 'failed', '2026-03-10 11:00:05', 'status 500'),
  ];

  it('is not reported next to the packages that give the reason', async () => {
    const { sql, check, newMessages } = await openTestNotifier();
    sql(...failedWalk);
    await check();
    expect(newMessages()).toEqual(['failed begun 101']);
  });

  it('is not reported as over while runs continue to fail', async () => {
    const { sql, check, newMessages } = await openTestNotifier();
    sql(runEnded(1, 'failed', '2026-03-10 10:00:00', 'no connection'));
    await check();
    sql(...failedWalk);
    await check();
    expect(newMessages()).toEqual(['failed begun', 'failed begun 101']);
    sql(runEnded(3, 'succeeded', NOON), walkEnded(3, 101, 'succeeded', NOON));
    await check();
    expect(newMessages().sort()).toEqual(['failed over', 'failed over 101']);
  });

  it('lasts where an account is added, and names only the failing one', async () => {
    const { sql, check, checkAfter, restart, newMessages, webhook, config } = await openTestNotifier();
    sql(runEnded(1, 'failed', '2026-03-10 10:00:00', 'no connection'));
    await check();
    const [main] = config.accounts;
    if (!main) throw new Error('the config has no account');
    await restart({ accounts: [main, { ...main, name: 'second', packages: [], storage: null }] });
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['failed begun']);
    sql(runEnded(2, 'succeeded', NOON));
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['failed over']);
    expect(webhook.received.map(({ account }) => account)).toEqual(['main', null]);
  });

  it('is not over after a parked, aborted or partial run', async () => {
    const { sql, check, newMessages } = await openTestNotifier();
    sql(runEnded(1, 'failed', '2026-03-10 10:00:00', 'no connection'));
    await check();
    sql(runEnded(2, 'parked', NOON), runEnded(3, 'interrupted', NOON), runEnded(4, 'succeeded', NOON));
    sql("update run set scope = 'storage only' where run_id = 4;");
    await check();
    expect(newMessages()).toEqual(['failed begun']);
  });

  it('of packages is not over after an aborted walk', async () => {
    const { sql, check, newMessages } = await openTestNotifier();
    sql(...failedWalk, runEnded(3, 'interrupted', NOON));
    await check();
    sql(
      insert('walk', {
        run_id: 3,
        account: 'main',
        package_id: 101,
        mode: 'full',
        status: 'interrupted',
        started_at: NOON,
        origin_started_at: NOON,
      }),
      insert('walk', {
        run_id: 3,
        account: 'main',
        package_id: 101,
        mode: 'quick',
        status: 'succeeded',
        started_at: NOON,
        origin_started_at: NOON,
      }),
    );
    await check();
    expect(newMessages()).toEqual(['failed begun 101']);
  });
});
