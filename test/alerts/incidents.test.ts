import { describe, expect, it, onTestFinished } from 'vitest';
import { insert } from '../support/fixtures/filled-live-file.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { INCIDENT_EVENTS } from '../../src/health/incident-events.ts';
import { HOUR_MS, MINUTE_MS, toTimestamp } from '../../src/lib/clock.ts';
import { RUNS, type LoadReport } from '../../src/publishing/targets/load-report.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { LEAST, load } from '../support/fixtures/load-config.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';
import { held, NOON, openTestNotifier, runEnded, walkEnded } from '../support/fixtures/open-notifier.ts';
import { transact } from '../../src/database/transaction.ts';
import { recordLoadReports } from '../../src/warehouse/statements/target-loads.ts';

const TARGET = `{ name: warehouse, postgres: 'postgres://me@127.0.0.1:1/db' }`;

describe('an incident', () => {
  it('of a parked run lasts while it resumes, and over quick runs, until a full run ends that is not parked', async () => {
    const { sql, check, checkAfter, newMessages } = await openTestNotifier();
    const parked = (run: number, resumeAt: string) =>
      sql(runEnded(run, 'parked', NOON), `update run set resume_at = '${resumeAt}' where run_id = ${run};`);
    parked(1, '2026-03-10 12:00:30');
    await check();
    await checkAfter(MINUTE_MS); // it may resume, and nothing did yet
    sql(runEnded(2, 'running', NOON), 'update run set finished_at = null where run_id = 2;');
    await checkAfter(MINUTE_MS);
    parked(3, '2026-03-10 12:30:00');
    await check();
    sql(runEnded(4, 'succeeded', '2026-03-10 12:01:00'), `update run set mode = 'quick' where run_id = 4;`);
    await check();
    expect(newMessages()).toEqual(['parked begun']);
    sql(runEnded(5, 'partial', '2026-03-10 12:02:00'));
    await check();
    expect(newMessages()).toEqual(['parked over']);
  });

  it('of the clock, or of the published file, lasts while a run is in progress', async () => {
    const notify = { events: INCIDENT_EVENTS };
    const { sql, check, checkAfter, config, restart, newMessages } = await openTestNotifier({ notify });
    const file = `${config.warehouse}.bi`;
    await restart({ publish: { exclude: [], tagSeparators: [','], everyMs: 0, targets: [], file } });
    sql(runEnded(1, 'partial', '2026-03-10 11:00:00'), 'update run set clock_offset_ms = 7200000;');
    await check();
    expect(newMessages().sort()).toEqual(['clock begun', 'unpublished begun']);
    sql(runEnded(2, 'running', NOON), 'update run set finished_at = null where run_id = 2;');
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual([]);
    sql(`update run set status = 'succeeded', finished_at = '2026-03-10 12:01:00' where run_id = 2;`);
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['clock over']);
  });

  it('of a target lasts until it is loaded, and is one for all its accounts', async () => {
    const { path, clock, check, checkAfter, config, restart, newMessages, webhook } =
      await openTestNotifier();
    const targets = load(`${LEAST}publish: { targets: [${TARGET}] }`).publish?.targets ?? [];
    const file = `${config.warehouse}.bi`;
    await restart({ publish: { exclude: [], tagSeparators: [','], everyMs: 0, targets, file } });
    const warehouse = openWarehouse(path, clock);
    onTestFinished(() => warehouse.close());
    const record = (report: LoadReport) =>
      transact(warehouse.db, (tx) => recordLoadReports(tx, 'warehouse', [report], clock.now()));
    const since = toTimestamp(clock.now());
    const down = { code: 'ECONNREFUSED', error: 'nothing answers at 127.0.0.1:1', hint: null };
    for (const account of ['main', RUNS]) record(failedLoad({ account, ...down }));
    await check();
    await checkAfter(59 * MINUTE_MS);
    const ofTargets = () => newMessages().filter((message) => message.startsWith('target'));
    expect(ofTargets()).toEqual([]);
    await checkAfter(MINUTE_MS);
    expect(ofTargets()).toEqual(['target begun']);
    expect(webhook.received.find(({ event }) => event === 'target')).toMatchObject({
      since,
      details: {
        targets: [{ target: 'warehouse', what: 'failed', accounts: ['main'], code: 'ECONNREFUSED' }],
      },
    });
    for (const account of ['main', RUNS]) record(loadReport({ account }));
    await checkAfter(MINUTE_MS);
    expect(ofTargets()).toEqual(['target over']);
    const over = webhook.received.find(({ event, state }) => event === 'target' && state === 'over');
    expect(over?.details).toMatchObject({ targets: [{ target: 'warehouse' }] });
  });

  it('that notify.events leaves out is not sent', async () => {
    const { sql, check, newMessages } = await openTestNotifier({ notify: { events: ['stale'] } });
    sql(held(101, 1));
    await check();
    expect(newMessages()).toEqual([]);
  });

  it('is posted as JSON by vodhouse', async () => {
    const { sql, check, webhook } = await openTestNotifier();
    sql(held(101, 1));
    await check();
    const [call] = webhook.calls;
    expect(call).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
    expect(call?.headers['user-agent']).toMatch(/^vodhouse\/\d/);
  });

  it('is sent without the key, also where an account has the key as its name', async () => {
    const { sql, check, webhook, path } = await openTestNotifier({ secrets: ['main'] });
    sql(held(101, 1));
    await check();
    expect(webhook.received[0]).toMatchObject({
      event: 'held_back',
      state: 'begun',
      account: '[key]',
      package_id: 101,
    });
    expect(webhook.calls[0]?.body).not.toContain('main');
    const stored = JSON.stringify(readRows(path, 'select text, details from incident'));
    expect(stored).toContain('[key]/101');
    expect(stored).not.toContain('main');
  });

  it('is sent without the rest of a key that truncation of a long text leaves', async () => {
    const { sql, check, webhook } = await openTestNotifier();
    const error = `${'x'.repeat(297)}test-key`;
    sql(runEnded(1, 'partial', NOON), walkEnded(1, 101, 'failed', NOON, error));
    await check();
    expect(JSON.stringify(webhook.received[0]?.details)).toMatch(/x\[key\]/);
  });

  it('begins again where the problem comes back', async () => {
    const { sql, check, checkAfter, newMessages } = await openTestNotifier();
    for (let times = 0; times < 2; times++) {
      sql(held(101, 1));
      await check();
      sql('delete from removal_candidate;');
      await checkAfter(MINUTE_MS);
    }
    expect(newMessages()).toEqual([
      'held_back begun 101',
      'held_back over 101',
      'held_back begun 101',
      'held_back over 101',
    ]);
  });

  it('is reported as over with the values of its last check', async () => {
    const { sql, check, webhook } = await openTestNotifier();
    sql(held(101, 1));
    await check();
    sql(held(101, 2));
    await check();
    sql('delete from removal_candidate;');
    await check();
    expect(webhook.received.map(({ details }) => details['removals'])).toEqual([1, 2]);
  });

  it('of a package that was removed from the config is over, and no new one begins', async () => {
    const rows = [held(101, 1)];
    const { check, restart, config, webhook, newMessages } = await openTestNotifier({ rows });
    await check();
    const accounts = config.accounts.map((each) => ({ ...each, packages: each.packages.slice(1) }));
    await restart({ accounts });
    await check();
    expect(newMessages()).toEqual(['held_back begun 101', 'held_back over 101']);
    expect(webhook.received[1]?.text).toMatch(/^Over: main\/101: 1 removal held back/);
  });
});

