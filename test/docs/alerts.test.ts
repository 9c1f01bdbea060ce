import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diffIncidents } from '../../src/alerts/diff-incidents.ts';
import { toIncidents } from '../../src/alerts/incidents.ts';
import type { Post } from '../../src/alerts/messages.ts';
import { MESSAGE_STATES } from '../../src/database/schema/incidents.ts';
import { INCIDENT_EVENTS } from '../../src/lib/incident-events.ts';
import type { HealthFacts, StorageDetails } from '../../src/health/facts.ts';
import { createProblem, PROBLEM_KINDS, type ProblemKind } from '../../src/health/problem-kinds.ts';
import { findProblems } from '../../src/health/problems.ts';
import type { Stream } from '../../src/health/streams.ts';
import { FRESH_PACKAGE, healthFacts } from '../support/fixtures/health-facts.ts';
import { failingAccount, targetReport } from '../support/fixtures/target-report.ts';

const PAGE = readFileSync('docs/alerts.md', 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => JSON.parse(text) as Post,
);

const AT = '2026-03-10 12:00:00';

/** The webhook bodies for these inputs; all incidents begin. */
function createPosts(facts: Partial<HealthFacts>): Post[] {
  const problems = findProblems(
    healthFacts({ packages: [{ ...FRESH_PACKAGE, name: 'Lectures' }], ...facts }),
  );
  const active = toIncidents(problems, { noticedAt: AT, isFirstReadOverdue: true });
  const { messages } = diffIncidents(active, [], {
    now: 0,
    remindAfterMs: null,
    onlyAccount: null,
    redact: (value) => value,
    formatResolved: () => '',
  });
  return messages.map(({ body }) => JSON.parse(body) as Post);
}

const stale = (packageId: number): Stream => ({
  account: 'main',
  stream: 'videos',
  packageId,
  name: 'Lectures',
  at: '2026-03-10 09:59:59',
  isStale: true,
  videos: 1,
});
const ofPackage = { account: 'main', package_id: 101 };
const NO_LIMIT = { spent: 0, limit: null, left: null };
const NO_STORAGE: StorageDetails = {
  account: 'main',
  differences: [],
  gaps: [],
  recent: { booked: 0, differing: 0 },
  failure: null,
};
const ENDED_RUN: HealthFacts['runs'][number] = {
  ...{ run_id: 7, trigger: 'schedule', mode: 'full', status: 'partial', started_at: AT, finished_at: AT },
  ...{
    requests: 4,
    error: null,
    scope: null,
    resume_at: null,
    origin_started_at: null,
    clock_offset_ms: null,
  },
  ...{ walks: 0, failed_walks: 0, inserted: 0, updated: 0, removed: 0, restored: 0, quarantined: 0 },
};
const REAL: Post[] = [
  ...createPosts({
    failedWalks: [
      {
        ...ofPackage,
        walk_id: 2,
        error: 'account main, package 101, page 4: no connection (ECONNREFUSED)',
        since: '2026-03-10 10:00:05',
        failures: 2,
      },
    ],
  }),
  ...createPosts({ streams: [stale(101)] }),
  ...createPosts({
    budgets: [
      {
        account: 'main',
        per_second: NO_LIMIT,
        per_minute: NO_LIMIT,
        per_day: NO_LIMIT,
        pause: {
          until: '2026-03-10 12:10:00',
          reason: 'status 429',
          since: '2026-03-10 11:59:00',
          back_at: '2026-03-10 12:20:00',
          in_force: true,
        },
      },
    ],
  }),
  ...createPosts({
    storageDetails: [
      {
        ...NO_STORAGE,
        differences: [{ date: '2026-03-07', field: 'image_size', booked: 10, observed: 11, since: AT }],
      },
    ],
  }),
  ...createPosts({
    held_back: [
      {
        ...ofPackage,
        removals: 250,
        since: AT,
        held_by: 7,
        reasons: ['many'],
        examples: [],
        command: 'vodhouse sync --package 101 --accept-removals 7 --config /srv/vodhouse.yaml',
      },
    ],
  }),
  ...createPosts({
    storageDetails: [
      {
        ...NO_STORAGE,
        gaps: ['2026-03-08', '2026-03-09'].map((date) => ({ date, since: `${date} 17:00:00` })),
      },
    ],
  }),
  ...createPosts({
    quarantine: [
      {
        ...{ account: 'main', stream: 'videos', open: 1 },
        examples: [{ package_id: 101, record_id: '7', reason: 'title is a number', seen_at: AT }],
      },
    ],
  }),
  ...createPosts({
    drift: [
      {
        ...{
          account: 'main',
          stream: 'videos',
          field: 'playcount',
          kind: 'new',
          sample: '17',
          package_id: 101,
        },
        ...{ first_seen_at: AT, last_seen_at: AT, absent_walks: 0, absent_at: null },
        ...{ acknowledged_at: null, resolved_at: null },
      },
    ],
  }),
  ...createPosts({
    now: Date.parse('2026-03-10T13:00:00Z'),
    published: { file: '/srv/data/vodhouse.bi.db', published_at: null, behind: true },
    runs: [{ ...ENDED_RUN, clock_offset_ms: null }],
  }),
  ...createPosts({
    backup: {
      file: '/mnt/backup/vodhouse-2026-03-09T023000Z.db',
      made_at: '2026-03-09 02:30:04',
      size_bytes: 1,
      error: '/mnt/backup/vodhouse-2026-03-10T023000Z.db: no space left',
      failing_since: '2026-03-10 02:30:00',
    },
  }),
  ...createPosts({
    targets: [targetReport([failingAccount({ failing_since: '2026-03-10 10:31:00' })])],
  }),
  ...createPosts({
    refusedConfig: { at: AT, error: 'vodhouse.yaml has 1 problem: line 13  garbage: unknown key' },
  }),
  ...createPosts({ runs: [{ ...ENDED_RUN, clock_offset_ms: 7_200_000 }] }),
  ...createPosts({
    runs: [
      {
        ...{ ...ENDED_RUN, status: 'parked', resume_at: '2026-03-10 15:00:00' },
        error: 'account main: 20000 requests in a day are spent',
      },
    ],
  }),
  ...createPosts({
    partialWalks: [{ ...ofPackage, walk_id: 7, error: 'page 3 was not read', since: AT }],
  }),
  ...createPosts({ packages: [{ ...FRESH_PACKAGE, order: 'untrusted', pages: 3, walked_at: AT }] }),
  ...createPosts({
    storageDetails: [{ ...NO_STORAGE, recent: { booked: 14, differing: 12 } }],
  }),
  ...createPosts({
    storage: [
      {
        ...{ account: 'main', read_at: AT, booked_through: '2026-03-08', gaps: 1, gaps_given_up: 0 },
        ...{ discrepancies: [], stale: false },
        waiting: [{ date: '2026-03-09', reason: 'all figures are 0', since: AT }],
      },
    ],
  }),
  ...createPosts({ streams: Array.from({ length: 240 }, (_, index) => stale(101 + index)) }),
];

