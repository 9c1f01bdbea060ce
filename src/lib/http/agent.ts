/** HTTP connections: directly or by a proxy, with certificates that are trusted in addition. */
import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import * as tls from 'node:tls';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { RefusedError, TransientError } from '../errors.ts';
import { proxyAuthorization, type Proxy } from './proxy.ts';
import { speaksTls, toPlainHttpFailure } from './tls-probe.ts';
import { toPeer, toProxyFailure, toProxyRefusal, toProxyTimeout } from './proxy-failure.ts';

type Connector = buildConnector.connector;

export interface AgentOptions {
  /** Connections to one host at most. */
  connections: number;
  /** Milliseconds to open a connection, by a proxy too. */
  connectTimeoutMs: number;
  proxy: Proxy | null;
  /** Certificates in PEM that are trusted besides Node's own; null for none. */
  ca: readonly string[] | null;
  /** Changes the connector; left out: it stays as it is. */
  adapt?: (connect: Connector) => Connector;
}

/**
 * Creates an agent whose requests take the proxy: as a tunnel (CONNECT) to https, by their complete address to http, as
 * proxies expect it. Errors of the proxy are RefusedError and TransientError with a hint; others are those of Node.
 */
export function createAgent(options: AgentOptions): Dispatcher {
  const { connections, proxy, adapt = (connect: Connector) => connect } = options;
  const direct = buildConnector({ timeout: options.connectTimeoutMs, ...trust(options.ca) });
  const connect = adapt(proxy ? createProxyConnector(proxy, direct, options.connectTimeoutMs) : direct);
  const agent = new Agent({ connections, connect, keepAliveTimeout: 30_000 });
  return proxy ? agent.compose(forwardTo(proxy)) : agent;
}

/** One context for all connections: it takes some milliseconds to make. */
function trust(ca: AgentOptions['ca']): { secureContext?: tls.SecureContext } {
  if (ca === null) return {};
  // Node 22 knows those of the system and of NODE_EXTRA_CA_CERTS too
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  const roots = getCACertificates?.('default') ?? tls.rootCertificates;
  return { secureContext: tls.createSecureContext({ ca: [...roots, ...ca], allowPartialTrustChain: true }) };
}

/** Sends requests for plain http to the proxy with their complete address. */
function forwardTo(proxy: Proxy): Dispatcher.DispatcherComposeInterceptor {
  const { origin } = new URL(proxy.url);
  const authorization = proxyAuthorization(proxy);
  return (dispatch) => (options, handler) => {
    const target = new URL(String(options.origin));
    if (target.protocol !== 'http:') return dispatch(options, handler);
    const headers = { ...(options.headers as Record<string, string>), host: target.host, ...authorization };
    return dispatch({ ...options, origin, path: `${target.origin}${options.path}`, headers }, handler);
  };
}

/** A connector to the proxy itself, and through it to any other host. */
function createProxyConnector(proxy: Proxy, direct: Connector, timeoutMs: number): Connector {
  const { origin, protocol, hostname, host, port } = new URL(proxy.url);
  const toProxy = { protocol, host, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port };
  const connectToProxy: (callback: buildConnector.Callback) => void = (callback) =>
    direct(toProxy, (...[error, socket]) => {
      if (error) callback(toProxyFailure(error, proxy), null);
      else callback(null, socket);
    });
  return (target, callback) => {
    if (`${target.protocol}//${target.host ?? ''}` === origin) {
      connectToProxy(callback);
      return;
    }
    const authority = `${bracketed(target.hostname)}:${target.port || '443'}`;
    const { settle, track } = withinTime(timeoutMs, callback, () =>
      toProxyTimeout(proxy, authority, timeoutMs),
    );
    connectToProxy((...[error, socket]) => {
      if (error) settle(error, null);
      else if (track(socket))
        openTunnel(proxy, socket, authority, (failure) => {
          if (failure) settle(failure, null);
          else direct({ ...target, httpSocket: socket }, settle);
        });
    });
  };
}

/** Calls back once: with the first result, or with an error when the time is over. */
function withinTime(timeoutMs: number, callback: buildConnector.Callback, toError: () => Error) {
  let socket: Socket | null = null;
  let isSettled = false;
  const settle: buildConnector.Callback = (...result) => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    if (result[0]) socket?.destroy();
    callback(...result);
  };
  const timer = setTimeout(() => settle(toError(), null), timeoutMs);
  const track = (opened: Socket) => {
    if (isSettled) opened.destroy();
    socket = opened;
    return !isSettled;
  };
  return { settle, track };
}

/** Asks the proxy at the other end of the socket for a connection to `authority` (host and port): RFC 9110, 9.3.6. */
function openTunnel(
  proxy: Proxy,
  socket: Socket,
  authority: string,
  callback: (failure: RefusedError | TransientError | null) => void,
): void {
  const request = httpRequest({
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...proxyAuthorization(proxy) },
    createConnection: () => socket,
  });
  request.once('error', (error) => {
    const url = new URL(proxy.url);
    const probe = url.protocol === 'http:' ? speaksTls(url) : Promise.resolve(false);
    void probe.then((isTls) =>
      callback(isTls ? toPlainHttpFailure(toPeer(proxy)) : toProxyFailure(error, proxy)),
    );
  });
  request.once('connect', ({ statusCode: status = 0, headers }) => {
    const authenticate = [headers['proxy-authenticate'] ?? []].flat().join(', ');
    const isOpen = status >= 200 && status < 300;
    callback(isOpen ? null : toProxyRefusal({ status, authenticate }, proxy, authority));
  });
  request.end();
}

function bracketed(hostname: string): string {
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}
