/** Who may ask (service.md 5). */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Where the storage operation wants the key; service.md 5 does not show it. Header names in any case. */
export type StorageAuth = 'none' | 'query' | { header: string };

/** True for a key that is let in. */
export type KeyCheck = (given: string | undefined) => boolean;

/** Lets in the given keys; none of them, nobody. Takes as long for a nearly right key as for a wrong one. */
export function createKeyCheck(keys: readonly string[]): KeyCheck {
  const digests = keys.map(digest);
  return (given) => {
    const asked = digest(given ?? '');
    const matches = digests.filter((known) => timingSafeEqual(known, asked));
    return given !== undefined && matches.length > 0;
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The query parameter `key`; the first, where it is given twice. */
export function keyOfQuery(parameters: unknown): string | undefined {
  const key = (parameters as { key?: string | string[] }).key;
  return Array.isArray(key) ? key[0] : key;
}

/** The key in the header `name`. */
export function keyOfHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const key = headers[name.toLowerCase()];
  return Array.isArray(key) ? key[0] : key;
}
