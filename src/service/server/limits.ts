/** Load limits of a server, by the options of Node and Fastify. */
import type { Server } from 'node:http';
import { InterruptedError } from '../../lib/errors.ts';
import type { FastifyHttpOptions, FastifyReply } from 'fastify';

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
  };
}

export const NO_SUCH_PATH = { error: 'no such path' };

/** Created once, because every request needs it. */
const DISCONNECTED = new InterruptedError('the client has disconnected');

/** Aborts with an InterruptedError when the response has been sent or the client has disconnected. */
export function clientGoneSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => controller.abort(DISCONNECTED));
  return controller.signal;
}
