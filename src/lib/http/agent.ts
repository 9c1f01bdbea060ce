/** HTTP connections: directly or by a proxy, with certificates that are trusted in addition. */
import { setMaxListeners } from 'node:events';
import * as tls from 'node:tls';
import { Agent, errors, Pool, ProxyAgent, request, type Dispatcher } from 'undici';
import { findProxy, type Proxies } from './proxies.ts';

interface AgentOptions {
  /** Connections to one host at most. */
  connections: number;
  /** Milliseconds to open a connection; by a proxy, to it and from there on. */
  connectTimeoutMs: number;
  proxies: Proxies;
  /** Certificates in PEM that are trusted besides Node's own; null for none. */
  ca: readonly string[] | null;
  /** Ends all connections, also those that are being opened. */
  signal: AbortSignal;
}

/** How long an idle connection is kept open. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Creates an agent whose requests take the proxies: those to https through a tunnel (CONNECT), those to http
 * by their complete address.
 */
export function createAgent(options: AgentOptions): Dispatcher {
  const { connections, connectTimeoutMs, proxies, ca, signal } = options;
  setMaxListeners(0, signal); // each connection listens to it, and Node warns of more than ten
  const connect = { timeout: connectTimeoutMs, signal, ...trust(ca) };
  const pool = { connections, connect, keepAliveTimeout: KEEP_ALIVE_MS };
  const clientFactory = (proxy: URL, options: object) =>
    createProxyPool(proxy, { ...options, headersTimeout: connectTimeoutMs });
  const ofProxies = { ...pool, proxyTunnel: false, clientFactory, proxyTls: connect, requestTls: connect };
  const factory = (origin: string | URL) => {
    const proxy = findProxy(new URL(origin), proxies);
    return proxy === null ? new Pool(origin, pool) : new ProxyAgent({ ...ofProxies, uri: proxy });
  };
  return new Agent({ factory });
}

/** The TLS context with the certificates. It takes some milliseconds to make: all connections share one. */
function trust(ca: AgentOptions['ca']): { secureContext?: tls.SecureContext } {
  if (ca === null) return {};
  // Node 20 lacks this function, which adds the certificates of the system and of NODE_EXTRA_CA_CERTS
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  const roots = getCACertificates?.('default') ?? tls.rootCertificates;
  return { secureContext: tls.createSecureContext({ ca: [...roots, ...ca], allowPartialTrustChain: true }) };
}

/**
 * Connections to a proxy. If it closes one, the request fails; undici itself would connect again without end.
 */
function createProxyPool(proxy: URL, options: Pool.Options): Pool {
  const pool = new Pool(proxy, options);
  const open: (target: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> =
    pool.connect.bind(pool);
  const connect = (target: Dispatcher.ConnectOptions) =>
    open(target).catch((error: unknown) => {
      if (!(error instanceof errors.SocketError)) throw error;
      throw new errors.RequestAbortedError('the proxy closed the connection');
    });
  return Object.assign(pool, { connect });
}

/**
 * Sends a request, and rejects as soon as the signal aborts. undici itself does not while a request waits for
 * a connection.
 */
export function requestUntilAborted(
  url: URL,
  signal: AbortSignal,
  options: Parameters<typeof request<null>>[1],
): Promise<Dispatcher.ResponseData> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    request(url, { ...options, signal }).then((response) => {
      if (signal.aborted) response.body.on('error', () => undefined).destroy();
      resolve(response);
    }, reject);
  });
}

/** A single call of an address, such as a webhook or a ping. */
interface HttpCall {
  url: URL;
  proxies: Proxies;
  headers: Record<string, string>;
  /** What to post; null for a GET. */
  body: string | null;
  signal: AbortSignal;
}

/** How long opening the connection of a call may take. */
const CALL_TIMEOUT_MS = 10_000;

/**
 * Makes a call over a connection of its own, and returns the status. Reads no body, and follows no redirect.
 * Rejects with the error of Node or undici.
 */
export async function callOnce({ url, proxies, headers, body, signal }: HttpCall): Promise<number> {
  const agent = createAgent({ connections: 1, connectTimeoutMs: CALL_TIMEOUT_MS, proxies, ca: null, signal });
  try {
    const method = body === null ? 'GET' : 'POST';
    const response = await requestUntilAborted(url, signal, { dispatcher: agent, method, headers, body });
    response.body.on('error', () => undefined).destroy();
    return response.statusCode;
  } finally {
    void agent.destroy();
  }
}
