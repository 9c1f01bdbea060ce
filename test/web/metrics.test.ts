import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { version } from '../../src/lib/package-root.ts';
import { openDatabase } from '../../src/database/connection.ts';
import {
  insert,
  liveFileWith,
  packageRow,
  storageRow,
  videoRow,
} from '../support/fixtures/filled-live-file.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { configOver, openMetrics } from '../support/fixtures/open-metrics.ts';
import { valueIn } from '../support/prometheus-text.ts';
import { published } from '../support/fixtures/published-file.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const NOON = toMs('2026-03-10T12:00:00Z');

const quarantineRow = (stream: string, resolvedAt: string | null = null, account = 'main') =>
  insert('quarantine', {
    account,
    stream,
    reason: 'r',
    raw: '{}',
    seen_at: '2026-03-10 11:00:00',
    resolved_at: resolvedAt,
  });
const gapRow = (date: string, givenUpAt: string | null = null) =>
  insert('storage_gap', {
    account: 'main',
    date,
    first_missed_at: date,
    last_requested_at: date,
    given_up_at: givenUpAt,
  });
const heldRow = (id: number, isHeld: number) =>
  insert('removal_candidate', {
    account: 'main',
    package_id: 101,
    id,
    proved_at: '2026-03-10 11:00:00',
    walk_id: 1,
    held_back: isHeld,
    ...(isHeld === 1 && { held_at: '2026-03-10 11:00:00', held_by: 1, held_reason: 'many' }),
  });
const requestRow = (spentUntil: number, account = 'main') =>
  insert('request', { account, at_ms: spentUntil, purpose: 'page', status: 200, spent_until_ms: spentUntil });
const readingRow = (at: string, account = 'main') =>
  insert('storage_reading', { account, observed_at: at, date: at.slice(0, 10) });
const pauseRow = (account: string, until: string, backAt: string) =>
  insert('pause', {
    account,
    until,
    reason: 'busy',
    since: '2026-03-10 11:00:00',
    full_rate_at: backAt,
    consecutive_restrictions: 1,
  });

const scrape = (...statements: string[]) => openMetrics(liveFileWith(...statements)).scrape();

