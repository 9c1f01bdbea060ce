/** Keeps a browser let in: by a cookie that says until when, signed with what only a key of the server gives. */
import { scrypt } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { fastifyCookie, Signer } from '@fastify/cookie';
import type { ServerConfig } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';

type Headers = Pick<IncomingHttpHeaders, 'cookie'>;

export interface Sessions {
  /** The `set-cookie` that lets a browser in for 30 days, by a key of the server. */
  begin(key: string, isByHttps: boolean): Promise<string>;
  /** The `set-cookie` that makes a browser forget. */
  end(isByHttps: boolean): string;
  /** To be awaited before `isAuthenticated`, which lets in nobody until this was done once for a request with a cookie. */
  prepare(headers: Headers): Promise<void>;
  /** Whether a request carries a cookie of ours that still lets in. */
  isAuthenticated(headers: Headers): boolean;
}

const DAYS_30_MS = 30 * 86_400_000;

/**
 * A key that is taken out of the config lets nobody in any more, and what was signed by the others outlives a restart.
 * Browsers give a cookie to all ports of a host: it is named by the port of the config, so that servers side by side
 * keep theirs.
 */
export function createSessions(
  { keys, port }: Pick<ServerConfig, 'keys' | 'port'>,
  clock: Pick<Clock, 'now'>,
): Sessions {
  const name = `vodhouse_${port}`;
  const cookieOf = ({ cookie }: Headers) => fastifyCookie.parse(cookie ?? '')[name];
  let signers: ReadonlyMap<string, Signer> = new Map();
  let made: Promise<void> | undefined;
  const makeSigners = async () => {
    signers = await signersOf(keys);
  };
  const prepare = () =>
    (made ??= makeSigners().catch((error: unknown) => {
      made = undefined; // the next one tries again
      throw error;
    }));
  return {
    begin: async (key, isByHttps) => {
      await prepare();
      const signed = signers.get(key)?.sign(String(clock.now() + DAYS_30_MS));
      if (signed === undefined) throw new Error('a session begins by a key of the server only');
      return setCookie(name, signed, DAYS_30_MS, isByHttps);
    },
    end: (isByHttps) => setCookie(name, '', 0, isByHttps),
    prepare: async (headers) => (cookieOf(headers) === undefined ? undefined : prepare()),
    isAuthenticated: (headers) => {
      const cookie = cookieOf(headers);
      return (
        cookie !== undefined && [...signers.values()].some((signer) => endOf(cookie, signer) > clock.now())
      );
    },
  };
}

/** Milliseconds since 1970; NaN, which is after no moment, where it was not signed by this one. */
function endOf(cookie: string, signer: Signer): number {
  return Number(signer.unsign(cookie).value ?? Number.NaN);
}

/** No script reads it, and no page of somebody else has it sent. */
function setCookie(name: string, value: string, forMs: number, secure: boolean): string {
  const maxAge = forMs / 1000;
  return fastifyCookie.serialize(name, value, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    maxAge,
    secure,
  });
}

/** One after the other: each takes a tenth of a second, and 32 MiB. */
async function signersOf(keys: readonly string[]): Promise<Map<string, Signer>> {
  const signers = new Map<string, Signer>();
  for (const key of keys) signers.set(key, new Signer(await secretOf(key)));
  return signers;
}

/** What signs for a key. It takes its time: who has a cookie can try out short keys against it. */
function secretOf(key: string): Promise<Buffer> {
  const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 };
  return new Promise((resolve, reject) => {
    scrypt(key, 'vodhouse cookie', 32, cost, (error, secret) => (error ? reject(error) : resolve(secret)));
  });
}
