/**
 * The web server of the worker: the pages, the mirror of the service (docs/service.md), health and metrics.
 */
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { constants } from 'node:zlib';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import type { AccountConfig, ServerConfig } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { version } from '../lib/package-root.ts';
import type { Catalogue } from '../service/server/catalogue.ts';
import { buildOpenApi } from '../service/server/openapi.ts';
import { addServiceRoutes } from '../service/server/routes.ts';
import { createApp, listen, PAGE_SIZES } from '../service/server/server.ts';
import { addHostCheck, createSignIn, listKeyHeaders, type SignIn } from './sign-in.ts';
import { openAssets } from './assets.ts';
import { createListenError } from './listen-check.ts';
import { addSecurityHeaders } from './security-headers.ts';
import type { Publication } from '../publishing/publisher.ts';
import type { Metrics } from './metrics.ts';
import { addPages, UNKNOWN_PATH } from './pages.tsx';
import type { PageSources } from './pages/routing.ts';
import type { Readiness } from '../health/readiness.ts';

export interface WebServerOptions {
  server: ServerConfig;
  accounts: readonly AccountConfig[];
  createCatalogue: (accounts: readonly AccountConfig[]) => Catalogue;
  clock: Pick<Clock, 'now'>;
  pages: PageSources;
  metrics: Metrics;
  /** Names and counts are only in the answer to an authenticated request. */
  readiness: (isAuthenticated: boolean) => Readiness;
  /** Why the worker counts as dead; null while it is alive. */
  workerDeadReason: () => string | null;
  /** Is called with each error that ended a request; the client only sees HTTP 500. */
  onError: (error: unknown) => void;
}

export interface WebServer {
  /** The address, without a slash at its end. */
  url: string;
  /** Notes that the worker has made the published file. */
  recordPublication(publication: Pick<Publication, 'durationMs'>): void;
  close(): Promise<void>;
}

/** Starts a server that listens. Throws ConfigError if it cannot. */
export async function createWebServer(options: WebServerOptions): Promise<WebServer> {
  const { server, onError } = options;
  const app = createApp({ onError, trustProxy: server.trustProxy });
  addHostCheck(app, server);
  addRequestTimes(app, options.metrics);
  addSecurityHeaders(app, server);
  const assets = openAssets();
  const signIn = await createSignIn(app, server, options.accounts);
  await app.register(compress, COMPRESSION);
  assets.addRoutes(app);
  addMirror(app, options, signIn);
  addStatusRoutes(app, options, signIn);
  const siteTitle = server.title ?? createSiteTitle(options.pages.config.warehouse);
  const { timezone, accounts } = options.pages.config;
  const frame = { assetUrl: assets.getUrl, siteTitle, timezone, hasAccounts: accounts.length > 1 };
  addPages(app, options.pages, signIn, frame);
  try {
    const { url } = await listen(app, server);
    const { recordPublication } = options.metrics;
    return { url, recordPublication, close: async () => app.close() };
  } catch (error) {
    await app.close();
    throw createListenError(server, error);
  }
}

/** The title `host · file`, so that tabs of several warehouses differ. */
const createSiteTitle = (warehouse: string) => `${hostname()} · ${basename(warehouse)}`;

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
  { accounts, createCatalogue, clock }: WebServerOptions,
  { hasKey }: SignIn,
): void {
  const authorize = { videos: hasKey, storage: hasKey };
  const options = { ...PAGE_SIZES, authorize, now: () => clock.now() };
  addServiceRoutes(app, { ...options, catalogue: createCatalogue(accounts) });
  for (const account of accounts) {
    const own = { ...options, catalogue: createCatalogue([account]) };
    const prefix = `/accounts/${account.name}`;
    void app.register(async (scope) => addServiceRoutes(scope, own), { prefix });
  }
}

function addStatusRoutes(app: FastifyInstance, options: WebServerOptions, signIn: SignIn): void {
  const { metrics, readiness, workerDeadReason, server, accounts } = options;
  const keyed = server.keys.length > 0;
  const keyHeaders = listKeyHeaders(accounts);
  const description = buildOpenApi({ version: version(), keyed, keyHeaders, ...PAGE_SIZES });
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

/** Counts requests. Their label is the pattern of the route, because a path may contain a key. */
function addRequestTimes(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const { url = UNKNOWN_PATH } = request.routeOptions;
    const route = url === UNKNOWN_PATH ? 'none' : url.replace(/^\/accounts\/[^/]+/, '/accounts/NAME');
    metrics.recordResponse(route, reply.statusCode, reply.elapsedTime / 1000);
  });
}