describe('an account that is restricted repeatedly', () => {
  const pause = (since: string, until: string, full_rate_at: string) =>
    `delete from pause; ${insert('pause', { account: 'main', until, reason: 'status 429', since, full_rate_at, consecutive_restrictions: 1 })}`;

  it('is reported once, and once when its full rate is back', async () => {
    const { sql, check, checkAfter, newMessages, webhook } = await openTestNotifier();
    sql(pause(NOON, '2026-03-10 12:00:30', '2026-03-10 12:01:30'));
    await check();
    await checkAfter(MINUTE_MS);
    sql(pause('2026-03-10 12:01:00', '2026-03-10 12:01:45', '2026-03-10 12:02:45'));
    await check();
    await checkAfter(MINUTE_MS);
    sql(pause('2026-03-10 12:02:00', '2026-03-10 12:03:00', '2026-03-10 12:04:00'));
    await check();
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['restricted begun']);
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['restricted over']);
    expect(webhook.received[1]).toMatchObject({ since: NOON, details: { until: '2026-03-10 12:03:00' } });
  });

  it('is not reported again while the rate ramps up', async () => {
    const { sql, checkAfter, newMessages, webhook } = await openTestNotifier({
      notify: { remindAfterMs: MINUTE_MS },
    });
    sql(pause(NOON, '2026-03-10 12:00:30', '2026-03-10 12:01:30'));
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual([]);
    sql(pause('2026-03-10 12:01:00', '2026-03-10 12:01:30', '2026-03-10 12:09:00'));
    await checkAfter(0);
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['restricted begun', 'restricted reminder']);
    expect(webhook.received[1]?.details).toMatchObject({ back_at: '2026-03-10 12:09:00' });
  });
});