describe('the gauges', () => {
  it('have the age of each stream, and whether it is stale; only the latter where it was never read', async () => {
    const scraped = await scrape(
      packageRow(101, { walked_at: '2026-03-10 11:00:30' }),
      packageRow(102, { walked_at: '2026-03-10 09:59:59' }),
      readingRow('2026-03-10 11:30:00'),
      readingRow('2026-03-10 11:59:00'),
      readingRow('2026-03-10 12:00:00', 'another'),
    );
    const streams = [
      { labels: { account: 'main', stream: 'videos', package_id: '101' }, age: 3570, stale: 0 },
      { labels: { account: 'main', stream: 'videos', package_id: '102' }, age: 7201, stale: 1 },
      { labels: { account: 'main', stream: 'storage', package_id: '' }, age: 60, stale: 0 },
      { labels: { account: 'other', stream: 'videos', package_id: '7' }, age: undefined, stale: 1 },
    ];
    for (const { labels, age, stale } of streams) {
      expect(valueIn(scraped, 'vodhouse_stream_age_seconds', labels)).toBe(age);
      expect(valueIn(scraped, 'vodhouse_stream_stale', labels)).toBe(stale);
    }
    const all = scraped.samples.filter(({ name }) => name === 'vodhouse_stream_stale');
    expect(all).toHaveLength(streams.length);
  });

  it('have the live videos and held-back removals of each package of the config', async () => {
    const scraped = await scrape(
      packageRow(101, { live_count: 12 }),
      packageRow(999, { live_count: 5 }),
      packageRow(7, { live_count: 5, account: 'gone' }),
      heldRow(1, 1),
      heldRow(2, 1),
      heldRow(3, 0),
    );
    const of = (name: string) => scraped.samples.filter((each) => each.name === name);
    expect(of('vodhouse_videos')).toEqual([
      { name: 'vodhouse_videos', labels: { account: 'main', package_id: '101' }, value: 12 },
    ]);
    expect(of('vodhouse_held_back_removals').map(({ labels, value }) => [labels.package_id, value])).toEqual([
      ['101', 2],
      ['102', 0],
      ['7', 0],
    ]);
  });

  it('have the current numbers of quarantined records and missing storage days', async () => {
    const scraped = await scrape(
      quarantineRow('videos'),
      quarantineRow('videos'),
      quarantineRow('storage', '2026-03-10 11:30:00'),
      quarantineRow('videos', null, 'gone'),
      gapRow('2026-03-02'),
      gapRow('2026-03-03', '2026-03-10 00:00:00'),
      gapRow('2026-03-04'),
      gapRow('2026-02-01'), // before the days to be booked
    );
    const quarantined = scraped.samples.filter(({ name }) => name === 'vodhouse_quarantine_records');
    expect(quarantined.map(({ labels, value }) => [labels.account, labels.stream, value])).toEqual([
      ['main', 'videos', 2],
      ['main', 'storage', 0],
      ['other', 'videos', 0],
    ]);
    const gaps = scraped.samples.filter(({ name }) => name === 'vodhouse_storage_gaps');
    expect(gaps.map(({ labels, value }) => [labels.account, labels.state, value])).toEqual([
      ['main', 'open', 2],
      ['main', 'given_up', 1],
    ]);
  });

  it('have the remaining requests of each limited window', async () => {
    const scraped = await scrape(
      requestRow(NOON - 500),
      requestRow(NOON - 30_000),
      requestRow(NOON - 3_600_000),
      requestRow(NOON - 2 * 86_400_000),
      ...Array.from({ length: 7 }, () => requestRow(NOON - 100, 'other')),
    );
    const left = scraped.samples.filter(({ name }) => name === 'vodhouse_budget_left_requests');
    expect(left.map(({ labels, value }) => [labels.account, labels.window, value])).toEqual([
      ['main', 'minute', 98],
      ['main', 'day', 997],
      ['other', 'second', 0],
      ['other', 'minute', 113],
      ['other', 'day', 19_993],
    ]);
    expect(valueIn(scraped, 'vodhouse_budget_limit_requests', { account: 'main', window: 'day' })).toBe(1000);
  });

  it('have the rest of a pause, and 0 while the rate ramps up or without one', async () => {
    const { clock, scrape } = openMetrics(
      liveFileWith(pauseRow('main', '2026-03-10 12:01:30', '2026-03-10 12:03:00')),
    );
    const left = async (account: string) =>
      valueIn(await scrape(), 'vodhouse_pause_left_seconds', { account });
    expect([await left('main'), await left('other')]).toEqual([90, 0]);
    clock.advance(100_000);
    expect(await left('main')).toBe(0);
    clock.advance(600_000);
    expect(await left('main')).toBe(0);
  });

  it('have the size of the live file, and the free space of its disk', async () => {
    const live = liveFileWith();
    const { scrape } = openMetrics(live);
    const { $client: writer } = openDatabase(live, NOON);
    onTestFinished(() => void writer.close());
    writer.exec(packageRow(101));
    const scraped = await scrape();
    expect(valueIn(scraped, 'vodhouse_warehouse_size_bytes')).toBe(statSync(live).size);
    expect(valueIn(scraped, 'vodhouse_warehouse_wal_size_bytes')).toBe(statSync(`${live}-wal`).size);
    expect(statSync(`${live}-wal`).size).toBeGreaterThan(0);
    const free = valueIn(scraped, 'vodhouse_disk_free_bytes') ?? 0;
    expect(free).toBeGreaterThan(0);
    expect(valueIn(scraped, 'vodhouse_disk_size_bytes')).toBeGreaterThan(free);
  });

  it('have the version', async () => {
    const scraped = await scrape();
    expect(valueIn(scraped, 'vodhouse_build_info', { version: version() })).toBe(1);
  });

  it('are read from the live file at each scrape', async () => {
    const live = liveFileWith(packageRow(101, { live_count: 1 }));
    const { scrape } = openMetrics(live);
    const videos = async () => valueIn(await scrape(), 'vodhouse_videos', { package_id: '101' });
    expect(await videos()).toBe(1);
    execute(live, 'update package set live_count = 2');
    expect(await videos()).toBe(2);
    execute(live, 'delete from package');
    expect(await videos()).toBeUndefined();
  });
});

