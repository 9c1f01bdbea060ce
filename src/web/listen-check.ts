/** Whether a server can listen at an address, and the error if it cannot. */
import { createServer } from 'node:net';
import type { ServerConfig } from '../config/config.ts';
import { ConfigError, errorCode, errorMessage } from '../lib/errors.ts';

type Address = Pick<ServerConfig, 'host' | 'port'>;

/**
 * Listens for a moment. Throws ConfigError if that fails. The port of `current` is not tried, because this
 * worker listens at it.
 */
export async function assertCanListen(address: Address, current: Address | null): Promise<void> {
  const port = address.port === current?.port ? 0 : address.port;
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address.host, resolve);
    });
  } catch (error) {
    throw createListenError(address, error);
  } finally {
    server.close();
  }
}

export function createListenError({ host, port }: Address, error: unknown): ConfigError {
  const message = `cannot listen on ${host}:${port}: ${errorMessage(error)}`;
  return new ConfigError(message, { hint: hintFor(errorCode(error)), cause: error });
}

function hintFor(code: string): string {
  return code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL'
    ? 'set server.host to an address of this machine, such as 127.0.0.1'
    : 'another worker may serve there; set server.port to another one; 0 takes any free port';
}
