/** Which proxy a request takes: that of the config, or else that of the environment. Pure. */
import { BlockList, isIP } from 'node:net';

/** A proxy that speaks HTTP or HTTPS. Its address may hold a name and a password: only `proxyHost` may be printed. */
export interface Proxy {
  readonly url: string;
  /** The environment variable that names it; null: the config does. */
  readonly variable: string | null;
}

/** The proxies of the environment for addresses with http and with https, and the hosts that need none. */
export interface EnvironmentProxies {
  readonly http: Proxy | null;
  readonly https: Proxy | null;
  /** As NO_PROXY has it. */
  readonly noProxy: string;
}

export const NO_PROXIES: EnvironmentProxies = { http: null, https: null, noProxy: '' };

/** The proxy for this address. `setting`: that of the config, `none` for no proxy, null for that of the environment. */
export function chooseProxy(
  setting: string | null,
  address: string,
  environment: EnvironmentProxies,
): Proxy | null {
  if (setting === null) return findProxy(address, environment);
  return setting === 'none' ? null : { url: setting, variable: null };
}

/** The proxy of the environment for this address; null for none. */
export function findProxy(address: string, { http, https, noProxy }: EnvironmentProxies): Proxy | null {
  const url = new URL(address);
  const proxy = url.protocol === 'https:' ? https : http;
  return proxy && !isExempt(url, noProxy) ? proxy : null;
}

/** Host and port of a proxy. */
export function proxyHost({ url }: Proxy): string {
  return new URL(url).host;
}

/** The header by which a proxy knows its user (RFC 7617); none for a proxy without a name in its address. */
export function proxyAuthorization({ url }: Proxy): { 'proxy-authorization'?: string } {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const pair = `${decodePercent(username)}:${decodePercent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** What must not be printed of the address of a proxy, and of its requests: the password, and the header with it. */
export function listProxySecrets(setting: string): string[] {
  if (setting === 'none') return [];
  const header = proxyAuthorization({ url: setting, variable: null })['proxy-authorization'];
  if (header === undefined) return [];
  const { username, password } = new URL(setting);
  return [decodePercent(password || username), header.replace('Basic ', '')];
}

/** Without percent-encoding; unchanged where a percent sign is not an encoding. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Hosts with their subdomains, addresses, blocks such as 10.0.0.0/8, each with or without a port; `*`: all of them. */
function isExempt(url: URL, noProxy: string): boolean {
  const host = withoutBrackets(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[,\s]+/)
    .some((entry) => {
      const [, name = '', onlyPort] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (name === '' || (onlyPort !== undefined && onlyPort !== port)) return false;
      return name === '*' || isWithin(host, withoutBrackets(name));
    });
}

function isWithin(host: string, name: string): boolean {
  if (name.includes('/')) return isInBlock(host, name);
  const domain = name.replace(/^\*?\./, '');
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

function isInBlock(host: string, block: string): boolean {
  const [network = '', bits = ''] = block.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(host) === 0 || isIP(network) !== isIP(host) || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 'ipv6' ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(host, family);
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
