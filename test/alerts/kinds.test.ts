import { expect, it } from 'vitest';
import { insert } from '../support/fixtures/filled-live-file.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { findKind } from '../../src/health/catalogue.ts';
import { INCIDENT_EVENTS } from '../../src/health/incident-events.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import {
  gap,
  held,
  NOON,
  openTestNotifier,
  readingAt,
  runEnded,
  storageFailed,
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

const discrepancy = (date: string, observed: number | null) =>
  insert('storage_discrepancy', {
    account: 'main',
    date,
    field: 'image_size',
    booked: 10,
    observed,
    observed_at: NOON,
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
        count: 2,
        booked: 0,
        differing: 2,
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
        command: 'vodhouse sync --package 101 --accept-removals walk:7 --config test',
      },
    },
  },
  {
    event: 'gap',
    begin: [
      gap('2026-03-08', { first_missed_at: '2026-03-08 17:00:00' }),
      gap('2026-03-09'),
      gap('2026-03-01', { given_up_at: NOON }),
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
        account: 'main',
        stream: 'videos',
        field,
        kind: 'new',
        sample: '1',
        first_seen_at: NOON,
        last_seen_at: NOON,
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
        account: 'main',
        stream: 'videos',
        package_id: 101,
        record_id: '7',
        page: 1,
        reason: 'id is missing',
        raw: '{}',
        seen_at: NOON,
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
      runEnded(1, 'failed', '2026-03-10 09:00:00'),
      runEnded(2, 'partial', '2026-03-10 10:00:00'),
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
      runEnded(1, 'succeeded', '2026-03-03 11:00:00'),
      walkEnded(1, 101, 'succeeded', '2026-03-03 11:00:05'),
      'update walk set totalcount = 41;',
      'update package set totalcount = package_id - 81;',
    ],
    end: ['update package set totalcount = 21;'],
    post: { package_id: 101, since: NOON, details: { videos: 20, videos_before: 41 } },
  },
  {
    event: 'rewritten',
    begin: [
      runEnded(1, 'succeeded', '2026-03-10 09:00:00'),
      walkEnded(1, 101, 'succeeded', '2026-03-10 09:00:05'),
      runEnded(2, 'succeeded', '2026-03-10 10:00:00'),
      ...['3', '4'].map((second) => walkEnded(2, 101, 'succeeded', `2026-03-10 10:00:0${second}`)),
      'update walk set edited = 22, unchanged = 190;',
    ],
    end: ['update walk set unchanged = 198 where walk_id = 3;'],
    post: {
      package_id: 101,
      since: '2026-03-10 09:00:05',
      details: { edited: 22, videos: 212, fields: [] },
    },
  },
  {
    event: 'gap',
    begin: [
      insert('storage_gap', {
        account: 'main',
        date: '2026-03-09',
        first_missed_at: '2026-03-10 10:00:00',
        last_requested_at: NOON,
        reason: 'unconfirmed',
      }),
      insert('storage_unconfirmed', {
        account: 'main',
        date: '2026-03-09',
        reason: 'all figures are 0',
        observed_at: NOON,
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

it.each(CASES)(
  'an incident of $event is sent once when it begins and once when it is over: $post',
  async (each) => {
    const notify = { events: INCIDENT_EVENTS };
    const { sql, check, checkAfter, restart, webhook, path } = await openTestNotifier({ notify });
    await check();
    expect(webhook.calls).toEqual([]);

    sql(...each.begin);
    await check();
    await checkAfter(MINUTE_MS);
    const { event } = each;
    const severity = findKind(event)?.severity;
    const place = each.post.package_id === undefined ? '' : `packages/main/${each.post.package_id}`;
    const url = expect.stringContaining(`https://pages.test/${place}`) as string;
    const post = { severity, account: 'main', package_id: null, url, ...each.post };
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
  },
);
