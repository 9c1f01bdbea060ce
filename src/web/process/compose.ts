/** Composition of the web server: opens what it reads from the live file, and joins it to the routes. */
import type { Config, ServerConfig } from '../../config/config.ts';
import { createCalendar } from '../../lib/calendar.ts';
import type { Clock } from '../../lib/clock.ts';
import { createStaleCheck } from '../../health/streams.ts';
import { commandsFor } from '../../health/commands.ts';
import { openPageQueries } from '../../queries/page-queries.ts';
import { openVideoLists } from '../../queries/video-list/video-list.ts';
import { openWideReads } from '../../queries/wide-reads/wide-reads.ts';
import { openStatusQueries } from '../../queries/status-queries.ts';
import { openPublisher } from '../../publishing/publisher.ts';
import { openMetricDeltas } from '../../queries/metric-deltas.ts';
import { openAnswers } from '../answers/answers.ts';
import { createMetrics } from '../metrics.ts';
import { createMirror } from '../mirror.ts';
import { readReadiness } from '../../health/readiness.ts';
import { createWebServer, type WebServer, type WebServerOptions } from '../server.ts';
import { nextTick } from '../../lib/cron-ticks.ts';

export interface WebEnvironment extends Pick<WebServerOptions, 'workerDeadReason' | 'onError'> {
  clock: Clock;
}

/** Serves the live file. Throws ConfigError if it cannot listen, WarehouseError if the file cannot be read. */
export async function openWebServer(
  config: Config & { server: ServerConfig },
  environment: WebEnvironment,
): Promise<WebServer> {
  const { clock } = environment;
  const { lists, wideReads, statusQueries, details, deltas, close } = openQueries(
    config.warehouse,
    clock.now(),
  );
  const streams = { config, statusQueries, isStale: createStaleCheck(config.schedule) };
  const publisher = openPublisher(config, 'server');
  const answers = config.publish && openAnswers(config.publish.file);
  const { full, timezone } = config.schedule;
  const own = config.accounts.flatMap(({ packages }) => packages.flatMap((each) => each.full ?? []));
  const schedules = [...new Set([full, ...own])];
  const nextRun = (now: number) => Math.min(...schedules.map((each) => nextTick(each, now, timezone)));
  const formatCommand = commandsFor(config.file);
  const metrics = createMetrics({ ...streams, deltas, publisher, clock });
  const calendar = createCalendar(config.timezone);
  try {
    const webServer = await createWebServer({
      ...environment,
      server: config.server,
      accounts: config.accounts,
      createCatalogue: (accounts) => createMirror({ lists, calendar, clock, accounts }),
      pages: {
        ...streams,
        details,
        wideReads,
        answers,
        publisher,
        formatCommand,
        nextRun,
        clock,
      },
      metrics,
      readiness: cacheBriefly(clock, (isAuthenticated: boolean) =>
        readReadiness(streams, clock.now(), isAuthenticated),
      ),
    });
    return {
      ...webServer,
      close: async () => {
        await webServer.close();
        await answers?.close();
        await close();
      },
    };
  } catch (error) {
    await answers?.close();
    await close();
    throw error;
  }
}

/** Each has a read connection of its own. */
function openQueries(path: string, now: number) {
  const lists = openVideoLists(path);
  const wideReads = openWideReads(path);
  const statusQueries = openStatusQueries(path);
  const details = openPageQueries(path);
  const deltas = openMetricDeltas(path, now);
  const close = async () => {
    deltas.close();
    details.close();
    statusQueries.close();
    await wideReads.close();
    await lists.close();
  };
  return { lists, wideReads, statusQueries, details, deltas, close };
}

const CACHED_MS = 1_000;

/** Keeps each result for a second, so that frequent probes do not query the file each time. */
function cacheBriefly<Input, Result>(
  clock: Clock,
  compute: (input: Input) => Result,
): (input: Input) => Result {
  const cache = new Map<Input, { result: Result; atMs: number }>();
  return (input) => {
    const cached = cache.get(input);
    if (cached && Math.abs(clock.now() - cached.atMs) < CACHED_MS) return cached.result;
    const result = compute(input);
    cache.set(input, { result, atMs: clock.now() });
    return result;
  };
}