const bare = ({ text, ...post }: Post) => ({ ...post, text: text.replaceAll(' (Lectures)', '') });

describe('the events', () => {
  const incidentOf = (kind: ProblemKind) =>
    toIncidents([createProblem<ProblemKind>({ kind, message: kind })], {
      noticedAt: AT,
      isFirstReadOverdue: true,
    });

  it('cover each kind of problem that status shows, and there is no other', () => {
    const events = PROBLEM_KINDS.map((kind) => incidentOf(kind).map(({ event }) => event));
    expect(events.filter(({ length }) => length !== 1)).toEqual([]);
    expect(new Set(events.flat())).toEqual(new Set(INCIDENT_EVENTS));
  });
});

describe('docs/alerts.md', () => {
  it('has an example of each event, and of a grouped message, as it is really posted', () => {
    expect(EXAMPLES.map(({ event }) => event)).toEqual([...INCIDENT_EVENTS, 'stale']);
    const real = REAL.map((post) => {
      const packages = post.details['packages'];
      return Array.isArray(packages)
        ? { ...post, details: { ...post.details, packages: packages.slice(0, 1) as unknown } }
        : post;
    });
    const example = (post: Post) => ({
      ...bare(post),
      text: bare(post).text.replace('main/102', 'main/101'),
      package_id: post.package_id && 101,
    });
    expect(EXAMPLES.map(example)).toEqual(real.map(example));
  });

  it('names each key, event and state', () => {
    const [, keys = ''] = PAGE.split('## What is sent');
    const names = [...Object.keys(EXAMPLES[0] ?? {}), ...INCIDENT_EVENTS, ...MESSAGE_STATES];
    expect(names.filter((name) => !keys.includes(`\`${name}\``))).toEqual([]);
  });
});
