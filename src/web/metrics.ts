/** What `/metrics` says, in the text form of Prometheus. Counters begin at 0 with the server, as is usual there. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { version } from '../lib/version.ts';
import { measureDiskSpace } from '../database/disk-space.ts';
import type { StatusQueries } from '../queries/status-queries.ts';
import { publishedFact } from '../publishing/about-rows.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';
import { MODES, STATUSES } from '../database/schema/runs.ts';
import { CHANGE_KINDS, type MetricDeltas, type MetricDeltaReader } from '../queries/metric-deltas.ts';
import { GAUGES, type Scrape, type Sample } from './gauges.ts';
import { listStreams, type StreamParts } from '../health/streams.ts';

/** What metrics are made of. */
export interface MetricsParts {
  config: Config;
  overview: StatusQueries;
  tallies: Pick<MetricDeltaReader, 'sinceLast'>;
  /** Null where the config publishes nothing. */
  publisher: Pick<Publisher, 'isBehind'> | null;
  clock: Pick<Clock, 'now'>;
  isStale: StreamParts['isStale'];
}

export interface Metrics {
  /** Reads the live file and writes what it found. Rejects where it cannot be read. */
  text(): Promise<string>;
  /** The HTTP `Content-Type` of the text. */
  contentType: string;
  /** The worker has published. */
  published(publication: Pick<Publication, 'durationMs'>): void;
  /** The server has answered: `route` is the pattern and never what was asked for, lest keys or endless values get in. */
  served(route: string, status: number, seconds: number): void;
}

/** Metrics in a registry of their own. */
export function createMetrics(parts: MetricsParts): Metrics {
  const registry = new Registry();
  const counters = createCounters(registry, parts.config);
  const gauges = GAUGES.map((reading) => createGauge(registry, reading.name, reading.help, reading.labels));
  const served = new Histogram({
    name: 'vodhouse_http_request_duration_seconds',
    help: 'How long this server took to answer, by route and HTTP status.',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  collectDefaultMetrics({ register: registry });
  let publishDurationMs: number | null = null;
  return {
    // all is read before anything is set, and set at once: neither a failure nor a second scrape finds gauges half set
    text: async () => {
      const look = lookAt(parts, publishDurationMs);
      const samples = GAUGES.map((reading) => reading.read(look));
      counters.add(parts.tallies.sinceLast(look.now));
      gauges.forEach((gauge, index) => {
        setSamples(gauge, samples[index] ?? []);
      });
      return registry.metrics();
    },
    contentType: registry.contentType,
    published: ({ durationMs }) => void (publishDurationMs = durationMs),
    served: (route, status, seconds) => served.observe({ route, status: String(status) }, seconds),
  };
}

function lookAt(
  { config, overview, publisher, clock, isStale }: MetricsParts,
  durationMs: number | null,
): Scrape {
  const now = clock.now();
  return {
    config,
    overview,
    now,
    streams: listStreams({ config, overview, isStale }, now),
    space: measureDiskSpace(config.warehouse),
    published:
      publisher && config.publish
        ? {
            at: publishedFact(config.publish.file, 'published_at'),
            isBehind: publisher.isBehind(now),
            durationMs,
          }
        : null,
    version: version(),
  };
}

function createGauge(registry: Registry, name: string, help: string, labelNames: readonly string[]): Gauge {
  return new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
}

/** In the place of those of the last scrape: a gauge without labels has one of its own accord, which means nothing. */
function setSamples(gauge: Gauge, samples: readonly Sample[]): void {
  gauge.reset();
  if (samples.length === 0) gauge.remove({});
  for (const { labels, value } of samples) gauge.set(labels, value);
}

/** Counters for the accounts of the config. Those that are sure to come stand at 0 before: else their first is no increase. */
function createCounters(registry: Registry, { accounts }: Config) {
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const runs = counter('vodhouse_runs_total', 'Runs that ended, by mode and how.', ['mode', 'status']);
  const records = counter(
    'vodhouse_records_total',
    'Records of walks that ended, by what they did to the warehouse.',
    ['account', 'change'],
  );
  const requests = counter(
    'vodhouse_requests_total',
    'Requests sent to the service, by HTTP status; none: no answer came in time.',
    ['account', 'status'],
  );
  const names = new Set(accounts.map(({ name }) => name));
  const add = (finished: MetricDeltas) => {
    for (const { mode, status, count } of finished.runs) runs.inc({ mode, status }, count);
    for (const { account, change, count } of finished.records)
      if (names.has(account)) records.inc({ account, change }, count);
    for (const { account, status, count } of finished.requests)
      if (names.has(account)) requests.inc({ account, status }, count);
  };
  add(nothingYet([...names]));
  return { add };
}

function nothingYet(accounts: readonly string[]): MetricDeltas {
  const statuses = STATUSES.filter((status) => status !== 'running');
  return {
    runs: MODES.flatMap((mode) => statuses.map((status) => ({ mode, status, count: 0 }))),
    records: accounts.flatMap((account) => CHANGE_KINDS.map((change) => ({ account, change, count: 0 }))),
    requests: accounts.flatMap((account) => ['200', 'none'].map((status) => ({ account, status, count: 0 }))),
  };
}
