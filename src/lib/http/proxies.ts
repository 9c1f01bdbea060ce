/** The proxies that requests take: those of the config, or else those of the environment. */
import { BlockList, isIP } from 'node:net';
import { SHORTEST_SECRET } from '../redact.ts';

/** Addresses of proxies, '' for none. They may hold a password, and are never printed. */
export interface Proxies {
  /** The proxy for addresses with http, and the one for those with https. */
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Hosts that need no proxy, as NO_PROXY has them: its entries are understood (`findUnknownException`). */
  readonly noProxy: string;
}

export const NO_PROXIES: Proxies = { httpProxy: '', httpsProxy: '', noProxy: '' };

/**
 * The proxies of an account. `setting`: that of the config, `none` for no proxy, null for those of the
 * environment.
 */
export function chooseProxies(setting: string | null, environment: Proxies): Proxies {
  if (setting === null) return environment;
  return setting === 'none' ? NO_PROXIES : { httpProxy: setting, httpsProxy: setting, noProxy: '' };
}

/** The address of the proxy for requests to `url`; null where they go directly. */
export function findProxy(url: URL, { httpProxy, httpsProxy, noProxy }: Proxies): string | null {
  const proxy = url.protocol === 'https:' ? httpsProxy : httpProxy;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const isExcepted = listEntries(noProxy).some((entry) => readEntry(entry)?.(host, port));
  return proxy === '' || isExcepted ? null : proxy;
}

/**
 * The first entry of NO_PROXY that names no host, address or range of addresses; undefined if there is none.
 */
export function findUnknownException(noProxy: string): string | undefined {
  return listEntries(noProxy).find((entry) => readEntry(entry) === null);
}

const listEntries = (noProxy: string) => noProxy.split(/[\s,]+/).filter((entry) => entry !== '');

/**
 * Returns a function that finds out whether an entry of NO_PROXY means a host; null for an entry that is not
 * understood. `example.test`, `.example.test` and `*.example.test` mean the name and all names below it. An
 * address means itself, and `10.0.0.0/8` and `127.*` a range of addresses. `*` means all. An entry with a
 * port means only that port.
 */
function readEntry(entry: string): ((host: string, port: string) => boolean) | null {
  const [, before, onlyPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  const place = (before ?? entry)
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^\*?\.|\.$/g, '')
    .toLowerCase();
  const isHere = readPlace(place);
  return isHere && ((host, port) => (onlyPort === undefined || onlyPort === port) && isHere(host));
}

const IPV4 = { type: 'ipv4', bits: 32 } as const;
const IPV6 = { type: 'ipv6', bits: 128 } as const;

function readPlace(place: string): ((host: string) => boolean) | null {
  const [address = '', prefix] = place.split('/');
  const family = isIP(address);
  if (family !== 0) {
    const { type, bits } = family === 4 ? IPV4 : IPV6;
    if (prefix !== undefined && !/^\d+$/.test(prefix)) return null;
    const length = prefix === undefined ? bits : Number(prefix);
    if (length > bits) return null;
    const range = new BlockList();
    range.addSubnet(address, length, type);
    return (host) => isIP(host) !== 0 && range.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
  }
  if (place === '*') return () => true;
  const beginning = /^((?:\d+\.)+)\*(?:\.\*)*$/.exec(place)?.[1];
  if (beginning !== undefined) return (host) => isIP(host) === 4 && host.startsWith(beginning);
  // the last part of a name is no number
  if (!/^(?:[\w-]+\.)*[\w-]*[a-z_-][\w-]*$/.test(place)) return null;
  return (host) => host === place || host.endsWith(`.${place}`);
}

/**
 * The parts of a proxy's address that must not be printed: its password, and the header of RFC 7617 with it.
 * A short password is hidden only in addresses: elsewhere it would hide parts of words.
 */
export function listProxySecrets(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { username, password } = new URL(address);
  if (password === '') return [];
  const plain = decodePercent(password);
  const header = Buffer.from(`${decodePercent(username)}:${plain}`).toString('base64');
  return [plain.length < SHORTEST_SECRET ? `:${password}@` : plain, header];
}

/** The text without percent-encoding; unchanged if it has a percent sign that begins no encoding. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
