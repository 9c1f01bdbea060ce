/** Load limits of a server: sizes, times and numbers of requests. */
import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { InterruptedError } from '../../lib/errors.ts';
import { limitConnections } from './connections.ts';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface LoadLimits {
  /** The longest path with its query, in bytes; a Korean character of a keyword takes nine. */
  urlBytes: number;
  /** All headers together, in bytes. */
  headerBytes: number;
  /** Requests in progress; more get 503. */
  requests: number;
  /** Open connections; above it the one that has waited longest without a request is closed. */
  connections: number;
  /** For a request to arrive completely, in milliseconds. */
  requestMs: number;
  /** For its response to be sent completely, in milliseconds: slower clients are disconnected. */
  responseMs: number;
}

export const DEFAULT_LIMITS: LoadLimits = {
  urlBytes: 8_192,
  headerBytes: 16_384,
  requests: 128,
  connections: 512,
  requestMs: 10_000,
  responseMs: 60_000,
};

/** The limits that Node's own HTTP server enforces. */
export function httpOptions({ headerBytes, requestMs, responseMs }: LoadLimits): FastifyHttpOptions<Server> {
  const connectionsCheckingInterval = Math.min(2_000, requestMs);
  return {
    forceCloseConnections: true,
    connectionTimeout: responseMs, // a connection on which nothing moves
    requestTimeout: requestMs,
    http: { maxHeaderSize: headerBytes, headersTimeout: requestMs, connectionsCheckingInterval },
    clientErrorHandler: rejectUnreadable,
  };
}

export const NO_SUCH_PATH = { error: 'no such path' };

const UNREADABLE: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time'],
};
const NOT_HTTP = [
  '400 Bad Request',
  'the request cannot be read; an address has to be percent-encoded',
] as const;

/** Responds to what Node could not parse as a request, in the form of every other error, and closes the connection. */
function rejectUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  const [status, message] = UNREADABLE[error.code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify({ error: message });
  const head = [
    `HTTP/1.1 ${status}`,
    'connection: close',
    'content-type: application/json',
    'x-content-type-options: nosniff',
    `content-length: ${body.length}`,
  ].join('\r\n');
  if (socket.writable) socket.write(`${head}\r\n\r\n${body}`);
  socket.destroy(error);
}

/** Enforces the other limits; accepts no body. Call it before adding hooks or routes. */
export function applyLimits(
  app: FastifyInstance,
  limits: LoadLimits,
  alwaysAnswered: readonly string[],
): void {
  let inProgress = 0;
  limitConnections(app.server, limits.connections);
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return reply.code(404).header('connection', 'close').send(NO_SUCH_PATH); // the body is not read
    }
    if ((request.raw.url ?? '').length > limits.urlBytes) {
      return reply.code(414).send({ error: `the address is longer than ${limits.urlBytes} bytes` });
    }
    const isExempt = alwaysAnswered.includes(request.routeOptions.url ?? '');
    if (inProgress >= limits.requests && !isExempt) {
      return reply.code(503).header('retry-after', 1).send({ error: 'too many requests at once' });
    }
    inProgress++;
    const timeout = setTimeout(() => request.raw.socket.destroy(), limits.responseMs).unref();
    onFirstClose([reply.raw, request.raw], () => {
      inProgress--;
      clearTimeout(timeout);
    });
    return undefined;
  });
}

/** Created once, because every request needs it. */
const DISCONNECTED = new InterruptedError('the client has disconnected');

/** Aborts with an InterruptedError when the response has been sent or the client has disconnected. */
export function clientGoneSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onFirstClose([reply.raw, request.raw], () => controller.abort(DISCONNECTED));
  return controller.signal;
}

/** Calls `then` once, at the first `close`: a response queued behind another one on its connection emits none. */
function onFirstClose(emitters: readonly EventEmitter[], then: () => void): void {
  const close = () => {
    for (const emitter of emitters) emitter.off('close', close);
    then();
  };
  for (const emitter of emitters) emitter.on('close', close);
}
