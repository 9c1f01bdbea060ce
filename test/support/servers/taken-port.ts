import { createServer, type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TakenPort {
  port: number;
  /** Gives it back before the test is over. */
  free(): Promise<void>;
}

/** Takes a port on loopback until the test is over: this one, or else any free one. */
export async function takePort(port = 0): Promise<TakenPort> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve());
  });
  const free = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  onTestFinished(free);
  return { port: (server.address() as AddressInfo).port, free };
}
