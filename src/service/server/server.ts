/** A server that speaks service.md, and nothing else, over a catalogue. */
import { fastify, type FastifyError, type FastifyInstance } from 'fastify';
import { addServiceRoutes, type ServiceOptions } from './routes.ts';

export interface ServiceServerOptions extends ServiceOptions {
  /** Told of an exception of the catalogue, which the caller only sees as HTTP 500. */
  onError?: (error: unknown) => void;
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

/** A server over `catalogue`; it answers once `listen` is called. Not shown: other paths. Chosen: HTTP 404. */
export function createServiceServer(options: ServiceServerOptions): ServiceServer {
  const app = fastify({ forceCloseConnections: true });
  addServiceRoutes(app, options);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'no such path' }));
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) options.onError?.(error);
    return reply.code(status).send({ error: status >= 500 ? 'internal error' : 'bad request' });
  });
  return { listen: (where) => listen(app, where), close: async () => app.close() };
}

async function listen(app: FastifyInstance, { host, port }: ListenOptions) {
  const url = await app.listen({ host, port });
  const address = app.server.address();
  return { url, port: typeof address === 'object' && address ? address.port : port };
}
