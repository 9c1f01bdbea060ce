/** A server that speaks docs/service.md, and nothing else, over a catalogue. */
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { BusyError, InterruptedError } from '../../lib/errors.ts';
import {
  applyLimits,
  DEFAULT_LIMITS,
  NO_SUCH_PATH,
  httpOptions,
  type LoadLimits,
  type Exceptions,
} from './limits.ts';
import { createKeyAuth, allowAll, type KeyPlace } from './api-keys.ts';
import type { PageSizes } from './query.ts';
import { addServiceRoutes, type ServiceOptions } from './routes.ts';

/** Not shown: both. Chosen: these, in videos a page. */
export const PAGE_SIZES: PageSizes = { defaultPageSize: 20, maxPageSize: 1_000 };

/** Where the storage operation wants the key; docs/service.md 5 does not show it. */
export type StorageAuth = 'none' | KeyPlace;

export interface ServiceServerOptions extends Omit<ServiceOptions, 'admits' | 'now'>, AppOptions {
  /** The keys that are let in; with none, nobody is. The video list wants one in the query. */
  keys: readonly string[];
  /** Default `none`: storage is open. */
  storageAuth?: StorageAuth;
  now?: () => number;
}

/** Where a server listens. Port 0 asks for any free port; the answer names the one that it is. */
export interface ListenOptions {
  host: string;
  port: number;
}

export interface ServiceServer {
  /** Rejects where the port cannot be had. `url` has no slash at its end: it serves as both base addresses. */
  listen(options: ListenOptions): Promise<{ url: string; port: number }>;
  /** Ends open connections, idle or not, and resolves when the port is free. */
  close(): Promise<void>;
}

/** A server over `catalogue`; it answers once `listen` is called. */
export function createServiceServer(options: ServiceServerOptions): ServiceServer {
  const { keys, storageAuth = 'none', now = Date.now, ...service } = options;
  const app = createApp(options);
  const storage = storageAuth === 'none' ? allowAll : createKeyAuth(keys, [storageAuth]);
  addServiceRoutes(app, { ...service, now, admits: { videos: createKeyAuth(keys, ['query']), storage } });
  return { listen: (where) => listen(app, where), close: async () => app.close() };
}

/** Without the exceptions of the bounds, there are none. */
export interface AppOptions extends Partial<Exceptions> {
  /** Told of an exception, which the caller only sees as HTTP 500. */
  onError?: (error: unknown) => void;
  bounds?: Partial<LoadLimits>;
}

const BAD_REQUEST = { error: 'bad request' };
const INTERNAL_ERROR = { error: 'internal error' };

/** What both servers have in common: bounds, and errors that say nothing of the inside, nor back what was asked. */
export function createApp(options: AppOptions): FastifyInstance {
  const { onError, alwaysAnswered = [], takesBodies = [] } = options;
  const bounds = { ...DEFAULT_LIMITS, ...options.bounds };
  const app = fastify({
    ...httpOptions(bounds),
    frameworkErrors: (_error, _request, reply: FastifyReply) =>
      void reply.code(400).header('x-content-type-options', 'nosniff').send(BAD_REQUEST), // past all hooks
  });
  applyLimits(app, bounds, { alwaysAnswered, takesBodies });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(NO_SUCH_PATH));
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    if (error instanceof BusyError)
      return reply.code(503).header('retry-after', 1).send({ error: error.message });
    const status = error.statusCode ?? 500;
    if (status >= 500 && !(error instanceof InterruptedError)) onError?.(error); // else nobody hears the answer
    return reply.code(status).send(status >= 500 ? INTERNAL_ERROR : BAD_REQUEST);
  });
  return app;
}

/** Listens, and says where: at the address that was asked for, which may stand for all of this machine (0.0.0.0). */
export async function listen(app: FastifyInstance, { host, port }: ListenOptions) {
  await app.listen({ host, port });
  const address = app.server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server listens nowhere');
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, port: address.port };
}
