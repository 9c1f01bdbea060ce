/** Ports of 127.0.0.1. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Lets a server listen: at this port, or at any free one. The caller calls `close`, which ends all connections. */
export async function listenOnLoopback(server: Server, port = 0) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve());
  });
  const taken = (server.address() as AddressInfo).port;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port: taken, host: `127.0.0.1:${taken}`, close };
}

/** Occupies a port until the end of the test, or until it is freed: this one, or any free one. */
export async function takePort(port = 0) {
  const { port: taken, close: free } = await listenOnLoopback(createServer(), port);
  onTestFinished(free);
  return { port: taken, free };
}

/** A port at which nothing listened a moment ago. */
export async function findFreePort(): Promise<number> {
  const { port, close } = await listenOnLoopback(createServer());
  await close();
  return port;
}
