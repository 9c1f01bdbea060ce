/**
 * Keeps clients that ask for much and read little from filling the memory of a server, and from delaying the
 * others.
 */
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { BusyError, InterruptedError } from '../../lib/errors.ts';

/**
 * Requests that a client may send on a connection before the first one is answered; with more it is
 * disconnected.
 */
const MAX_SENT_AHEAD = 32;
/** The most bytes of answers that clients have not read yet, of all of them together. */
const MAX_UNREAD_BYTES = 384 * 2 ** 20;
/** An answer of this size fits into the buffers of its connection, and is always sent. */
const SMALL_BYTES = 16_384;

/**
 * The reason of the signal of a request whose client has disconnected; created once, because it may occur
 * often.
 */
export const DISCONNECTED = new InterruptedError('the client has disconnected');

/** Adds the limits to all routes of a server; call it before adding other hooks. */
export function addFlowControl(app: FastifyInstance): void {
  app.server.on('connection', () => (accepted += 1));
  answerOneAfterTheOther(app);
  limitUnreadBytes(app);
}

/**
 * Answers the requests of a connection one after the other. Node would answer all at once, and keep in memory
 * what the client does not read.
 */
function answerOneAfterTheOther(app: FastifyInstance): void {
  const connections = new WeakMap<Socket, { requests: number; answered: Promise<void> }>();
  app.addHook('onRequest', async ({ raw: { socket } }, { raw }) => {
    const connection = connections.get(socket) ?? { requests: 0, answered: Promise.resolve() };
    connections.set(socket, connection);
    const before = connection.answered;
    connection.requests += 1;
    connection.answered = new Promise((resolve) => {
      raw.once('close', () => {
        connection.requests -= 1;
        resolve();
      });
    });
    if (connection.requests > MAX_SENT_AHEAD) socket.destroy();
    await before;
    if (!socket.writable) throw DISCONNECTED;
  });
}

/** Limits what all connections together have not read: many may each read slowly. */
function limitUnreadBytes(app: FastifyInstance): void {
  let unread = 0;
  app.addHook('onSend', async (_request, { raw }, payload: unknown) => {
    // a stream is not counted, because it is read only as fast as its client reads
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    const bytes = isWhole ? Buffer.byteLength(payload) : 0;
    if (bytes <= SMALL_BYTES || raw.destroyed) return;
    if (unread > 0 && unread + bytes > MAX_UNREAD_BYTES)
      throw new BusyError('other clients have not read their answers yet');
    unread += bytes;
    raw.once('close', () => (unread -= bytes));
  });
}

/** Connections that were accepted by the servers of this process. */
let accepted = 0;
let lastTurn: Promise<unknown> = Promise.resolve();
/**
 * While connections arrive, work waits at most for this many turns of the event loop, of some 0.1 ms each.
 */
const MAX_TURNS = 500;

/**
 * Waits for a turn of the event loop of its own. To be called before work of some milliseconds: short
 * answers, such as that of `/healthz`, then wait for one such work, and not for that of all connections.
 */
export async function takeTurn(): Promise<void> {
  lastTurn = lastTurn.then(acceptWaiting);
  await lastTurn;
}

/**
 * Waits until all connections that have arrived are accepted. Node accepts one in each turn: with work in
 * each turn, the last of a thousand would wait for the work of all others.
 */
async function acceptWaiting(): Promise<void> {
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const before = accepted;
    await setImmediate();
    if (accepted === before) return;
  }
}
