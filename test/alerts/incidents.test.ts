import { describe, expect, it, onTestFinished } from 'vitest';
import { insert } from '../support/fixtures/filled-live-file.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { INCIDENT_EVENTS } from '../../src/lib/incident-events.ts';
import { HOUR_MS, MINUTE_MS, toTimestamp } from '../../src/lib/clock.ts';
import { RUNS, type LoadReport } from '../../src/lib/load-report.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { LEAST, load } from '../support/fixtures/load-config.ts';
import { failedLoad, loadReport } from '../support/fixtures/load-report.ts';
import {
  gap,
  held,
  NOON,
  openTestNotifier,
  readingAt,
  runEnded,
  walkEnded,
} from '../support/fixtures/open-notifier.ts';

interface Case {
  event: string;
  /** Begins and ends the incident. */
  begin: string[];
  end: string[];
  /** Passes before the second check. */
  endMs?: number;
  /** The account is `main`, the package null where it is left out. */
  post: { package_id?: number; since: string; details: Record<string, unknown> };
}

const TARGET = `{ name: warehouse, postgres: 'postgres://me@127.0.0.1:1/db' }`;

const discrepancy = (date: string, observed: number | null) =>
  insert('storage_discrepancy', {
    account: 'main',
    date,
    field: 'image_size',
    booked: 10,
    observed,
    observed_at: NOON,
  });

const storageFailed = (run_id: number, why: string, row: Record<string, string> = {}) =>
  insert('run_failure', {
    ...{ run_id, account: 'main', stream: 'storage', kind: 'status' },
    ...{ message: `account main, storage 2026-03-07 to 2026-03-10: ${why}`, ...row },
  });

