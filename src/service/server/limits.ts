/** Load limits of a server, by the options of Node and Fastify. */
import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { InterruptedError } from '../../lib/errors.ts';
import type { FastifyHttpOptions, FastifyReply, FastifyRequest } from 'fastify';

export interface LoadLimits {
  /** The address and all headers together, in bytes; a Korean character of a keyword takes nine. */
  headerBytes: number;
  /** Open connections; further ones are closed at once. */
  connections: number;
  /** For a request to arrive completely, in milliseconds. */
  requestMs: number;
  /** How long nothing may move on a connection with a request, in milliseconds: who reads nothing is disconnected. */
  idleMs: number;
}

export const DEFAULT_LIMITS: LoadLimits = {
  headerBytes: 16_384,
  connections: 4_096,
  requestMs: 10_000,
  idleMs: 60_000,
};

/**
 * Connections that the kernel accepts while the server is busy. Above it a client tries again after a second: Node's own 511
 * are fewer than a burst of half-open connections. Linux caps it at `net.core.somaxconn`, usually 4,096.
 */
export const ACCEPT_BACKLOG = 4_096;

export function httpOptions({ headerBytes, requestMs, idleMs }: LoadLimits): FastifyHttpOptions<Server> {
  const connectionsCheckingInterval = Math.min(2_000, requestMs);
  return {
    forceCloseConnections: true,
    connectionTimeout: idleMs,
    requestTimeout: requestMs,
    http: { maxHeaderSize: headerBytes, headersTimeout: requestMs, connectionsCheckingInterval },
    clientErrorHandler: rejectUnreadable,
  };
}

export const NO_SUCH_PATH = { error: 'no such path' };

const UNREADABLE: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the address and the headers are too long'],
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
