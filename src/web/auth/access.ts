/** Who may connect: other machines with a key only, and without keys only requests that name this machine. */
import type { FastifyInstance } from 'fastify';
import type { ServerConfig } from '../../config/config.ts';
import { ConfigError } from '../../lib/errors.ts';
import { isLoopback } from '../../lib/loopback.ts';

/** Throws ConfigError if other machines could read the warehouse without a key. */
export function assertKeysOrLoopback({ host, keys }: ServerConfig): void {
  if (keys.length > 0 || isLoopback(host)) return;
  throw new ConfigError(`server.host ${host} can be reached from other machines, and server.keys is empty`, {
    hint: 'give server.keys at least one key, or set server.host to 127.0.0.1',
  });
}

/**
 * Without keys, rejects requests to host names other than those of this machine, except `/healthz`. Otherwise a web page
 * could point its own host name at 127.0.0.1 and read the responses (DNS rebinding).
 */
export function addHostCheck(app: FastifyInstance, { keys }: ServerConfig): void {
  if (keys.length > 0) return;
  app.addHook('onRequest', async (request, reply) => {
    const host = request.headers.host?.replace(/:\d+$/, '') ?? '';
    if (host === '' || isLoopback(host) || request.routeOptions.url === '/healthz') return undefined;
    const error = 'without server.keys this server only answers to localhost, 127.0.0.1 and [::1]';
    return reply.code(403).send({ error });
  });
}