const CASES: Case[] = [
  {
    event: 'failed',
    begin: [
      runEnded(1, 'partial', '2026-03-10 08:00:00'),
      walkEnded(1, 101, 'failed', '2026-03-10 08:00:05', 'status 404'),
      runEnded(2, 'partial', '2026-03-10 09:00:00'),
      walkEnded(2, 101, 'partial', '2026-03-10 09:00:05'),
      runEnded(3, 'partial', '2026-03-10 10:00:00'),
      walkEnded(3, 101, 'failed', '2026-03-10 10:00:05', 'status 500'),
      runEnded(4, 'partial', '2026-03-10 11:00:00'),
      walkEnded(4, 101, 'failed', '2026-03-10 11:00:05', 'status 503'),
      walkEnded(4, 102, 'succeeded', '2026-03-10 11:00:05'),
    ],
    end: [runEnded(5, 'succeeded', NOON), walkEnded(5, 101, 'succeeded', NOON)],
    post: {
      package_id: 101,
      since: '2026-03-10 10:00:05',
      details: { error: 'status 503', walk_id: 4, failures: 2 },
    },
  },
  {
    event: 'failed',
    begin: [
      runEnded(1, 'failed', '2026-03-10 10:00:00', 'no connection'),
      runEnded(2, 'failed', '2026-03-10 11:00:00', 'no name'),
    ],
    end: [runEnded(3, 'succeeded', NOON)],
    post: { since: '2026-03-10 10:00:00', details: { run_id: 2, error: 'no name' } },
  },
  {
    event: 'failed',
    begin: [
      runEnded(1, 'succeeded', '2026-03-10 11:00:00'),
      runEnded(2, 'partial', '2026-03-10 12:00:10'),
      storageFailed(2, 'no connection'),
      runEnded(3, 'failed', '2026-03-10 12:00:20', 'a; b'),
      storageFailed(3, 'a; b'),
    ],
    end: [readingAt('2026-03-10 12:00:20')],
    post: {
      since: '2026-03-10 12:00:10',
      details: { stream: 'storage', error: '2026-03-07 to 2026-03-10: a; b' },
    },
  },
  {
    event: 'stale',
    begin: ["update package set walked_at = '2026-03-10 09:59:59' where package_id = 102;"],
    end: [`update package set walked_at = '${NOON}';`],
    post: {
      package_id: 102,
      since: '2026-03-10 09:59:59',
      details: { stream: 'videos', last_read_at: '2026-03-10 09:59:59' },
    },
  },
  {
    event: 'stale',
    begin: ["update storage_reading set observed_at = '2026-03-10 09:00:00';"],
    end: [`update storage_reading set observed_at = '${NOON}';`],
    post: {
      since: '2026-03-10 09:00:00',
      details: { stream: 'storage', last_read_at: '2026-03-10 09:00:00' },
    },
  },
  {
    event: 'restricted',
    begin: [
      insert('pause', {
        account: 'main',
        until: '2026-03-10 12:10:00',
        reason: 'status 429',
        since: '2026-03-10 11:59:00',
        full_rate_at: '2026-03-10 12:20:00',
        consecutive_restrictions: 1,
      }),
    ],
    end: [],
    endMs: 19 * MINUTE_MS,
    post: {
      since: '2026-03-10 11:59:00',
      details: { until: '2026-03-10 12:10:00', back_at: '2026-03-10 12:20:00', reason: 'status 429' },
    },
  },
  {
    event: 'discrepancy',
    begin: [discrepancy('2026-03-06', 1), discrepancy('2026-03-07', 11), discrepancy('2026-03-07', null)],
    end: [`update storage_discrepancy set resolved_at = '2026-03-10 12:01:00'`],
    post: {
      since: NOON,
      details: {
        ...{ count: 2, booked: 0, differing: 2 },
        differences: [
          { date: '2026-03-06', field: 'image_size', booked: 10, observed: 1 },
          { date: '2026-03-07', field: 'image_size', booked: 10, observed: null },
        ],
      },
    },
  },
  {
    event: 'held_back',
    begin: [held(101, 1), held(101, 2)],
    end: ['delete from removal_candidate;'],
    post: {
      package_id: 101,
      since: NOON,
      details: {
        removals: 2,
        reasons: ['many'],
        command: 'vodhouse sync --package 101 --accept-removals 7 --config test',
      },
    },
  },
  {
    event: 'gap',
    begin: [
      gap('2026-03-08', { first_missed_at: '2026-03-08 17:00:00' }),
      ...[gap('2026-03-09'), gap('2026-03-01', { given_up_at: NOON })],
    ],
    end: [
      "delete from storage_gap where date = '2026-03-08';",
      `update storage_gap set given_up_at = '${NOON}';`,
    ],
    post: {
      since: '2026-03-08 17:00:00',
      details: { count: 2, days: ['2026-03-08', '2026-03-09'], waiting: [] },
    },
  },
  {
    event: 'drift',
    begin: ['mood', 'weather'].map((field) =>
      insert('drift', {
        ...{ account: 'main', stream: 'videos', field, kind: 'new', sample: '1' },
        ...{ first_seen_at: NOON, last_seen_at: NOON },
      }),
    ),
    end: [`update drift set acknowledged_at = '${NOON}';`],
    post: {
      since: NOON,
      details: {
        count: 2,
        fields: [
          { stream: 'videos', field: 'mood', kind: 'new' },
          { stream: 'videos', field: 'weather', kind: 'new' },
        ],
      },
    },
  },
  {
    event: 'quarantine',
    begin: [
      insert('quarantine', {
        ...{ account: 'main', stream: 'videos', package_id: 101, record_id: '7', page: 1 },
        ...{ reason: 'id is missing', raw: '{}', seen_at: NOON },
      }),
    ],
    end: [`update quarantine set resolved_at = '${NOON}';`],
    post: {
      since: NOON,
      details: {
        count: 1,
        records: [
          { stream: 'videos', package_id: 101, record_id: '7', reason: 'id is missing', seen_at: NOON },
        ],
      },
    },
  },
  {
    event: 'clock',
    begin: [runEnded(1, 'partial', '2026-03-10 11:00:00'), 'update run set clock_offset_ms = 7200000;'],
    end: [runEnded(2, 'succeeded', NOON)],
    post: { since: '2026-03-10 11:00:00', details: { count: 1, offset_ms: 7_200_000 } },
  },
  {
    event: 'failed',
    begin: [
      runEnded(1, 'failed', '2026-03-10 11:00:00', 'no connection'),
      "update run set scope = 'storage only';",
    ],
    end: [runEnded(2, 'succeeded', NOON)],
    post: { since: '2026-03-10 11:00:00', details: { run_id: 1, error: 'no connection' } },
  },
  {
    event: 'parked',
    begin: [
      runEnded(1, 'parked', '2026-03-10 11:00:00', 'the budget of the day is spent'),
      "update run set resume_at = '2026-03-10 12:30:00';",
    ],
    end: [runEnded(2, 'succeeded', NOON)],
    post: {
      since: '2026-03-10 11:00:00',
      details: { run_id: 1, resume_at: '2026-03-10 12:30:00', error: 'the budget of the day is spent' },
    },
  },
  {
    event: 'partial',
    begin: [
      ...[runEnded(1, 'failed', '2026-03-10 09:00:00'), runEnded(2, 'partial', '2026-03-10 10:00:00')],
      walkEnded(1, 101, 'failed', '2026-03-10 09:00:05', 'status 500'),
      walkEnded(2, 101, 'partial', '2026-03-10 10:00:05', 'page 3 was not read'),
      runEnded(3, 'partial', '2026-03-10 11:00:00'),
      walkEnded(3, 101, 'partial', '2026-03-10 11:00:05', 'page 4 was not read'),
    ],
    end: [runEnded(4, 'succeeded', NOON), walkEnded(4, 101, 'succeeded', NOON)],
    post: {
      package_id: 101,
      since: '2026-03-10 10:00:05',
      details: { error: 'page 4 was not read', walk_id: 3 },
    },
  },
  {
    event: 'unordered',
    begin: [
      `update package set "order" = 'untrusted', totalcount = 30, page_size = 10 where package_id = 102;`,
    ],
    end: [`update package set "order" = 'trusted';`],
    post: { package_id: 102, since: NOON, details: {} },
  },
  {
    event: 'shrunk',
    begin: [
      ...[
        runEnded(1, 'succeeded', '2026-03-03 11:00:00'),
        walkEnded(1, 101, 'succeeded', '2026-03-03 11:00:05'),
      ],
      ...['update walk set totalcount = 41;', 'update package set totalcount = package_id - 81;'],
    ],
    end: ['update package set totalcount = 21;'],
    post: { package_id: 101, since: NOON, details: { videos: 20, videos_before: 41 } },
  },
  {
    event: 'gap',
    begin: [
      insert('storage_gap', {
        ...{ account: 'main', date: '2026-03-09', first_missed_at: '2026-03-10 10:00:00' },
        ...{ last_requested_at: NOON, reason: 'unconfirmed' },
      }),
      insert('storage_unconfirmed', {
        ...{ account: 'main', date: '2026-03-09', reason: 'all figures are 0', observed_at: NOON },
      }),
    ],
    end: ['delete from storage_gap;', 'delete from storage_unconfirmed;'],
    post: {
      since: NOON,
      details: {
        count: 1,
        days: ['2026-03-09'],
        waiting: [{ date: '2026-03-09', reason: 'all figures are 0' }],
      },
    },
  },
];

