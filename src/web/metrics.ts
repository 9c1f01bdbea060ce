/** The metrics of `/metrics`, in the text format of Prometheus. Counters start at 0 with the server, except those of targets. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { version } from '../lib/package-root.ts';
import { measureDiskSpace } from '../database/disk-space.ts';
import type { StatusQueries } from '../queries/status-queries.ts';
import { publishedFact } from '../publishing/about-rows.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';
import { MODES, STATUSES } from '../database/schema/runs.ts';
import { CHANGE_KINDS, type MetricDeltas, type MetricDeltaReader } from '../queries/metric-deltas.ts';
import { GAUGES, type Scrape, type Sample } from './gauges.ts';
import { listStreams, type StreamParts } from '../health/streams.ts';
import { readTargets } from '../health/targets.ts';
import { createTargetTotals, TARGET_GAUGES } from './target-metrics.ts';

export interface MetricsOptions {
  config: Config;
  statusQueries: StatusQueries;
  deltas: Pick<MetricDeltaReader, 'sinceLast'>;
  /** Null if the config publishes nothing. */
  publisher: Pick<Publisher, 'isBehind'> | null;
  clock: Pick<Clock, 'now'>;
  isStale: StreamParts['isStale'];
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(options: MetricsOptions) {
  const registry = new Registry();
  const addCounts = createCounters(registry, options.config);
  const setTargetTotals = createTargetTotals(registry);
  const readings = [...GAUGES, ...TARGET_GAUGES];
  const gauges = readings.map(
    ({ name, help, labels }) => new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
  );
  const responseTimes = new Histogram({
    name: 'vodhouse_http_request_duration_seconds',
    help: 'Response time of this server, by route and HTTP status.',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  collectDefaultMetrics({ register: registry });
  let publishDurationMs: number | null = null;
  return {
    /**
     * Reads the live file; rejects if it cannot be read. Reads everything before it sets anything, without an await: no
     * failure and no second scrape sees half of it.
     */
    render: async (): Promise<string> => {
      const scrape = readScrape(options, publishDurationMs);
      const samples = readings.map((reading) => reading.read(scrape));
      addCounts(options.deltas.sinceLast(scrape.now));
      setTargetTotals(scrape);
      gauges.forEach((gauge, index) => setSamples(gauge, samples[index] ?? []));
      return registry.metrics();
    },
    contentType: registry.contentType,
    /** The worker has published. */
    recordPublication: ({ durationMs }: Pick<Publication, 'durationMs'>) =>
      void (publishDurationMs = durationMs),
    /** `route` is the pattern, never the path: that has endless values and may contain a key. */
    recordResponse: (route: string, status: number, seconds: number) =>
      responseTimes.observe({ route, status: String(status) }, seconds),
  };
}

function readScrape(
  { config, statusQueries, publisher, clock, isStale }: MetricsOptions,
  durationMs: number | null,
): Scrape {
  const now = clock.now();
  const published = publisher &&
    config.publish && {
      at: publishedFact(config.publish.file, 'published_at'),
      isBehind: publisher.isBehind(now),
      durationMs,
    };
  const streams = listStreams({ config, statusQueries, isStale }, now);
  const space = measureDiskSpace(config.warehouse);
  const targets = readTargets({ config, statusQueries });
  return { config, statusQueries, now, streams, space, published, targets, version: version() };
}

/** Replaces the samples. prom-client gives label-less gauges a default 0; `remove` drops it. */
function setSamples(gauge: Gauge, samples: readonly Sample[]): void {
  gauge.reset();
  if (samples.length === 0) gauge.remove({});
  for (const { labels, value } of samples) gauge.set(labels, value);
}

/**
 * The returned function adds to the counters of the config's accounts. They start at 0: otherwise Prometheus would miss the
 * first increase.
 */
function createCounters(registry: Registry, { accounts }: Config) {
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const runs = counter('vodhouse_runs_total', 'Runs that ended, by mode and status.', ['mode', 'status']);
  const records = counter(
    'vodhouse_records_total',
    'Records of the walks that ended, by their change to the warehouse.',
    ['account', 'change'],
  );
  const requests = counter(
    'vodhouse_requests_total',
    'Requests sent to the service, by HTTP status; none if no response came in time.',
    ['account', 'status'],
  );
  const names = new Set(accounts.map(({ name }) => name));
  const add = (counts: MetricDeltas) => {
    for (const { count, ...labels } of counts.runs) runs.inc(labels, count);
    for (const { count, ...labels } of counts.records)
      if (names.has(labels.account)) records.inc(labels, count);
    for (const { count, ...labels } of counts.requests)
      if (names.has(labels.account)) requests.inc(labels, count);
  };
  add(zeroCounts([...names]));
  return add;
}

function zeroCounts(accounts: readonly string[]): MetricDeltas {
  const statuses = STATUSES.filter((status) => status !== 'running');
  return {
    runs: MODES.flatMap((mode) => statuses.map((status) => ({ mode, status, count: 0 }))),
    records: accounts.flatMap((account) => CHANGE_KINDS.map((change) => ({ account, change, count: 0 }))),
    requests: accounts.flatMap((account) => ['200', 'none'].map((status) => ({ account, status, count: 0 }))),
  };
}
