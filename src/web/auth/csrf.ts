/** Checks of data from the browser: redirect targets, the site a form comes from, and https. */
import type { IncomingHttpHeaders } from 'node:http';

/** In characters: it and a key fit into a form of 1,024 bytes. */
const MAX_PATH_LENGTH = 200;

/**
 * A path of this server without `key` in its query; `/` for anything that a browser could read as another address, that
 * has more than one line, or that is longer than 200 characters.
 */
export function safeRedirectPath(requested: string): string {
  const path = removeKey(requested);
  const isLocal = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(path) && !path.includes('//'); // \x5c is the backslash
  return isLocal && path.length <= MAX_PATH_LENGTH ? path : '/';
}

function removeKey(path: string): string {
  const [pathname = '', ...rest] = path.split('?');
  const query = new URLSearchParams(rest.join('?'));
  if (!query.has('key')) return path;
  query.delete('key');
  return query.size > 0 ? `${pathname}?${query.toString()}` : pathname;
}

/**
 * True if a page of another site sent the request, as far as the browser says. A proxy must pass on the host name, as
 * `host` or as `x-forwarded-host`, which no page can set.
 */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site !== 'same-origin' && site !== 'none') return true;
  if (headers.origin === undefined) return false;
  const originHost = URL.canParse(headers.origin) ? new URL(headers.origin).host : ''; // `null`: no origin
  const ownHosts = [headers.host, firstValue(headers['x-forwarded-host'])].map((host) => host?.toLowerCase());
  return originHost === '' || !ownHosts.includes(originHost);
}

/** True if the browser used https, as the proxy says. */
export function isHttps(headers: IncomingHttpHeaders): boolean {
  return firstValue(headers['x-forwarded-proto'])?.toLowerCase() === 'https';
}

/** The value of the proxy that is nearest to the browser. */
function firstValue(values: string | string[] | undefined): string | undefined {
  return String(values ?? '')
    .split(',')[0]
    ?.trim();
}
