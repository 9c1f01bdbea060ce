/**
 * A server that speaks docs/service.md, and nothing else, over a catalogue; its load limits are options of
 * Node and Fastify.
 */
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { BusyError, InterruptedError } from '../../lib/errors.ts';
import { BlockedError, createKeyAuth, allowAll, type KeyLocation } from './api-keys.ts';
import { addFlowControl } from './flow-control.ts';
import type { PageSizes } from './query.ts';
import { addServiceRoutes, type ServiceOptions } from './routes.ts';

/** The page sizes of this server, in videos; docs/service.md 4.1 documents none. */
export const PAGE_SIZES: PageSizes = { defaultPageSize: 20, maxPageSize: 1_000 };

/** Where the storage operation expects the key; docs/service.md 5 does not document it. */
export type StorageAuth = 'none' | KeyLocation;

export interface ServiceServerOptions extends Omit<ServiceOptions, 'authorize' | 'now'>, AppOptions {
  /** The accepted keys; without any, every request is rejected. The video list expects one in the query. */
  keys: readonly string[];
  /** Default `none`: storage is open. */
  storageAuth?: StorageAuth;
  now?: () => number;
}

/** A server over `catalogue`; it answers once `listen` is called. */
export function createServiceServer(options: ServiceServerOptions) {
  const { keys, storageAuth = 'none', now = Date.now, ...service } = options;
  const app = createApp(options);
  const storage = storageAuth === 'none' ? allowAll : createKeyAuth(keys, [storageAuth]);
  addServiceRoutes(app, { ...service, now, authorize: { videos: createKeyAuth(keys, ['query']), storage } });
  return {
    listen: (address: { host: string; port: number }) => listen(app, address),
    /** Closes open connections, idle or not, and resolves when the port is free. */
    close: async (): Promise<void> => app.close(),
  };
}

/** The most bytes of the address and all headers together. A Korean character of a keyword takes nine. */
export const HEADER_BYTES = 16_384;
/** The most open connections; further ones are closed at once. */
const CONNECTIONS = 4_096;
/** How long a request may take to arrive completely. */
const REQUEST_MS = 10_000;
/** How long nothing may move on a connection with a request: a client that reads nothing is disconnected. */
const IDLE_MS = 60_000;
/** How often Node looks for requests that take too long. */
const CHECK_MS = 2_000;

/**
 * How many connections the kernel accepts while the server is busy. A client above that number tries again
 * after a second. Node's own 511 are fewer than a burst of half-open connections. Linux caps the number at
 * `net.core.somaxconn`, usually 4,096.
 */
const ACCEPT_BACKLOG = 4_096;

interface AppOptions {
  /** Receives an exception, which the client only sees as HTTP 500. */
  onError?: (error: unknown) => void;
  /**
   * Which proxies may name the address of a client by `x-forwarded-for`: none (default), the one that
   * connects (true), or those of these addresses and networks.
   */
  trustProxy?: boolean | readonly string[];
}

export const NO_SUCH_PATH = { error: 'no such path' };
const BAD_REQUEST = { error: 'bad request' };
const INTERNAL_ERROR = { error: 'internal error' };

/** The common part of both servers: limits, and errors that reveal nothing internal and echo no input. */
export function createApp(options: AppOptions): FastifyInstance {
  const { onError, trustProxy = false } = options;
  const app = fastify({
    forceCloseConnections: true,
    connectionTimeout: IDLE_MS,
    requestTimeout: REQUEST_MS,
    http: { maxHeaderSize: HEADER_BYTES, headersTimeout: REQUEST_MS, connectionsCheckingInterval: CHECK_MS },
    trustProxy: typeof trustProxy === 'boolean' ? trustProxy && isFirstHop : [...trustProxy],
    frameworkErrors: (_error, _request, reply: FastifyReply) =>
      // no hook runs for these errors, so this header is set here
      void reply.code(400).header('x-content-type-options', 'nosniff').send(BAD_REQUEST),
  });
  app.server.maxConnections = CONNECTIONS;
  addFlowControl(app);
  app.addHook('onRequest', async ({ method }, reply) => {
    if (method === 'GET' || method === 'HEAD') return undefined;
    return reply.code(404).header('connection', 'close').send(NO_SUCH_PATH); // the body is not read
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(NO_SUCH_PATH));
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    if (error instanceof BlockedError)
      return reply
        .code(error.statusCode)
        .header('retry-after', error.waitSeconds)
        .send({ error: error.message });
    if (error instanceof BusyError)
      return reply.code(503).header('retry-after', 1).send({ error: error.message });
    const status = error.statusCode ?? 500;
    // an InterruptedError means that the client has disconnected
    if (status >= 500 && !(error instanceof InterruptedError)) onError?.(error);
    return reply.code(status).send(status >= 500 ? INTERNAL_ERROR : BAD_REQUEST);
  });
  return app;
}

/**
 * Trusts only the proxy that connects. If all were trusted, clients could write the first address of the
 * header themselves.
 */
function isFirstHop(_address: string, hop: number): boolean {
  return hop === 0;
}

/**
 * Listens; port 0 is any free port. Rejects if the port is not available. The URL has the given address,
 * which may be every address of the machine (0.0.0.0), and no slash at its end.
 */
export async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }) {
  await app.listen({ host, port, backlog: ACCEPT_BACKLOG });
  const address = app.server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server listens nowhere');
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, port: address.port };
}
