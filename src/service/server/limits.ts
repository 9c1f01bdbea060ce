/** What a server bears of its clients: how much they may say, how long they may take, and how many at once. */
import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { InterruptedError } from '../../lib/errors.ts';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface LoadLimits {
  /** The longest path with its query, in bytes; a keyword of Korean takes nine a character. */
  urlBytes: number;
  /** All headers together, in bytes. */
  headerBytes: number;
  /** Requests that are being answered at once; more are sent away with 503. */
  requests: number;
  /** Open connections; more are closed at once. */
  connections: number;
  /** Until a request has arrived whole, in milliseconds. */
  arrivalMs: number;
  /** From there until its answer has left whole, in milliseconds: a client that reads slower is cut off. */
  answerMs: number;
}

export const DEFAULT_LIMITS: LoadLimits = {
  urlBytes: 8_192,
  headerBytes: 16_384,
  requests: 128,
  connections: 512,
  arrivalMs: 10_000,
  answerMs: 60_000,
};

/** The part of the bounds that Node's own HTTP server sees to. */
export function httpOptions({ headerBytes, arrivalMs, answerMs }: LoadLimits): FastifyHttpOptions<Server> {
  const connectionsCheckingInterval = Math.min(2_000, arrivalMs);
  return {
    forceCloseConnections: true,
    connectionTimeout: answerMs, // a connection on which nothing moves
    requestTimeout: arrivalMs,
    http: { maxHeaderSize: headerBytes, headersTimeout: arrivalMs, connectionsCheckingInterval },
    bodyLimit: 1_024, // the only bodies here are small forms
    clientErrorHandler: answerUnreadable,
  };
}

/** The answer to all that is not here. */
export const NO_SUCH_PATH = { error: 'no such path' };

/** Answers what Node could not read as a request, in the shape of every other error; and ends the connection. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  const [status, words] = UNREADABLE[error.code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify({ error: words });
  if (socket.writable) {
    const headers = `${HEADERS_OF_UNREADABLE}\r\ncontent-length: ${body.length}`;
    socket.write(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
  }
  socket.destroy(error);
}

const HEADERS_OF_UNREADABLE = [
  'connection: close',
  'content-type: application/json',
  'x-content-type-options: nosniff',
].join('\r\n');

type Unreadable = readonly [status: string, words: string];

const NOT_HTTP: Unreadable = [
  '400 Bad Request',
  'the request cannot be read; an address has to be percent-encoded',
];
const UNREADABLE: Readonly<Record<string, Unreadable>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time'],
};

/** Routes, as they were added, for which a bound does not hold. */
export interface Exceptions {
  /** Answered however many requests are under way: they count, and find a place. */
  alwaysAnswered: readonly string[];
  /** A POST to them is let through, with a body of at most 1,024 bytes. */
  takesBodies: readonly string[];
}

/** Holds a server to the rest of the bounds. To be called first. */
export function applyLimits(
  app: FastifyInstance,
  bounds: LoadLimits,
  { alwaysAnswered, takesBodies }: Exceptions,
): void {
  let underWay = 0;
  app.server.maxConnections = bounds.connections;
  app.addHook('onRequest', async (request, reply) => {
    if (!isTaken(request, takesBodies)) {
      return reply.code(404).header('connection', 'close').send(NO_SUCH_PATH); // its body is not waited for
    }
    if ((request.raw.url ?? '').length > bounds.urlBytes) {
      return reply.code(414).send({ error: `the address is longer than ${bounds.urlBytes} bytes` });
    }
    const isFree = alwaysAnswered.includes(request.routeOptions.url ?? '');
    if (underWay >= bounds.requests && !isFree) {
      return reply.code(503).header('retry-after', 1).send({ error: 'too many requests at once' });
    }
    underWay++;
    const late = setTimeout(() => request.raw.socket.destroy(), bounds.answerMs).unref();
    onFirstClose([reply.raw, request.raw], () => {
      underWay--;
      clearTimeout(late);
    });
    return undefined;
  });
}

/** Everything is only read here, but for what a form is sent to. */
function isTaken({ method, routeOptions }: FastifyRequest, takesBodies: readonly string[]): boolean {
  if (method === 'POST') return takesBodies.includes(routeOptions.url ?? '');
  return method === 'GET' || method === 'HEAD';
}

/** Made once: every request ends with it, and few have anything left that it stops. */
const GONE = new InterruptedError('nobody waits for the answer any more');

/** Aborts, with an InterruptedError, as soon as nobody waits for the answer: it has left, or whoever asked is gone. */
export function clientGoneSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  onFirstClose([reply.raw, request.raw], () => gone.abort(GONE));
  return gone.signal;
}

/** Calls at the first close of these: an answer that waits behind another one on its connection hears nothing of its end. */
function onFirstClose(ends: readonly EventEmitter[], then: () => void): void {
  const close = () => {
    for (const end of ends) end.off('close', close);
    then();
  };
  for (const end of ends) end.on('close', close);
}
