import { createServer } from 'node:net';

/** Below the ports that a system gives to connections: one that is free now is free again after a restart. */
const [FIRST, COUNT] = [20_000, 12_000];

/** A free port on 127.0.0.1. */
export function findPort() {
  const port = FIRST + Math.floor(COUNT * Math.random());
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(findPort()))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}
