/** What goes wrong between this machine and a proxy, as errors that name it and say what to type. */
import { errorMessage, RefusedError, TransientError } from '../errors.ts';
import { escapeControls } from '../format.ts';
import { proxyHost, type Proxy } from './proxy.ts';
import { toTlsFailure, type Peer } from './tls-failure.ts';

/** The error of a connection to the proxy that could not be opened, or that broke before the proxy had answered. */
export function toProxyFailure(error: unknown, proxy: Proxy): RefusedError | TransientError {
  const tlsFailure = toTlsFailure(error, toPeer(proxy));
  if (tlsFailure) return tlsFailure;
  return new TransientError(`no connection to the proxy ${proxyHost(proxy)} (${errorMessage(error)})`, {
    fault: 'connection',
    hint: `check ${placeOf(proxy)}; ${wayAround(proxy)}`,
    cause: error,
  });
}

/** The error of a proxy that did not open a connection to `target` (host and port) in time. */
export function toProxyTimeout(proxy: Proxy, target: string, timeoutMs: number): TransientError {
  const message = `the proxy ${proxyHost(proxy)} opened no connection to ${target} within ${timeoutMs / 1000} s`;
  const hint = `check base_url and ${placeOf(proxy)}; ${wayAround(proxy)}`;
  return new TransientError(message, { fault: 'connection', hint });
}

/** What a proxy answered in place of a connection. */
export interface ProxyAnswer {
  status: number;
  /** Its `Proxy-Authenticate` header. */
  authenticate: string;
}

/** The error of a proxy that refused to connect to `target` (host and port); one that cannot reach it may recover. */
export function toProxyRefusal(
  { status, authenticate }: ProxyAnswer,
  proxy: Proxy,
  target: string,
): RefusedError | TransientError {
  const host = proxyHost(proxy);
  if (status === 407) return toCredentialsFailure(proxy, authenticate);
  if (status >= 500 || status === 408 || status === 429) {
    const message = `the proxy ${host} cannot reach ${target} (it answered ${status})`;
    const hint = `check base_url; ${wayAround(proxy)}`;
    return new TransientError(message, { fault: 'connection', hint });
  }
  const message = `the proxy ${host} does not allow a connection to ${target} (it answered ${status})`;
  const hint = `whoever runs the proxy must allow ${target}; ${wayAround(proxy)}`;
  return new RefusedError(message, { fault: 'connection', hint });
}

function toCredentialsFailure(proxy: Proxy, authenticate: string): RefusedError {
  const host = proxyHost(proxy);
  const { protocol, username, password } = new URL(proxy.url);
  const scheme = authenticate.split(/[\s,]/)[0] ?? '';
  if (scheme !== '' && !/\bbasic\b/i.test(authenticate)) {
    const message = `the proxy ${host} asks for ${escapeControls(scheme)} authentication (407), which vodhouse does not have`;
    const hint = `expected a proxy that takes a name and a password (Basic); ${wayAround(proxy)}`;
    return new RefusedError(message, { fault: 'connection', hint });
  }
  if (username + password !== '') {
    const message = `the proxy ${host} rejects the name and the password (407)`;
    const hint = `check both in ${placeOf(proxy)}; a @, : or / in them is written as %40, %3A or %2F`;
    return new RefusedError(message, { fault: 'connection', hint });
  }
  const address = `${protocol}//NAME:\${PROXY_PASSWORD}@${host}`;
  const assignment = proxy.variable === null ? `proxy: ${address}` : `${proxy.variable}=${address}`;
  const message = `the proxy ${host} asks for a name and a password (407)`;
  return new RefusedError(message, { fault: 'connection', hint: `write ${assignment}` });
}

/** The proxy as the other end of a connection. */
export function toPeer(proxy: Proxy): Peer {
  return { prefix: 'the proxy ', host: proxyHost(proxy), setting: proxy.variable ?? '`proxy`' };
}

function placeOf({ variable }: Proxy): string {
  return variable === null ? '`proxy` of the account in the config' : `${variable} in the environment`;
}

function wayAround({ variable }: Proxy): string {
  return variable === null
    ? 'without `proxy`, or with `proxy: none`, the service is called directly'
    : '`proxy: none` in the account, or the host in NO_PROXY, goes without it';
}
