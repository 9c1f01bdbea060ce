/**
 * Interim responses (RFC 9110, 15.2): a client must ignore any 1xx response. undici does, except for `100 Continue`, which it
 * treats as a broken connection. Some gateways send it. Here it is turned into a `102 Processing` before
 * undici reads it.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

const INTERIM = /^HTTP\/1\.1 1\d\d/;
const STATUS_LINE = 'HTTP/1.1 100'.length;
const HEAD_END = '\r\n\r\n';
const TWO = '2'.charCodeAt(0);

/** Parser state of one connection: only bytes between a request and its response are examined. */
interface InterimState {
  awaitsAnswer: boolean;
  /** The last characters of an unfinished interim head; null outside of one. */
  headSoFar: string | null;
}

/** The connector, over whose connections a `100 Continue` does no harm. */
export function ignoreContinue(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (error) callback(error, null);
      else callback(null, maskInterim(socket));
    });
  };
}

/** undici takes bytes by `read`, and writes a request when the response before it is complete. */
function maskInterim<S extends Socket>(socket: S): S {
  const state: InterimState = { awaitsAnswer: false, headSoFar: null };
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...parameters: unknown[]) => boolean;
  socket.read = (bytes?: number) => {
    const chunk = read(bytes) as unknown;
    if (state.awaitsAnswer && Buffer.isBuffer(chunk)) maskContinue(chunk, state);
    return chunk;
  };
  socket.write = (...parameters: unknown[]) => {
    state.awaitsAnswer = true;
    return write(...parameters);
  };
  return socket;
}

/** Makes each `100` before the response a `102`, in place. */
function maskContinue(chunk: Buffer, state: InterimState): void {
  for (let start = 0; start < chunk.length;) {
    if (state.headSoFar === null) {
      const line = chunk.toString('latin1', start, start + STATUS_LINE);
      state.awaitsAnswer = INTERIM.test(line);
      if (!state.awaitsAnswer) return;
      if (line.endsWith('100')) chunk[start + STATUS_LINE - 1] = TWO;
      state.headSoFar = '';
    }
    start = skipHead(chunk, start, state);
  }
}

/** The position after the current interim head; the end of the chunk if the head is unfinished. */
function skipHead(chunk: Buffer, start: number, state: InterimState): number {
  const before = state.headSoFar ?? '';
  const seam = `${before}${chunk.toString('latin1', start, start + HEAD_END.length - 1)}`.indexOf(HEAD_END);
  const end = seam < 0 ? chunk.indexOf(HEAD_END, start, 'latin1') : start + seam - before.length;
  if (end < 0) {
    const rest = `${before}${chunk.toString('latin1', Math.max(start, chunk.length - HEAD_END.length + 1))}`;
    state.headSoFar = rest.slice(1 - HEAD_END.length);
    return chunk.length;
  }
  state.headSoFar = null;
  return end + HEAD_END.length;
}
