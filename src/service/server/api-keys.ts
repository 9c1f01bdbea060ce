/** API keys of requests (docs/service.md 5). */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** Where a request may carry its key: `?key=`, `Authorization: Bearer …`, or a header of that name in any case. */
export type KeyLocation = 'query' | 'bearer' | { header: string };

/** True for a request that is allowed. */
export type Authorize = (request: Pick<FastifyRequest, 'query' | 'headers'>) => boolean;

export const allowAll: Authorize = () => true;

/** Allows requests with one of the keys in one of the locations; without keys, none. */
export function createKeyAuth(keys: readonly string[], locations: readonly KeyLocation[]): Authorize {
  const match = createKeyMatcher(keys);
  return (request) => locations.some((location) => match(readKey(location, request)) !== undefined);
}

/** The returned function finds the given key among the known ones, in constant time. */
export function createKeyMatcher(keys: readonly string[]): (given: string | undefined) => string | undefined {
  const known = keys.map((key) => ({ key, digest: digest(key) }));
  return (given) => {
    const givenDigest = digest(given ?? '');
    const matches = known.filter((each) => timingSafeEqual(each.digest, givenDigest));
    return given === undefined ? undefined : matches[0]?.key;
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The first one if a key is given twice. */
function readKey(location: KeyLocation, { query, headers }: Parameters<Authorize>[0]): string | undefined {
  if (location === 'query') return first((query as Record<string, string | string[]>)['key']);
  if (location === 'bearer') return /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
  return first(headers[location.header.toLowerCase()]);
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
