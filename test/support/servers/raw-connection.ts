/** A client that sends raw bytes, also those that no HTTP client sends. */
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** Connects to the server at `url` and sends `text`; the connection closes after the test. */
export function connectRaw(url: string, text: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => undefined); // a connection that was reset has also ended
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  return {
    socket,
    /** Everything received so far, decoded as latin1. */
    received: () => received,
    /** Resolves with everything received when the connection has ended, for any reason. */
    ended,
  };
}

/**
 * A complete HTTP/1.1 request with these header lines, which closes the connection. Without a `host` line it
 * gets one for this machine.
 */
export function requestText(path: string, ...headers: string[]): string {
  const isNamed = headers.some((line) => line.startsWith('host:'));
  const host = isNamed ? [] : ['host: 127.0.0.1'];
  return [`GET ${path} HTTP/1.1`, ...host, 'connection: close', ...headers, '', ''].join('\r\n');
}
