/** A client that says over a connection of its own what no HTTP client would say. */
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawConnection {
  socket: Socket;
  /** Everything that came so far; a body that is no text comes out as such. */
  received: () => string;
  /** Resolves with everything that came when the connection has ended, however it did. */
  ended: Promise<string>;
}

/** Connects to the server at `url` and says `text`; the connection is gone when the test is. */
export function connectRaw(url: string, text: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => undefined); // a connection that is cut off ends too
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  return { socket, received: () => received, ended };
}

/** A whole request of HTTP/1.1 with these header lines, its `host` among them where it is not this machine's; the last of its connection. */
export function requestText(path: string, ...headers: string[]): string {
  const isNamed = headers.some((line) => line.startsWith('host:'));
  const host = isNamed ? [] : ['host: 127.0.0.1'];
  return [`GET ${path} HTTP/1.1`, ...host, 'connection: close', ...headers, '', ''].join('\r\n');
}
