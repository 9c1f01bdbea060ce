import { describe, expect, it } from 'vitest';
import { execute } from '../support/fixtures/live-file.ts';
import { insert, liveFileWith, packageRow } from '../support/fixtures/filled-live-file.ts';
import { configOver, openMetrics } from '../support/fixtures/open-metrics.ts';
import { valueIn, type Scraped } from '../support/prometheus-text.ts';

/** Accounts `main` and `other`, in the targets `warehouse` and `archive`, at noon of 10 March 2026 in UTC. */
const TARGETS = `publish:
  file: bi.db
  targets:
    - { name: warehouse, postgres: 'postgres://me@127.0.0.1/db' }
    - { name: archive, postgres: 'postgres://me@127.0.0.1/db', schema: archive }
`;

const load = (row: Record<string, string | number | null> = {}) =>
  insert('target_load', {
    target: 'warehouse',
    account: 'main',
    outcome: 'loaded',
    change_seq: 40,
    attempted_at: '2026-03-10 11:00:00',
    loaded_at: '2026-03-10 11:00:00',
    failing_since: null,
    loads: 4,
    failures: 2,
    rows: 900,
    duration_ms: 4500,
    verified_at: null,
    differences: null,
    ...row,
  });
const open = (...statements: string[]) => {
  const live = liveFileWith(
    packageRow(101, { changed_seq: 40 }),
    packageRow(102, { changed_seq: 30 }),
    ...statements,
  );
  return { live, ...openMetrics(live, configOver(live, TARGETS)) };
};
const main = { target: 'warehouse', account: 'main' };
const GAUGES = [
  'behind_changes',
  'behind_seconds',
  'last_success_timestamp_seconds',
  'verified_timestamp_seconds',
];
const gauges = (scraped: Scraped, labels = main) =>
  GAUGES.map((name) => valueIn(scraped, `vodhouse_target_${name}`, labels));

const LOADED = Date.parse('2026-03-10T11:00:00Z') / 1000;

describe('how far a target is behind', () => {
  it('is 0 where it has every change of the account, and counts changes and seconds where not', async () => {
    const { live, scrape } = open(load());
    expect(gauges(await scrape())).toEqual([0, 0, LOADED, undefined]);
    execute(live, 'update package set changed_seq = 47 where package_id = 102');
    expect(gauges(await scrape())).toEqual([7, 3600, LOADED, undefined]);
  });

  it('counts seconds where the last load failed, also if no video changed', async () => {
    const { scrape } = open(load({ outcome: 'failed', failing_since: '2026-03-10 11:20:00' }));
    expect(gauges(await scrape()).slice(0, 2)).toEqual([0, 3600]);
  });

  it('is all that there is before the first load', async () => {
    expect(gauges(await open().scrape())).toEqual([40, undefined, undefined, undefined]);
  });

  it('has the time of a comparison only where both sides were equal', async () => {
    const compared = (differences: string) => open(load({ verified_at: '2026-03-10 11:00:00', differences }));
    expect(gauges(await compared('[]').scrape())[3]).toBe(LOADED);
    expect(gauges(await compared('["title"]').scrape())[3]).toBeUndefined();
  });
});

describe('the totals of targets', () => {
  it('are those of the live file, at any scrape, and 0 before the first load', async () => {
    const { live, scrape } = open(load());
    const totals = async (labels = main) => {
      const scraped = await scrape();
      return ['succeeded', 'failed'].map((status) =>
        valueIn(scraped, 'vodhouse_target_loads_total', { ...labels, status }),
      );
    };
    expect(await totals()).toEqual([4, 2]);
    expect(await totals()).toEqual([4, 2]);
    execute(live, 'update target_load set loads = 5');
    expect(await totals()).toEqual([5, 2]);
    expect(await totals({ target: 'archive', account: 'other' })).toEqual([0, 0]);
  });
});

it('no target that left the config, and no account that did, has a sample', async () => {
  const { scrape } = open(load({ target: 'gone' }), load({ account: 'retired' }));
  const { samples } = await scrape();
  const ofTargets = samples.filter(({ name }) => name.startsWith('vodhouse_target_'));
  expect(
    new Set(ofTargets.map(({ labels }) => `${labels['target'] ?? ''}/${labels['account'] ?? ''}`)),
  ).toEqual(
    new Set(
      ['warehouse', 'archive'].flatMap((target) => ['', 'main', 'other'].map((name) => `${target}/${name}`)),
    ),
  );
});
