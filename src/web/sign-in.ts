/**
 * Who may connect: with a key, as the service defines it or as the password of HTTP Basic; without
 * `server.keys`, this machine only.
 */
import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountConfig, ServerConfig } from '../config/config.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { isLoopback } from '../lib/loopback.ts';
import {
  allowAll,
  BlockedError,
  createKeyMatcher,
  readKeys,
  type Authorize,
  type KeyLocation,
} from '../service/server/api-keys.ts';

/** How many wrong keys an address may send within a minute. */
const MAX_WRONG_KEYS = 10;

/** With this header a browser asks for the password in a dialog. */
const CHALLENGE = 'Basic realm="vodhouse", charset="UTF-8"';
const KEY_REQUIRED = {
  error: 'API key required: one of server.keys, in a browser as the password, with any user name',
};

/** Each function may reject with a BlockedError. Without `server.keys` all requests are accepted. */
export interface SignIn {
  /**
   * Accepts a key in the query, as a bearer token, as `x-api-key`, or in the storage header of an account.
   */
  hasKey: Authorize;
  /** Accepts a key as the password of HTTP Basic too. */
  isSignedIn: Authorize;
  /** A hook for routes: replies 401 unless signed in, and asks for the password. */
  requireSignIn: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** Adds what checks keys to the server; call it before adding routes. */
export async function createSignIn(
  app: FastifyInstance,
  { keys }: Pick<ServerConfig, 'keys'>,
  accounts: readonly AccountConfig[],
): Promise<SignIn> {
  if (keys.length === 0) {
    return { hasKey: allowAll, isSignedIn: allowAll, requireSignIn: async () => undefined };
  }
  const isRight = await createKeyCheck(app, keys);
  const headers = ['x-api-key', ...listKeyHeaders(accounts)].map((header) => ({ header }));
  const locations: KeyLocation[] = ['query', 'bearer', ...headers];
  const isSignedIn: Authorize = (request) => isRight(request, readKeys([...locations, 'password'], request));
  return {
    hasKey: (request) => isRight(request, readKeys(locations, request)),
    isSignedIn,
    requireSignIn: async (request, reply) =>
      (await isSignedIn(request))
        ? undefined
        : reply.code(401).header('www-authenticate', CHALLENGE).send(KEY_REQUIRED),
  };
}

/**
 * The returned function checks whether one of the given keys is right. An address that sent ten wrong ones
 * within a minute is refused with 429 until that is over. A right key passes all the same, since many people
 * may share the address of a proxy, and a key of 16 characters or more is not guessed.
 */
async function createKeyCheck(app: FastifyInstance, keys: readonly string[]) {
  await app.register(rateLimit, {
    global: false,
    max: MAX_WRONG_KEYS,
    timeWindow: MINUTE_MS,
    keyGenerator: ({ ip }) => toCaller(ip),
  });
  const countWrongKey = app.createRateLimit();
  const hasKnown = createKeyMatcher(keys);
  return async (request: FastifyRequest, given: readonly string[]): Promise<boolean> => {
    if (given.length === 0) return false;
    if (hasKnown(given)) return true;
    const counted = await countWrongKey(request);
    if (!counted.isAllowed && counted.isExceeded) throw new BlockedError(counted.ttl);
    return false;
  };
}

/**
 * The address, or its network of 64 bits, without the port that some proxies add. An ended connection has no
 * address.
 */
function toCaller(address: string | undefined = ''): string {
  return normalizeIP(address.replace(/^(?:\[(.*)\]|([\d.]+)):\d+$/, '$1$2'));
}

/**
 * The headers in which the storage of an account carries its key, each once, in lower case; without
 * `x-api-key`.
 */
export function listKeyHeaders(accounts: readonly AccountConfig[]): string[] {
  const names = accounts.flatMap(({ storage }) =>
    typeof storage?.auth === 'object' ? [storage.auth.header.toLowerCase()] : [],
  );
  return [...new Set(names)].filter((name) => name !== 'x-api-key');
}

/**
 * Without keys, rejects requests to host names other than those of this machine, except `/healthz`. Otherwise
 * a web page could point its own host name at 127.0.0.1 and read the responses (DNS rebinding).
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
