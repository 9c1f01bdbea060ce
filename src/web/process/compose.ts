/** Opens what the web server reads from the live file, and joins it to the routes. */
import type { Config, ServerConfig } from '../../config/config.ts';
import { openReadOnly } from '../../database/connection.ts';
import { commandsFor } from '../../lib/shell-command.ts';
import { readReadiness } from '../../health/readiness.ts';
import { createStaleCheck } from '../../health/streams.ts';
import { createCalendar } from '../../lib/calendar.ts';
import type { Clock } from '../../lib/clock.ts';
import { nextTick } from '../../lib/cron-ticks.ts';
import { openPublisher } from '../../publishing/publisher.ts';
import { openMetricDeltas } from '../../queries/metric-deltas.ts';
import { openVideoLists } from '../../queries/video-list/video-list.ts';
import { openWideReads } from '../../queries/wide-reads.ts';
import { createMetrics } from '../metrics.ts';
import { createMirror } from '../mirror.ts';
import { createWebServer, type WebServer, type WebServerOptions } from '../server.ts';

export interface WebEnvironment extends Pick<WebServerOptions, 'workerDeadReason' | 'onError'> {
  clock: Clock;
}

/**
 * Serves the live file. Throws ConfigError if it cannot listen, WarehouseError if the file cannot be read.
 */
export async function openWebServer(
  config: Config & { server: ServerConfig },
  environment: WebEnvironment,
): Promise<WebServer> {
  const { warehouse, accounts, timezone, schedule, server } = config;
  const { clock } = environment;
  const { db, deltas, wideReads, lists, close } = openReaders(warehouse, clock.now());
  const streams = { config, db, isStale: createStaleCheck(schedule) };
  const publisher = openPublisher(config, 'server');
  const calendar = createCalendar(timezone);
  try {
    const webServer = await createWebServer({
      ...environment,
      server,
      accounts,
      createCatalogue: (accounts) => createMirror({ db, lists, calendar, clock, accounts }),
      pages: {
        ...streams,
        publisher,
        clock,
        nextRun: createNextRun(config),
        formatCommand: commandsFor(config.file),
        wideReads,
      },
      metrics: createMetrics({ ...streams, deltas, publisher, clock }),
      readiness: cacheBriefly(clock, (isAuthenticated: boolean) =>
        readReadiness(streams, clock.now(), isAuthenticated),
      ),
    });
    return { ...webServer, close: () => webServer.close().then(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens what the server reads of the live file at `path`; counters start at `now` (ms). Throws as
 * `openReadOnly`.
 */
function openReaders(path: string, now: number) {
  const db = openReadOnly(path);
  const deltas = openMetricDeltas(path, now);
  const wideReads = openWideReads(path);
  const lists = openVideoLists(path, wideReads.scan);
  const close = async () => {
    db.$client.close();
    for (const reader of [deltas, lists]) reader.close();
    await wideReads.close();
  };
  return { db, deltas, wideReads, lists, close };
}

/** When the next full run after `now` is due, by the schedule or that of a package; both in ms since 1970. */
function createNextRun({ accounts, schedule }: Pick<Config, 'accounts' | 'schedule'>) {
  const own = accounts.flatMap(({ packages }) => packages.flatMap((each) => each.full ?? []));
  const schedules = [...new Set([schedule.full, ...own])];
  return (now: number) => Math.min(...schedules.map((each) => nextTick(each, now, schedule.timezone)));
}

const CACHED_MS = 1_000;

/** Keeps each result for a second, so that frequent probes do not query the file each time. */
function cacheBriefly<Input, Result>(clock: Clock, compute: (input: Input) => Result) {
  const cache = new Map<Input, { result: Result; atMs: number }>();
  return (input: Input): Result => {
    const cached = cache.get(input);
    if (cached && Math.abs(clock.now() - cached.atMs) < CACHED_MS) return cached.result;
    const result = compute(input);
    cache.set(input, { result, atMs: clock.now() });
    return result;
  };
}
