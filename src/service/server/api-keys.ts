/** Who may ask (docs/service.md 5). */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** Where a request may carry its key: `?key=`, `Authorization: Bearer …`, or a header of that name in any case. */
export type KeyPlace = 'query' | 'bearer' | { header: string };

/** True for a request that is let in. */
export type Authorize = (request: Pick<FastifyRequest, 'query' | 'headers'>) => boolean;

/** Lets everybody in. */
export const allowAll: Authorize = () => true;

/** Lets in who carries one of the keys in one of the places; with no keys, nobody. */
export function createKeyAuth(keys: readonly string[], places: readonly KeyPlace[]): Authorize {
  const find = createKeySearch(keys);
  return (request) => places.some((place) => find(keyAt(place, request)) !== undefined);
}

/** Finds the key that was given among those known. Takes as long for a nearly right key as for a wrong one. */
export function createKeySearch(keys: readonly string[]): (given: string | undefined) => string | undefined {
  const known = keys.map((key) => ({ key, digest: digest(key) }));
  return (given) => {
    const asked = digest(given ?? '');
    const matches = known.filter((each) => timingSafeEqual(each.digest, asked));
    return given === undefined ? undefined : matches[0]?.key;
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The first, where a key is given twice. */
function keyAt(place: KeyPlace, { query, headers }: Parameters<Authorize>[0]): string | undefined {
  if (place === 'query') return first((query as Record<string, string | string[]>)['key']);
  if (place === 'bearer') return /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
  return first(headers[place.header.toLowerCase()]);
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
