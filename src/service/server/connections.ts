/** The limit of open connections: above it, not the next client is turned away but the one that asks for nothing. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Connections that the kernel accepts while the server is busy. Above it a client tries again after a second: Node's own 511
 * are fewer than a burst of half-open connections. Linux caps it at `net.core.somaxconn`, usually 4,096.
 */
export const ACCEPT_BACKLOG = 4_096;

/**
 * Above `limit` open connections, those that have waited longest without a complete request are closed: half-open and idle
 * connections never keep out a client that sends a request.
 */
export function limitConnections(server: Server, limit: number): void {
  const open = new Map<Socket, { requests: number }>();
  /** The connections without a request in progress; the one that has waited longest first. */
  const waiting = new Set<Socket>();
  let isScheduled = false;
  const forget = (socket: Socket) => {
    open.delete(socket);
    waiting.delete(socket);
  };
  const closeSurplus = () => {
    isScheduled = false;
    for (const socket of waiting) {
      if (open.size <= limit) return;
      forget(socket); // its `close` event comes later
      socket.destroy();
    }
  };
  server.on('connection', (socket: Socket) => {
    open.set(socket, { requests: 0 });
    waiting.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size <= limit || isScheduled) return;
    isScheduled = true;
    setImmediate(() => setImmediate(closeSurplus)); // a request that has arrived with its connection is read before
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const used = open.get(socket);
    if (!used) return;
    used.requests++;
    waiting.delete(socket);
    response.once('close', () => {
      used.requests--;
      if (used.requests === 0 && open.has(socket)) waiting.add(socket);
    });
  });
}
