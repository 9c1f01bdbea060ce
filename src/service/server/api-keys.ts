/** API keys of requests (docs/service.md 5). */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../lib/clock.ts';
import { VodhouseError } from '../../lib/errors.ts';

/**
 * Where a request may carry its key: `?key=`, `Authorization: Bearer …`, the password of `Authorization:
 * Basic …`, or a header of that name in any case.
 */
export type KeyLocation = 'query' | 'bearer' | 'password' | { header: string };

/** True for a request that is allowed. May reject with a BlockedError. */
export type Authorize = (request: FastifyRequest) => boolean | Promise<boolean>;

/**
 * Becomes an answer with status 429: the address sent too many wrong keys, or there is another reason to
 * wait.
 */
export class BlockedError extends VodhouseError {
  readonly statusCode = 429;
  /** Until the address may try again. */
  readonly waitSeconds: number;

  constructor(waitMs: number, reason = 'too many wrong keys from this address') {
    const waitSeconds = Math.ceil(waitMs / SECOND_MS);
    super(`${reason}; try again in ${waitSeconds} s`);
    this.waitSeconds = waitSeconds;
  }
}

export const allowAll: Authorize = () => true;

/** Allows requests with one of the keys in one of the locations; without keys, none. */
export function createKeyAuth(keys: readonly string[], locations: readonly KeyLocation[]): Authorize {
  const hasKnown = createKeyMatcher(keys);
  return (request) => hasKnown(readKeys(locations, request));
}

/** The keys that a request carries in these locations; an empty one is none. */
export function readKeys(
  locations: readonly KeyLocation[],
  request: Pick<FastifyRequest, 'query' | 'headers'>,
): string[] {
  return locations.map((location) => readKey(location, request) ?? '').filter((key) => key !== '');
}

/**
 * Returns a function that compares given keys with the known ones, in a time that reveals nothing of them.
 */
export function createKeyMatcher(keys: readonly string[]): (given: readonly string[]) => boolean {
  const known = keys.map(digest);
  const isKnown = (key: string) => known.filter((each) => timingSafeEqual(each, digest(key))).length > 0;
  return (given) => given.some(isKnown);
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The first one if a key is given twice. */
function readKey(
  location: KeyLocation,
  { query, headers }: Pick<FastifyRequest, 'query' | 'headers'>,
): string | undefined {
  // Fastify types the query of a route without a schema as unknown
  if (location === 'query') return first((query as Record<string, string | string[]>)['key']);
  if (location === 'bearer') return /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
  if (location === 'password') {
    const login = /^Basic +([\w+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    return /^[^:]*:(.*)$/.exec(Buffer.from(login, 'base64').toString())?.[1]?.trim();
  }
  return first(headers[location.header.toLowerCase()]);
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
