/** A service that says over its connections what no HTTP server would say. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawService {
  url: string;
  /** Requests so far. */
  requests: () => number;
  /** Connections so far. */
  connections: () => number;
}

/** Answers each request with these pieces, each in a packet of its own, until the test is over. */
export async function startRawService(piecesOf: (request: number) => readonly string[]): Promise<RawService> {
  const sockets = new Set<Socket>();
  let requests = 0;
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.on('data', () => void say(socket, piecesOf(++requests)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests: () => requests, connections: () => connections };
}

/** So far apart that the other end reads them one by one. */
const BETWEEN_PIECES_MS = 5;

async function say(socket: Socket, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    socket.write(piece, 'latin1');
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_PIECES_MS));
  }
}
