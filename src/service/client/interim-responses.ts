/**
 * Answers before the answer (RFC 9110, 15.2): a client passes over any 1xx, asked for or not. undici does, but for a
 * `100 Continue`, which it takes for a broken connection: it never asks for one. Some gateways send it all the same. Here it
 * becomes a `102 Processing`, which says as little, before undici reads it.
 */
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

const INTERIM = /^HTTP\/1\.1 1\d\d/;
const STATUS_LINE = 'HTTP/1.1 100'.length;
const HEAD_END = '\r\n\r\n';
const TWO = '2'.charCodeAt(0);

/** Where the reading of a connection stands: only what comes between a request and its answer is looked at. */
interface Reading {
  isBeforeAnswer: boolean;
  /** The last characters of an interim head whose end has not come yet; null outside of one. */
  headSoFar: string | null;
}

/** Connects as undici does by itself; over these connections a `100 Continue` harms no answer. */
export function createConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (error) callback(error, null);
      else callback(null, passingOverInterim(socket));
    });
  };
}

/** undici takes the bytes by `read`, and writes a request when the answer before it is whole. */
function passingOverInterim<S extends Socket>(socket: S): S {
  const reading: Reading = { isBeforeAnswer: false, headSoFar: null };
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...parameters: unknown[]) => boolean;
  socket.read = (bytes?: number) => {
    const chunk = read(bytes) as unknown;
    if (reading.isBeforeAnswer && Buffer.isBuffer(chunk)) maskContinue(chunk, reading);
    return chunk;
  };
  socket.write = (...parameters: unknown[]) => {
    reading.isBeforeAnswer = true;
    return write(...parameters);
  };
  return socket;
}

/** Makes each `100` before the answer a `102`, in place. */
function maskContinue(chunk: Buffer, reading: Reading): void {
  for (let start = 0; start < chunk.length;) {
    if (reading.headSoFar === null) {
      const line = chunk.toString('latin1', start, start + STATUS_LINE);
      reading.isBeforeAnswer = INTERIM.test(line);
      if (!reading.isBeforeAnswer) return;
      if (line.endsWith('100')) chunk[start + STATUS_LINE - 1] = TWO;
      reading.headSoFar = '';
    }
    start = endOfHead(chunk, start, reading);
  }
}

/** Where the head ends that was begun; the end of the chunk where that is still to come. */
function endOfHead(chunk: Buffer, start: number, reading: Reading): number {
  const before = reading.headSoFar ?? '';
  const seam = `${before}${chunk.toString('latin1', start, start + HEAD_END.length - 1)}`.indexOf(HEAD_END);
  const end = seam < 0 ? chunk.indexOf(HEAD_END, start, 'latin1') : start + seam - before.length;
  if (end < 0) {
    const rest = `${before}${chunk.toString('latin1', Math.max(start, chunk.length - HEAD_END.length + 1))}`;
    reading.headSoFar = rest.slice(1 - HEAD_END.length);
    return chunk.length;
  }
  reading.headSoFar = null;
  return end + HEAD_END.length;
}
