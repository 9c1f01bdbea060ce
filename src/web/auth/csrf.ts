/** What belongs to this server, in what a browser sends. */
import type { IncomingHttpHeaders } from 'node:http';

/** In characters: with a key beside it, it must find room in a form of 1,024 bytes. */
const LONGEST_PATH = 200;

/**
 * The path of a page on this server to go to, without a key that is in its query; `/` for whatever a browser could take
 * for an address elsewhere, for more than one line, or that is longer than 200 characters.
 */
export function safeRedirectPath(wished: string): string {
  const path = withoutKey(wished);
  const isLocal = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(path) && !path.includes('//'); // \x5c is the backslash
  return isLocal && path.length <= LONGEST_PATH ? path : '/';
}

function withoutKey(path: string): string {
  const [before = '', ...rest] = path.split('?');
  const query = new URLSearchParams(rest.join('?'));
  if (!query.has('key')) return path;
  query.delete('key');
  return query.size > 0 ? `${before}?${query.toString()}` : before;
}

/**
 * True for a request that a page of somebody else made, as far as the browser says. A proxy before the server has to pass
 * on the name it was called by: as `host`, or as `x-forwarded-host`, which no page can set.
 */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site !== 'same-origin' && site !== 'none') return true;
  if (headers.origin === undefined) return false;
  const host = hostOf(headers.origin);
  const names = [headers.host, firstOf(headers['x-forwarded-host'])].map((name) => name?.toLowerCase());
  return host === '' || !names.includes(host);
}

/** True where the browser came by https, as the proxy before the server says. */
export function isByHttps(headers: IncomingHttpHeaders): boolean {
  return firstOf(headers['x-forwarded-proto'])?.toLowerCase() === 'https';
}

/** Of what proxies have said one after the other: the one next to the browser. */
function firstOf(value: string | string[] | undefined): string | undefined {
  return String(value ?? '')
    .split(',')[0]
    ?.trim();
}

/** Empty for `null`, which browsers send for a page that has no origin. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}
