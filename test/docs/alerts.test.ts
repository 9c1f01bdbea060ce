import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diffIncidents } from '../../src/alerts/diff-incidents.ts';
import { findIncidents, type AlertInputs } from '../../src/alerts/rules.ts';
import { resolvedText, type Post } from '../../src/alerts/messages.ts';
import { INCIDENT_EVENTS, MESSAGE_STATES } from '../../src/database/schema/incidents.ts';
import { configOf } from '../support/fixtures/open-pipeline.ts';

const PAGE = readFileSync('docs/alerts.md', 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => JSON.parse(text) as Post,
);

const AT = '2026-03-10 12:00:00';
const NO_FACTS: Omit<AlertInputs, 'config'> = {
  streams: [],
  isRunning: false,
  isOverdue: true,
  watchedSince: AT,
  failedWalks: [],
  failedRun: null,
  failedStorage: [],
  pauses: [],
  heldBack: [],
  storage: [],
};

/** What is posted of these facts, of a config with so many packages from 101 on. */
function postsOf(facts: Partial<AlertInputs>, packages = 1): Post[] {
  const ids = Array.from({ length: packages }, (_, index) => 101 + index);
  const { accounts } = configOf({ url: 'http://127.0.0.1:1', packages: ids }, 'live.db');
  const config = {
    accounts: accounts.map((account) => ({
      ...account,
      packages: ids.map((id) => ({ id, name: 'Lectures' })),
    })),
  };
  const found = findIncidents({ ...NO_FACTS, config, ...facts });
  const rules = { now: 0, remindAfterMs: null, only: null, clean: <Value>(value: Value) => value };
  const { tellings } = diffIncidents(found, [], {
    ...rules,
    overWords: (incident) => resolvedText(config, incident),
  });
  return tellings.map(({ body }) => JSON.parse(body) as Post);
}

const stale = (packageId: number) =>
  ({
    account: 'main',
    stream: 'videos',
    packageId,
    at: '2026-03-10 09:59:59',
    isStale: true,
    videos: 1,
  }) as const;
const ofPackage = { account: 'main', package_id: 101 };
const REAL: Post[] = [
  ...postsOf({
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
  ...postsOf({ streams: [{ ...stale(101), packageId: 101 }] }),
  ...postsOf({
    pauses: [
      {
        account: 'main',
        until: '2026-03-10 12:10:00',
        reason: 'status 429',
        since: '2026-03-10 11:59:00',
        full_rate_at: '2026-03-10 12:20:00',
        isInForce: true,
      },
    ],
  }),
  ...postsOf({
    storage: [
      {
        account: 'main',
        gaps: [],
        differences: [{ date: '2026-03-07', field: 'image_size', booked: 10, observed: 11, since: AT }],
      },
    ],
  }),
  ...postsOf({
    heldBack: [
      {
        ...ofPackage,
        removals: 250,
        since: AT,
        held_by: 7,
        reasons: ['many'],
        command: 'vodhouse sync --package 101 --accept-removals 7 --config /srv/vodhouse.yaml',
      },
    ],
  }),
  ...postsOf({
    storage: [
      {
        account: 'main',
        differences: [],
        gaps: ['2026-03-08', '2026-03-09'].map((date) => ({ date, since: `${date} 17:00:00` })),
      },
    ],
  }),
  ...postsOf({ streams: Array.from({ length: 240 }, (_, index) => stale(101 + index)) }, 240),
];

const bare = ({ text, ...post }: Post) => ({ ...post, text: text.replaceAll(' (Lectures)', '') });

describe('docs/alerts.md', () => {
  it('has an example of each event, and of a storm, as it is really posted', () => {
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
    const words = [...Object.keys(EXAMPLES[0] ?? {}), ...INCIDENT_EVENTS, ...MESSAGE_STATES];
    expect(words.filter((word) => !keys.includes(`\`${word}\``))).toEqual([]);
  });
});
