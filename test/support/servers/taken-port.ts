import { createServer, type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TakenPort {
  port: number;
  /** Releases the port before the end of the test. */
  free(): Promise<void>;
}

/** Occupies a port on loopback until the end of the test: this one, or any free one. */
export async function takePort(port = 0): Promise<TakenPort> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve());
  });
  const free = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  onTestFinished(free);
  return { port: (server.address() as AddressInfo).port, free };
}
