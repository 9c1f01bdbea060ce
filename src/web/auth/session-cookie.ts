/** The session of a browser: a cookie with its expiry time and a random id, signed with a secret derived from a key of the server. */
import { randomBytes, scrypt, type ScryptOptions } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { fastifyCookie, Signer } from '@fastify/cookie';
import type { ServerConfig } from '../../config/config.ts';
import { DAY_MS, type Clock } from '../../lib/clock.ts';
import { sessionExpiryMs, type EndedSessions } from './ended-sessions.ts';

type Headers = Pick<IncomingHttpHeaders, 'cookie'>;

export type Sessions = ReturnType<typeof createSessions>;

const DURATION_MS = 30 * DAY_MS;

interface SessionOptions {
  server: Pick<ServerConfig, 'keys' | 'port'>;
  endedSessions: EndedSessions;
  clock: Pick<Clock, 'now'>;
}

/**
 * Removing a key from the config ends its sessions, and so does the form of the logout for one; the others survive a
 * restart. The cookie's name has the port of the config because browsers send a cookie to all ports of a host.
 */
export function createSessions({ server: { keys, port }, endedSessions, clock }: SessionOptions) {
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
  /** Undefined without a cookie, and for one that is forged, expired or of an ended session. */
  const readSession = (headers: Headers): string | undefined => {
    const cookie = readCookie(headers);
    if (cookie === undefined) return undefined;
    const signed = [...signers.values()].map((signer) => signer.unsign(cookie).value);
    return (
      signed.find(
        (session) =>
          session !== null && sessionExpiryMs(session) > clock.now() && !endedSessions.has(session),
      ) ?? undefined
    );
  };
  return {
    /** The `set-cookie` value of a session of 30 days. `key` must be a key of the server. */
    create: async (key: string, secure: boolean): Promise<string> => {
      await prepare();
      const session = `${clock.now() + DURATION_MS}-${randomBytes(16).toString('hex')}`;
      const signed = signers.get(key)?.sign(session);
      if (signed === undefined) throw new Error('a session requires a key of the server');
      return formatCookie(name, signed, DURATION_MS, secure);
    },
    clear: (secure: boolean): string => formatCookie(name, '', 0, secure),
    /** Derives the secrets if the request has a cookie. Until then `isAuthenticated` is always false. */
    prepare: async (headers: Headers): Promise<void> =>
      readCookie(headers) === undefined ? undefined : prepare(),
    isAuthenticated: (headers: Headers): boolean => readSession(headers) !== undefined,
    /** Ends the session of the cookie: no copy of it is accepted any more. */
    end: (headers: Headers): void => {
      const session = readSession(headers);
      if (session !== undefined) endedSessions.add(session);
    },
  };
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
