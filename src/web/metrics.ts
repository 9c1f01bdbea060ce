/**
 * The metrics of `/metrics`, in the text format of Prometheus. Counters start at 0 with the server, except
 * those of targets.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Db } from '../database/connection.ts';
import { measureDiskSpace } from '../database/files.ts';
import { MODES, STATUSES } from '../database/schema/values.ts';
import { listStreams, type StreamParts } from '../health/streams.ts';
import { readTargets, type TargetReport } from '../health/targets.ts';
import type { Clock } from '../lib/clock.ts';
import { version } from '../lib/package-root.ts';
import { publishedFact } from '../publishing/about-rows.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';
import { RECORD_KINDS, type MetricDeltas, type MetricDeltaReader } from '../queries/metric-deltas.ts';
import { GAUGES, type GaugeReading, type Scrape } from './gauges.ts';

interface MetricsOptions {
  config: Config;
  db: Db;
  isStale: StreamParts['isStale'];
  deltas: Pick<MetricDeltaReader, 'sinceLast'>;
  /** Null if the config publishes nothing. */
  publisher: Pick<Publisher, 'isBehind'> | null;
  clock: Pick<Clock, 'now'>;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(options: MetricsOptions) {
  const registry = new Registry();
  const registers = [registry];
  const counters = createCounters(registry, options.config);
  const gauges = GAUGES.map(
    ({ name, help, labels }) => new Gauge({ name, help, labelNames: [...labels], registers }),
  );
  const responseTimes = new Histogram({
    name: 'vodhouse_http_request_duration_seconds',
    help: 'Response time of this server, by route and HTTP status.',
    labelNames: ['route', 'status'],
    registers,
  });
  collectDefaultMetrics({ register: registry });
  let publishDurationMs: number | null = null;
  return {
    /**
     * Reads the live file; rejects if it cannot be read. Everything is read before anything is set, and
     * without an await between, so that neither a failure nor a second scrape leaves half of it.
     */
    render: async (): Promise<string> => {
      const scrape = readScrape(options, publishDurationMs);
      const samples = GAUGES.map(({ read }) => read(scrape));
      counters.add(options.deltas.sinceLast(scrape.now));
      counters.setTargetLoads(scrape.targets);
      for (const [index, gauge] of gauges.entries())
        setSamples(gauge, GAUGES[index]?.labels ?? [], samples[index] ?? []);
      return registry.metrics();
    },
    contentType: registry.contentType,
    /** Notes that the worker has made the published file. */
    recordPublication: ({ durationMs }: Pick<Publication, 'durationMs'>) =>
      void (publishDurationMs = durationMs),
    /** `route` is the pattern of the route, because the path has endless values and may contain a key. */
    recordResponse: (route: string, status: number, seconds: number) =>
      responseTimes.observe({ route, status: String(status) }, seconds),
  };
}

function readScrape(options: MetricsOptions, durationMs: number | null): Scrape {
  const { config, db, publisher, clock } = options;
  const now = clock.now();
  const published = publisher &&
    config.publish && {
      at: publishedFact(config.publish.file, 'published_at'),
      isBehind: publisher.isBehind(now),
      durationMs,
    };
  return {
    config,
    db,
    now,
    published,
    version: version(),
    streams: listStreams(options, now),
    space: measureDiskSpace(config.warehouse),
    targets: readTargets({ config, db }),
  };
}

/** Replaces the samples. prom-client gives label-less gauges a default 0; `remove` drops it. */
function setSamples(gauge: Gauge, names: readonly string[], samples: ReturnType<GaugeReading['read']>): void {
  gauge.reset();
  if (names.length === 0) gauge.remove({});
  for (const [value, ...labels] of samples)
    if (value !== null)
      gauge.set(Object.fromEntries(names.map((name, at) => [name, labels[at] ?? ''])), value);
}

function defineCounters(registry: Registry) {
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  return {
    runs: counter('vodhouse_runs_total', 'Runs that ended, by mode and status.', ['mode', 'status']),
    records: counter(
      'vodhouse_records_total',
      'Records of the walks of runs that ended, by their change to the warehouse.',
      ['account', 'change'],
    ),
    requests: counter(
      'vodhouse_requests_total',
      'Requests sent to the service, by HTTP status; none if no response came in time.',
      ['account', 'status'],
    ),
    targetLoads: counter(
      'vodhouse_target_loads_total',
      'Loads that succeeded (also with nothing to write) or failed (also: the account was refused).',
      ['target', 'account', 'status'],
    ),
  };
}

/**
 * `add` adds to the counters of the config's accounts, which start at 0: otherwise Prometheus would miss the
 * first increase.
 */
function createCounters(registry: Registry, { accounts }: Config) {
  const counters = defineCounters(registry);
  const names = accounts.map(({ name }) => name);
  const add = (deltas: MetricDeltas) => {
    for (const { count, ...labels } of deltas.runs) counters.runs.inc(labels, count);
    for (const of of ['records', 'requests'] as const)
      for (const { count, ...labels } of deltas[of])
        if (names.includes(labels.account)) counters[of].inc(labels, count);
  };
  const ended = STATUSES.filter((status) => status !== 'running');
  add({
    runs: MODES.flatMap((mode) => ended.map((status) => ({ mode, status, count: 0 }))),
    records: names.flatMap((account) => RECORD_KINDS.map((change) => ({ account, change, count: 0 }))),
    requests: names.flatMap((account) => ['200', 'none'].map((status) => ({ account, status, count: 0 }))),
  });
  return {
    add,
    /** These counters are kept in the live file: they do not start at 0 with the server. */
    setTargetLoads: (targets: readonly TargetReport[]): void => {
      counters.targetLoads.reset();
      for (const { target, account, loads, failures } of targets.flatMap(({ accounts }) => accounts)) {
        counters.targetLoads.inc({ target, account, status: 'succeeded' }, loads);
        counters.targetLoads.inc({ target, account, status: 'failed' }, failures);
      }
    },
  };
}