describe('a package that was never read', () => {
  const NEVER = ['update package set walked_at = null where package_id = 102;'];

  it('is stale two ticks after the worker started, and not while a run is under way', async () => {
    const { sql, check, checkAfter, newMessages, webhook } = await openTestNotifier({ rows: NEVER });
    const fresh = (at: string) =>
      sql(
        `update package set walked_at = '${at}' where package_id = 101; update storage_reading set observed_at = '${at}';`,
      );
    await check();
    fresh('2026-03-10 14:00:00');
    await checkAfter(2 * HOUR_MS);
    expect(newMessages()).toEqual([]); // at the second tick
    sql(runEnded(1, 'running', '2026-03-10 14:00:00'));
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual([]);
    sql("update run set status = 'succeeded';");
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['stale begun 102']);
    expect(webhook.received[0]).toMatchObject({
      since: '2026-03-10 14:02:00', // it may be new in the config
      details: { stream: 'videos', last_read_at: null },
    });
  });

  it('is one incident where its walk failed', async () => {
    const failed = [runEnded(1, 'partial', NOON), walkEnded(1, 102, 'failed', NOON, 'unknown package')];
    const { check, newMessages } = await openTestNotifier({ rows: [...NEVER, ...failed], since: 'always' });
    await check();
    expect(newMessages()).toEqual(['failed begun 102']);
  });

  it('stays stale where the worker restarts', async () => {
    const { sql, check, checkAfter, restart, newMessages } = await openTestNotifier({
      rows: NEVER,
      since: 'always',
    });
    await check();
    expect(newMessages()).toEqual(['stale begun 102']);
    await restart();
    await checkAfter(MINUTE_MS);
    sql(runEnded(1, 'running', NOON));
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual([]);
  });
});

describe('a worker that starts', () => {
  const STALE = ["update package set walked_at = '2026-03-10 01:00:00';"];

  it('sends nothing before it has caught up', async () => {
    const { check, notifier, newMessages } = await openTestNotifier({ rows: STALE, caughtUp: false });
    await check();
    expect(newMessages()).toEqual([]);
    notifier().runFinished();
    await check();
    expect(newMessages()).toEqual([]); // the next one is due
    notifier().caughtUp();
    await check();
    expect(newMessages()).toEqual(['stale begun 101', 'stale begun 102']);
  });

  it('sends after ten minutes in any case', async () => {
    const { check, checkAfter, newMessages } = await openTestNotifier({ rows: STALE, caughtUp: false });
    await check();
    await checkAfter(9 * MINUTE_MS);
    expect(newMessages()).toEqual([]);
    await checkAfter(MINUTE_MS);
    expect(newMessages()).toEqual(['stale begun 101', 'stale begun 102']);
  });
});
