/** Finds out whether the other end speaks TLS, where plain HTTP got no proper response. */
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { errorCode, RefusedError } from '../errors.ts';
import type { Peer } from './tls-failure.ts';

/** Milliseconds that the handshake may take. */
const HANDSHAKE_MS = 2_000;

/** The error of an address with http whose other end speaks TLS. */
export function toPlainHttpFailure({ prefix, host, setting }: Peer): RefusedError {
  return new RefusedError(`${prefix || 'the service at '}${host} speaks TLS, ${setting} has http`, {
    fault: 'connection',
    hint: `write https://${host} in ${setting}`,
  });
}

/** Whether a TLS handshake succeeds there, with any certificate; no request is sent. Never rejects. */
export function speaksTls({ hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false, ...servername });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(HANDSHAKE_MS, () => end(false));
    socket.once('secureConnect', () => end(true));
    socket.on('error', (error) => end(errorCode(error).includes('_ALERT_'))); // it refuses our version of TLS
    socket.once('close', () => end(false));
  });
}
