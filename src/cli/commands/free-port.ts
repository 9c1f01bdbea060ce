import { createServer } from 'node:net';

/** The port where nobody listens on it at 127.0.0.1, else 0, which asks for any free one. */
export function freePort(wished: number): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen(wished, '127.0.0.1', () => server.close(() => resolve(wished)));
  });
}
