/** Access to the server: by API key, or from this machine only. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountConfig, ServerConfig } from '../../config/config.ts';
import { ConfigError } from '../../lib/errors.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { allowAll, createKeyMatcher, readKeys, type Authorize } from '../../service/server/api-keys.ts';
import type { KeyThrottle } from './key-throttle.ts';

/** Throws ConfigError if other machines could read the warehouse without a key. */
export function assertKeysOrLoopback({ host, keys }: ServerConfig): void {
  if (keys.length > 0 || isLoopback(host)) return;
  throw new ConfigError(`server.host ${host} can be reached from other machines, and server.keys is empty`, {
    hint: 'give server.keys at least one key, or set server.host to 127.0.0.1',
  });
}

/**
 * Accepts `server.keys` as `?key=`, as a bearer token, as `x-api-key`, or in the storage header of an account. Wrong keys
 * are counted, and throw a BlockedError once there were too many. Without `server.keys` it accepts every request.
 */
export function createAuthorize(
  { keys }: Pick<ServerConfig, 'keys'>,
  accounts: readonly AccountConfig[],
  throttle: KeyThrottle,
): Authorize {
  if (keys.length === 0) return allowAll;
  const headers = ['x-api-key', ...listKeyHeaders(accounts)].map((header) => ({ header }));
  const locations = ['query', 'bearer', ...headers] as const;
  const match = createKeyMatcher(keys);
  return (request) => {
    const given = readKeys(locations, request);
    if (given.length === 0) return false;
    throttle.assertNotBlocked(request.ip, given);
    if (given.some((key) => match(key) !== undefined)) return true;
    throttle.recordFailures(request.ip, given);
    return false;
  };
}

/** The headers in which the storage of an account carries its key, each once, in lower case; without `x-api-key`. */
export function listKeyHeaders(accounts: readonly AccountConfig[]): string[] {
  const names = accounts.flatMap(({ storage }) =>
    typeof storage?.auth === 'object' ? [storage.auth.header.toLowerCase()] : [],
  );
  return [...new Set(names)].filter((name) => name !== 'x-api-key');
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

/** Replies 401 if not authorized; returns true if it did. */
export function rejectUnauthorized(
  authorize: Authorize,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  if (authorize(request)) return false;
  void reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'API key required (server.keys)' });
  return true;
}
