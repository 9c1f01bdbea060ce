/** The server of the worker: the service of docs/service.md from the warehouse, and how the warehouse stands. */
import { constants } from 'node:zlib';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import type { AccountConfig, ServerConfig } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { ConfigError, errorMessage } from '../lib/errors.ts';
import { version } from '../lib/version.ts';
import type { LoadLimits } from '../service/server/limits.ts';
import type { Catalogue } from '../service/server/catalogue.ts';
import type { Authorize } from '../service/server/api-keys.ts';
import { buildOpenApi } from '../service/server/openapi.ts';
import { addServiceRoutes } from '../service/server/routes.ts';
import { createApp, listen, PAGE_SIZES } from '../service/server/server.ts';
import { addHostCheck, assertKeysOrLoopback, createAuthorize, rejectUnauthorized } from './auth/access.ts';
import { openAssets } from './assets.ts';
import { addHeaders } from './security-headers.ts';
import type { Metrics } from './metrics.ts';
import { addPages, type PagesOptions } from './page-routes.tsx';
import { createLoginRenderer } from './pages/login.tsx';
import { createLogin, FORM_ROUTES } from './auth/login.ts';
import type { Readiness } from '../health/readiness.ts';

export interface WebServerParts {
  server: ServerConfig;
  accounts: readonly AccountConfig[];
  /** The catalogue of these accounts. */
  catalogueOf: (accounts: readonly AccountConfig[]) => Catalogue;
  clock: Pick<Clock, 'now'>;
  pages: PagesOptions;
  metrics: Pick<Metrics, 'text' | 'contentType' | 'served'>;
  /** With names and figures, or for whoever is not let in. */
  readiness: (isAuthenticated: boolean) => Readiness;
  /** Why the worker behind the server counts as dead; null while it lives. */
  whyDead: () => string | null;
  /** Told of what a caller only sees as HTTP 500. */
  onError: (error: unknown) => void;
  bounds?: Partial<LoadLimits>;
}

export interface WebServer {
  /** Where it is to be found, without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

/** Opens the server and listens. Throws ConfigError where the address cannot be had, or would let everybody in. */
export async function createWebServer(parts: WebServerParts): Promise<WebServer> {
  const { server, onError, bounds = {} } = parts;
  assertKeysOrLoopback(server);
  const app = createApp({
    onError,
    limits: bounds,
    alwaysAnswered: ['/healthz'],
    acceptsBodies: FORM_ROUTES,
  });
  addHostCheck(app, server);
  addTimes(app, parts.metrics);
  addHeaders(app, server);
  const assets = openAssets();
  const login = createLogin({ ...parts, renderForm: createLoginRenderer(assets.getUrl) });
  login.addRoutes(app);
  await app.register(compress, COMPRESSION);
  assets.addRoutes(app);
  addMirror(app, parts, createAuthorize(server, parts.accounts));
  addStatusRoutes(app, parts, login.isAuthenticated);
  addPages(app, parts.pages, { login, assetUrl: assets.getUrl, showLogout: server.keys.length > 0 });
  try {
    const { url } = await listen(app, server);
    return { url, close: async () => app.close() };
  } catch (error) {
    await app.close();
    throw new ConfigError(`cannot listen on ${server.host}:${server.port}: ${errorMessage(error)}`, {
      hint: hintFor((error as NodeJS.ErrnoException).code),
      cause: error,
    });
  }
}

function hintFor(code: string | undefined): string {
  return code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL'
    ? 'set server.host to an address of this machine, such as 127.0.0.1'
    : 'another worker may serve there; set server.port to another one; 0 takes any free port';
}

/** The usual level of brotli is for what is compressed once and sent often. */
const COMPRESSION: FastifyCompressOptions = {
  globalDecompression: false,
  encodings: ['br', 'gzip'],
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  zlibOptions: { level: 4 },
};

/** Both operations at the root, over all accounts, and below /accounts/NAME, over one. */
function addMirror(
  app: FastifyInstance,
  { accounts, catalogueOf, clock }: WebServerParts,
  admits: Authorize,
): void {
  const options = { ...PAGE_SIZES, authorize: { videos: admits, storage: admits }, now: () => clock.now() };
  addServiceRoutes(app, { ...options, catalogue: catalogueOf(accounts) });
  for (const account of accounts) {
    void app.register(
      async (below) => addServiceRoutes(below, { ...options, catalogue: catalogueOf([account]) }),
      { prefix: `/accounts/${account.name}` },
    );
  }
}

function addStatusRoutes(app: FastifyInstance, parts: WebServerParts, admits: Authorize): void {
  const { metrics, readiness, whyDead, server } = parts;
  const description = buildOpenApi({ version: version(), keyed: server.keys.length > 0, ...PAGE_SIZES });
  app.get('/openapi.json', async () => description);
  app.get('/healthz', async (_request, reply) => {
    const reason = whyDead();
    return reply.code(reason === null ? 200 : 503).send({ status: reason === null ? 'ok' : 'dead', reason });
  });
  app.get('/readyz', async (request, reply) => {
    const { ready, reasons } = readiness(admits(request));
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', reasons });
  });
  app.get('/metrics', async (request, reply) => {
    if (rejectUnauthorized(admits, request, reply)) return reply;
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}

/** Times every answer, under the pattern of its route: what was asked for may hold a key. */
function addTimes(app: FastifyInstance, metrics: WebServerParts['metrics']): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = (request.routeOptions.url ?? 'none').replace(/^\/accounts\/[^/]+/, '/accounts/NAME');
    metrics.served(route, reply.statusCode, reply.elapsedTime / 1000);
  });
}
