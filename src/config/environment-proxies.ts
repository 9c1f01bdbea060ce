/** The proxies of the environment, under the names that curl and others read: in small letters first. */
import { ConfigError } from '../lib/errors.ts';
import type { Proxies } from '../lib/http/proxies.ts';
import { isProxyAddress } from './value-types.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads HTTP_PROXY, HTTPS_PROXY (without it, HTTP_PROXY) and NO_PROXY. Throws ConfigError for an address that is not one of a proxy. */
export function readEnvironmentProxies(env: Environment): Proxies {
  const httpProxy = readProxy(env, 'HTTP_PROXY');
  const httpsProxy = readProxy(env, 'HTTPS_PROXY') || httpProxy;
  return { httpProxy, httpsProxy, noProxy: read(env, 'NO_PROXY')?.value ?? '' };
}

function readProxy(env: Environment, name: string): string {
  const { variable, value } = read(env, name) ?? {};
  if (variable === undefined || value === undefined) return '';
  const url = value.includes('://') ? value : `http://${value}`;
  if (isProxyAddress(url)) return url;
  const shown = value.includes('@') ? '[hidden]' : JSON.stringify(value);
  throw new ConfigError(`${variable} in the environment: ${shown} is not the address of an HTTP proxy`, {
    hint: `${variable}=http://proxy.example.test:3128; or unset it`,
  });
}

/** A variable that is set and not empty. */
function read(env: Environment, name: string): { variable: string; value: string } | undefined {
  for (const variable of [name.toLowerCase(), name]) {
    const value = (Object.hasOwn(env, variable) ? env[variable] : undefined)?.trim() ?? '';
    if (value !== '') return { variable, value };
  }
  return undefined;
}
