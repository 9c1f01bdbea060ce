/** Who may ask the server, and by which name it may be called. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountConfig, ServerConfig } from '../../config/config.ts';
import { ConfigError } from '../../lib/errors.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { createKeyAuth, allowAll, type Authorize } from '../../service/server/api-keys.ts';

/** Throws ConfigError where everybody on the network could read the warehouse without a key. */
export function assertKeysOrLoopback({ host, keys }: ServerConfig): void {
  if (keys.length > 0 || isLoopback(host)) return;
  throw new ConfigError(`server.host ${host} can be reached from other machines, and server.keys is empty`, {
    hint: 'give server.keys at least one key, or set server.host to 127.0.0.1',
  });
}

/**
 * Lets in who carries one of `server.keys`: as `?key=`, as a bearer token, as `x-api-key`, or in the header that an
 * account's own clients use. Without keys everybody on this machine is let in.
 */
export function createAuthorize(
  { keys }: Pick<ServerConfig, 'keys'>,
  accounts: readonly AccountConfig[],
): Authorize {
  if (keys.length === 0) return allowAll;
  const headers = accounts.flatMap(({ storage }) =>
    typeof storage?.auth === 'object' ? [storage.auth] : [],
  );
  return createKeyAuth(keys, ['query', 'bearer', { header: 'x-api-key' }, ...headers]);
}

/**
 * Without keys, answers (but for its health) only to names of this machine: a page in a browser here may otherwise give its own name the address
 * 127.0.0.1, and read what is served.
 */
export function addNameCheck(app: FastifyInstance, { keys }: ServerConfig): void {
  if (keys.length > 0) return;
  app.addHook('onRequest', async (request, reply) => {
    const name = request.headers.host?.replace(/:\d+$/, '') ?? '';
    if (name === '' || isLoopback(name) || request.routeOptions.url === '/healthz') return undefined;
    const error = 'without server.keys this server answers to localhost, 127.0.0.1 and [::1] only';
    return reply.code(403).send({ error });
  });
}

/** Sends away who is not let in: true where that was done. */
export function rejectUnauthorized(admits: Authorize, request: FastifyRequest, reply: FastifyReply): boolean {
  if (admits(request)) return false;
  void reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'a key of server.keys is wanted' });
  return true;
}
