/**
 * The web server of the worker: the pages, the mirror of the service (docs/service.md), health and metrics.
 */
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { constants } from 'node:zlib';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import type { AccountConfig, Config, ServerConfig } from '../config/config.ts';
import { openReadOnly } from '../database/connection.ts';
import { readReadiness } from '../health/readiness.ts';
import { createStaleCheck, type StreamParts } from '../health/streams.ts';
import { createCalendar } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import { nextTick } from '../lib/cron-ticks.ts';
import { version } from '../lib/package-root.ts';
import { commandsFor } from '../lib/shell-command.ts';
import { openPublisher, type Publication } from '../publishing/publisher.ts';
import { openMetricDeltas } from '../queries/metric-deltas.ts';
import { openVideoLists } from '../queries/video-list/video-list.ts';
import { openWideReads } from '../queries/wide-reads.ts';
import { buildOpenApi } from '../service/server/openapi.ts';
import { addServiceRoutes } from '../service/server/routes.ts';
import { createApp, listen, PAGE_SIZES } from '../service/server/server.ts';
import { openAssets } from './assets.ts';
import { createListenError } from './listen-check.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createMirror } from './mirror.ts';
import { addPages, UNKNOWN_PATH } from './pages.tsx';
import { addSecurityHeaders } from './security-headers.ts';
import { addHostCheck, createSignIn, listKeyHeaders, type SignIn } from './sign-in.ts';

export interface WebEnvironment {
  clock: Clock;
  /** Why the worker counts as dead; null while it is alive. */
  workerDeadReason: () => string | null;
  /** Called with each error that ended a request; the client only sees HTTP 500. */
  onError: (error: unknown) => void;
}

export interface WebServer {
  /** The address, without a slash at its end. */
  url: string;
  /** Notes that the worker has made the published file. */
  recordPublication(publication: Pick<Publication, 'durationMs'>): void;
  close(): Promise<void>;
}

type ServedConfig = Config & { server: ServerConfig };

/**
 * Serves the live file. Throws ConfigError if it cannot listen, WarehouseError if the file cannot be read.
 */
export async function openWebServer(config: ServedConfig, environment: WebEnvironment): Promise<WebServer> {
  const { server } = config;
  const readers = openReaders(config.warehouse, environment.clock.now());
  const app = createApp({ onError: environment.onError, trustProxy: server.trustProxy });
  const close = async () => {
    await app.close();
    await readers.close();
  };
  try {
    const metrics = await addRoutes(app, config, readers, environment);
    const { url } = await listen(app, server).catch((error: unknown) => {
      throw createListenError(server, error);
    });
    return { url, recordPublication: metrics.recordPublication, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Readers = ReturnType<typeof openReaders>;

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

async function addRoutes(
  app: FastifyInstance,
  config: ServedConfig,
  readers: Readers,
  environment: WebEnvironment,
): Promise<Metrics> {
  const { accounts, timezone, server } = config;
  const { clock } = environment;
  const { db, deltas } = readers;
  const streams = { config, db, isStale: createStaleCheck(config.schedule) };
  const publisher = openPublisher(config, 'server');
  const metrics = createMetrics({ ...streams, deltas, publisher, clock });
  addHostCheck(app, server);
  addRequestTimes(app, metrics);
  addSecurityHeaders(app, server);
  const signIn = await createSignIn(app, server, accounts);
  await app.register(compress, COMPRESSION);
  const assets = openAssets();
  assets.addRoutes(app);
  addMirror(app, config, readers, clock, signIn);
  addStatusRoutes(app, config, { ...environment, streams, metrics, signIn });
  const siteTitle = server.title ?? createSiteTitle(config.warehouse);
  const frame = { assetUrl: assets.getUrl, siteTitle, timezone, hasAccounts: accounts.length > 1 };
  const { wideReads } = readers;
  const [formatCommand, nextRun] = [commandsFor(config.file), createNextRun(config)];
  addPages(app, { ...streams, publisher, clock, nextRun, formatCommand, wideReads }, signIn, frame);
  return metrics;
}

/** The title `host · file`, so that tabs of several warehouses differ. */
const createSiteTitle = (warehouse: string) => `${hostname()} · ${basename(warehouse)}`;

/** When the next full run after `now` is due, by the schedule or that of a package; both in ms since 1970. */
function createNextRun({ accounts, schedule }: Config) {
  const own = accounts.flatMap(({ packages }) => packages.flatMap((each) => each.full ?? []));
  const schedules = [...new Set([schedule.full, ...own])];
  return (now: number) => Math.min(...schedules.map((each) => nextTick(each, now, schedule.timezone)));
}

/** The default level of brotli (11) is too slow to compress each response. */
const COMPRESSION: FastifyCompressOptions = {
  globalDecompression: false,
  encodings: ['br', 'gzip'],
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  zlibOptions: { level: 4 },
};

/** Adds both operations of the service, for all accounts together, and under `/accounts/NAME` for one. */
function addMirror(
  app: FastifyInstance,
  { accounts, timezone }: Config,
  { db, lists }: Readers,
  clock: Clock,
  { hasKey }: SignIn,
): void {
  const parts = { db, lists, calendar: createCalendar(timezone), clock };
  const authorize = { videos: hasKey, storage: hasKey };
  const options = { ...PAGE_SIZES, authorize, now: () => clock.now() };
  const serve = (scope: FastifyInstance, served: readonly AccountConfig[]) =>
    addServiceRoutes(scope, { ...options, catalogue: createMirror({ ...parts, accounts: served }) });
  serve(app, accounts);
  for (const account of accounts)
    void app.register(async (scope) => serve(scope, [account]), { prefix: `/accounts/${account.name}` });
}

interface StatusParts extends WebEnvironment {
  streams: StreamParts;
  metrics: Metrics;
  signIn: SignIn;
}

function addStatusRoutes(
  app: FastifyInstance,
  { server, accounts }: ServedConfig,
  { streams, metrics, clock, workerDeadReason, signIn }: StatusParts,
): void {
  const keyed = server.keys.length > 0;
  const keyHeaders = listKeyHeaders(accounts);
  const description = buildOpenApi({ version: version(), keyed, keyHeaders, ...PAGE_SIZES });
  const readiness = cacheBriefly(clock, (withDetails: boolean) =>
    readReadiness(streams, clock.now(), withDetails),
  );
  app.get('/openapi.json', async () => description);
  app.get('/healthz', async (_request, reply) => {
    const reason = workerDeadReason();
    return reply.code(reason === null ? 200 : 503).send({ status: reason === null ? 'ok' : 'dead', reason });
  });
  app.get('/readyz', async (request, reply) => {
    const { ready, reasons } = readiness(await signIn.isSignedIn(request));
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', reasons });
  });
  app.get('/metrics', { onRequest: signIn.requireSignIn }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.render()),
  );
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

/** Counts requests. Their label is the pattern of the route, because a path may contain a key. */
function addRequestTimes(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const { url = UNKNOWN_PATH } = request.routeOptions;
    const route = url === UNKNOWN_PATH ? 'none' : url.replace(/^\/accounts\/[^/]+/, '/accounts/NAME');
    metrics.recordResponse(route, reply.statusCode, reply.elapsedTime / 1000);
  });
}
