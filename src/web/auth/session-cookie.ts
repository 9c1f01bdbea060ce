/** The session of a browser: a cookie with its expiry time, signed with a secret derived from a key of the server. */
import { scrypt, type ScryptOptions } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { fastifyCookie, Signer } from '@fastify/cookie';
import type { ServerConfig } from '../../config/config.ts';
import { DAY_MS, type Clock } from '../../lib/clock.ts';

type Headers = Pick<IncomingHttpHeaders, 'cookie'>;

export type Sessions = ReturnType<typeof createSessions>;

const DURATION_MS = 30 * DAY_MS;

/**
 * Removing a key from the config ends its sessions; the others survive a restart. The cookie's name has the port of the
 * config because browsers send a cookie to all ports of a host.
 */
export function createSessions(
  { keys, port }: Pick<ServerConfig, 'keys' | 'port'>,
  clock: Pick<Clock, 'now'>,
) {
  const name = `vodhouse_${port}`;
  const readCookie = ({ cookie }: Headers) => fastifyCookie.parse(cookie ?? '')[name];
  let signers: ReadonlyMap<string, Signer> = new Map();
  let pending: Promise<void> | undefined;
  const deriveSigners = async () => {
    try {
      signers = await createSigners(keys);
    } catch (error) {
      pending = undefined; // the next request retries
      throw error;
    }
  };
  const prepare = () => (pending ??= deriveSigners());
  return {
    /** The `set-cookie` value of a session of 30 days. `key` must be a key of the server. */
    create: async (key: string, secure: boolean): Promise<string> => {
      await prepare();
      const signed = signers.get(key)?.sign(String(clock.now() + DURATION_MS));
      if (signed === undefined) throw new Error('a session requires a key of the server');
      return formatCookie(name, signed, DURATION_MS, secure);
    },
    clear: (secure: boolean): string => formatCookie(name, '', 0, secure),
    /** Derives the secrets if the request has a cookie. Until then `isAuthenticated` is always false. */
    prepare: async (headers: Headers): Promise<void> =>
      readCookie(headers) === undefined ? undefined : prepare(),
    isAuthenticated: (headers: Headers): boolean => {
      const cookie = readCookie(headers);
      if (cookie === undefined) return false;
      return [...signers.values()].some((signer) => readExpiry(cookie, signer) > clock.now());
    },
  };
}

/** In ms since 1970; NaN if another signer signed it: then every comparison is false. */
function readExpiry(cookie: string, signer: Signer): number {
  return Number(signer.unsign(cookie).value ?? Number.NaN);
}

function formatCookie(name: string, value: string, durationMs: number, secure: boolean): string {
  const maxAge = durationMs / 1000;
  return fastifyCookie.serialize(name, value, { httpOnly: true, sameSite: 'lax', path: '/', maxAge, secure });
}

const deriveSecret = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);
/** Deliberately slow: from a stolen cookie, short keys could be guessed offline. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 };

/** One at a time: each takes a tenth of a second and 32 MiB. */
async function createSigners(keys: readonly string[]): Promise<Map<string, Signer>> {
  const signers = new Map<string, Signer>();
  for (const key of keys) signers.set(key, new Signer(await deriveSecret(key, 'vodhouse cookie', 32, COST)));
  return signers;
}
