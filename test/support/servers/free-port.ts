import { createServer, type AddressInfo } from 'node:net';

/** A port of 127.0.0.1 at which nothing listened a moment ago. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