const PUBLISHED = ['timestamp_seconds', 'behind'].map((name) => `vodhouse_published_${name}`);

describe('the metrics of the published file', () => {
  it('are missing where nothing is published', async () => {
    const { scrape, metrics } = openMetrics(liveFileWith());
    metrics.recordPublication({ durationMs: 1500 });
    const { samples } = await scrape();
    expect(samples.filter(({ name }) => /_publish/.test(name))).toEqual([]);
  });

  it('have its time, whether it is outdated, and the duration from the worker, once it has sent it', async () => {
    const live = liveFileWith(packageRow(101), videoRow(1), storageRow('2026-03-02', 1));
    const file = join(dirname(live), 'out.db');
    const config = configOver(live, `publish: { file: ${file} }`);
    const { scrape, metrics } = openMetrics(live, config);
    const scrapeValues = async () => {
      const scraped = await scrape();
      return [...PUBLISHED, 'vodhouse_publish_duration_seconds'].map((name) => valueIn(scraped, name));
    };
    expect(await scrapeValues()).toEqual([undefined, 1, undefined]);
    await published(live, { file, now: NOON - 60_000 });
    expect(await scrapeValues()).toEqual([NOON / 1000 - 60, 0, undefined]);
    metrics.recordPublication({ durationMs: 1500 });
    execute(live, "update package set name = 'New'");
    expect(await scrapeValues()).toEqual([NOON / 1000 - 60, 1, 1.5]);
  });
});

describe('the metrics of the server itself', () => {
  it('are a histogram of seconds by route and status', async () => {
    const { metrics, scrape } = openMetrics(liveFileWith());
    metrics.recordResponse('/metrics', 200, 0.02);
    metrics.recordResponse('/metrics', 200, 3);
    metrics.recordResponse('/readyz', 503, 0.001);
    const scraped = await scrape();
    const name = 'vodhouse_http_request_duration_seconds';
    const labels = { route: '/metrics', status: '200' };
    expect(valueIn(scraped, `${name}_count`, labels)).toBe(2);
    expect(valueIn(scraped, `${name}_sum`, labels)).toBeCloseTo(3.02);
    expect(valueIn(scraped, `${name}_bucket`, { ...labels, le: '0.025' })).toBe(1);
    expect(valueIn(scraped, `${name}_count`, { route: '/readyz', status: '503' })).toBe(1);
  });

  it('include the default metrics of its process', async () => {
    const scraped = await scrape();
    expect(valueIn(scraped, 'process_start_time_seconds')).toBeGreaterThan(1e9);
    expect(valueIn(scraped, 'nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6);
  });
});

describe('the text', () => {
  it('has one registry per open server: two do not count together', async () => {
    const [one, other] = [openMetrics(liveFileWith()), openMetrics(liveFileWith())];
    one.metrics.recordResponse('/', 200, 1);
    expect(one.metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await other.metrics.render()).not.toContain('vodhouse_http_request_duration_seconds_count');
  });

  it('contains no key', async () => {
    const live = liveFileWith(
      packageRow(101),
      pauseRow('main', '2026-03-10 12:01:30', '2026-03-10 12:03:00'),
    );
    const { config, metrics } = openMetrics(live);
    const text = await metrics.render();
    expect(config.secrets).toHaveLength(3);
    for (const secret of config.secrets) expect(text).not.toContain(secret);
  });

  it('is complete for two concurrent scrapes', async () => {
    const { metrics } = openMetrics(liveFileWith(packageRow(101, { live_count: 3 })));
    const [one, other] = await Promise.all([metrics.render(), metrics.render()]);
    for (const text of [one, other])
      expect(text).toContain('vodhouse_videos{account="main",package_id="101"} 3\n');
  });
});