describe('an incident', () => {
  it.each(CASES)('of $event is sent once when it begins and once when it is over: $post', async (each) => {
    const notify = { events: INCIDENT_EVENTS };
    const { sql, check, checkAfter, restart, webhook, path } = await openTestNotifier({ notify });
    await check();
    expect(webhook.calls).toEqual([]);

    sql(...each.begin);
    await check();
    await checkAfter(MINUTE_MS);
    const { event } = each;
    const post = { account: 'main', package_id: null, ...each.post };
    expect(webhook.received).toEqual([
      { event, state: 'begun', ...post, text: expect.any(String) as string },
    ]);

    await restart();
    await check();
    expect(webhook.calls).toHaveLength(1);

    sql(...each.end);
    await restart();
    await checkAfter(each.endMs ?? MINUTE_MS);
    await checkAfter(MINUTE_MS);
    expect(webhook.calls).toHaveLength(2);
    const text = expect.stringMatching(/^Over: /) as string;
    expect(webhook.received[1]).toEqual({ event, state: 'over', ...post, text });
    expect(readRows(path, 'select package_id, closed_at > opened_at as ended from incident')).toEqual([
      { package_id: post.package_id, ended: 1 },
    ]);
  });

  it('of a parked run lasts while it resumes, until a run ends that is not parked', async () => {
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
    expect(newMessages()).toEqual(['parked begun']);
    sql(runEnded(4, 'partial', '2026-03-10 12:02:00'));
    await check();
    expect(newMessages()).toEqual(['parked over']);
  });

  it('of a scoped run that failed, or of an incomplete walk, lasts while a run is in progress', async () => {
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

  it('of the clock, or of the published file, lasts while a run is in progress', async () => {
    const notify = { events: INCIDENT_EVENTS };
    const { sql, check, checkAfter, config, restart, newMessages } = await openTestNotifier({ notify });
    const file = `${config.warehouse}.bi`;
    await restart({ publish: { exclude: [], everyMs: 0, targets: [], file } });
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
    await restart({ publish: { exclude: [], everyMs: 0, targets, file } });
    const warehouse = openWarehouse(path, clock);
    onTestFinished(() => warehouse.close());
    const record = (report: LoadReport) => warehouse.recordLoadReports('warehouse', [report], clock.now());
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
    expect(webhook.received[0]?.text).toMatch(/x\[k…/);
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
    expect(webhook.received[1]?.text).toBe('Over: main/101 is no longer in the config');
  });

  it('of a stopped account is one, and covers what its packages and storage have', async () => {
    const packages = [101, 102, 103];
    const { sql, check, checkAfter, newMessages, webhook } = await openTestNotifier({ packages });
    const failure = (id: number | null) =>
      insert('run_failure', {
        ...{ run_id: 1, account: 'main', kind: 'connection', message: 'account main, x: no connection' },
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
