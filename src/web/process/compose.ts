/** Composition of the server: the live file as a catalogue, and what is told of how it stands. */
import type { Config, ServerConfig } from '../../config/config.ts';
import { createCalendar } from '../../lib/calendar.ts';
import type { Clock } from '../../lib/clock.ts';
import { createStaleCheck } from '../../health/streams.ts';
import { commandsFor } from '../../health/commands.ts';
import { openPageQueries } from '../../queries/page-queries.ts';
import { openVideoLists } from '../../queries/video-list/video-list.ts';
import { openStatusQueries } from '../../queries/status-queries.ts';
import { openPublisher, type Publication } from '../../publishing/publisher.ts';
import { openMetricDeltas } from '../../queries/metric-deltas.ts';
import { createMetrics } from '../metrics.ts';
import { createMirror } from '../mirror.ts';
import { readReadiness } from '../../health/readiness.ts';
import { createWebServer, type WebServerParts } from '../server.ts';
import { nextTick } from '../../lib/cron-ticks.ts';

export interface Serving {
  /** Where it listens, without a slash at the end. */
  url: string;
  published(publication: Pick<Publication, 'durationMs'>): void;
  close(): Promise<void>;
}

/** What the process around it knows. */
export interface WebEnvironment extends Pick<WebServerParts, 'whyDead' | 'onError' | 'bounds'> {
  clock: Clock;
}

/** Serves the live file of a config at `server`. Throws ConfigError where it cannot listen, WarehouseError for the file. */
export async function openWebServer(
  config: Config & { server: ServerConfig },
  surroundings: WebEnvironment,
): Promise<Serving> {
  const { clock } = surroundings;
  const { lists, overview, details, tallies, close } = openWarehouseToRead(config.warehouse, clock.now());
  const streams = { config, overview, isStale: createStaleCheck(config.schedule) };
  const publisher = openPublisher(config, 'server');
  const nextRun = (now: number) => nextTick(config.schedule.full, now);
  const metrics = createMetrics({ ...streams, tallies, publisher, clock });
  const calendar = createCalendar(config.timezone);
  try {
    const site = await createWebServer({
      ...surroundings,
      server: config.server,
      accounts: config.accounts,
      catalogueOf: (accounts) => createMirror({ lists, calendar, clock, accounts }),
      pages: {
        ...streams,
        details,
        lists,
        publisher,
        formatCommand: commandsFor(config.file),
        nextRun,
        clock,
      },
      metrics,
      readiness: rememberedFor(clock, (isAuthenticated: boolean) =>
        readReadiness(streams, clock.now(), isAuthenticated),
      ),
    });
    return {
      url: site.url,
      published: (publication) => metrics.published(publication),
      close: async () => {
        await site.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** All that looks at the live file at `path`, each through a connection of its own. */
function openWarehouseToRead(path: string, now: number) {
  const lists = openVideoLists(path);
  const overview = openStatusQueries(path);
  const details = openPageQueries(path);
  const tallies = openMetricDeltas(path, now);
  const close = async () => {
    tallies.close();
    details.close();
    overview.close();
    await lists.close();
  };
  return { lists, overview, details, tallies, close };
}

/** How long an answer that costs many looks at the file serves for whoever asks after, in milliseconds. */
const REMEMBERED_MS = 1_000;

/** Remembers what came of each argument for a moment. */
function rememberedFor<Of, What>(clock: Clock, make: (of: Of) => What): (of: Of) => What {
  const known = new Map<Of, { what: What; at: number }>();
  return (of) => {
    const found = known.get(of);
    if (found && Math.abs(clock.now() - found.at) < REMEMBERED_MS) return found.what;
    const what = make(of);
    known.set(of, { what, at: clock.now() });
    return what;
  };
}
