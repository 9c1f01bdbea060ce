/** One attempt over HTTP: one deadline, a limit on the size, no redirects. */
import { pipeline, type Duplex, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { errorCode, errorMessage, RefusedError, TransientError } from '../../lib/errors.ts';
import { requestUntilAborted } from '../../lib/http/agent.ts';
import type { RequestResult } from '../../lib/request-budget.ts';
import { readRetryAfter, readTime } from './header-times.ts';

interface HttpAttempt {
  /** Takes the secrets out of a text of the service. */
  hideSecrets: (text: string) => string;
  url: URL;
  headers: Record<string, string>;
  /** Milliseconds for the complete attempt: connecting, waiting, reading. */
  deadlineMs: number;
  /** Bytes of decompressed content. */
  maxBytes: number;
  now: number;
  /** When it aborts, the attempt may still take `graceMs`. */
  signal: AbortSignal | undefined;
  graceMs: number;
}

/** The outcome of one attempt; the caller decides about retrying. */
interface AttemptOutcome extends RequestResult {
  /** The time of the response in milliseconds since 1970, by its headers; null if it is not dated. */
  dateMs: number | null;
  /** Milliseconds that the response asks to wait (`Retry-After`); null if it does not. */
  retryAfterMs: number | null;
  result: { content: Content } | { error: unknown };
}

/** The decompressed content of a response, in the pieces in which it came. */
export type Content = readonly Buffer[];

/** No connection was opened, also because a proxy opens no tunnel (`UND_ERR_ABORTED`). */
const NEVER_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_(?:CONNECT_TIMEOUT|HEADERS_TIMEOUT|INVALID_ARG|ABORTED))$/;
/** The handshake of TLS failed, which no retry can heal. */
const NO_TLS = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/;

const ERROR_TEXT_BYTES = 65_536;

/** Sends one GET and reads its response. Ends at the deadline, whatever the library does. Never throws: an error is part of the outcome. */
export async function send(agent: Dispatcher, attempt: HttpAttempt): Promise<AttemptOutcome> {
  const outcome: AttemptOutcome = {
    ...{ status: null, bytes: null, sent: true, dateMs: null, retryAfterMs: null },
    result: { error: null },
  };
  const { signal, clear } = createAttemptSignal(attempt);
  try {
    const answer = await requestUntilAborted(attempt.url, signal, {
      dispatcher: agent,
      headers: { accept: 'application/json', 'accept-encoding': 'gzip, deflate, br', ...attempt.headers },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    outcome.status = answer.statusCode;
    outcome.dateMs = readTime(answer.headers);
    outcome.retryAfterMs = readRetryAfter(answer.headers, outcome.dateMs ?? attempt.now);
    const content = await readAnswer(answer, attempt);
    outcome.bytes = content.reduce((bytes, piece) => bytes + piece.length, 0);
    outcome.result = { content };
  } catch (error) {
    outcome.sent = outcome.status !== null || signal.aborted || wasSent(error);
    const failure = signal.aborted ? (signal.reason as unknown) : toServiceError(error, outcome.status);
    outcome.result = { error: failure };
  } finally {
    clear();
  }
  return outcome;
}

/** Aborts the attempt at its deadline, or a little after the caller's signal, with the error that it then fails with. */
function createAttemptSignal({ deadlineMs, signal, graceMs }: HttpAttempt) {
  const controller = new AbortController();
  const deadline = setTimeout(() => {
    const message = `no complete response within ${deadlineMs / 1000} s`;
    controller.abort(new TransientError(message, { fault: 'timeout' }));
  }, deadlineMs);
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    grace = setTimeout(() => controller.abort(signal?.reason), graceMs);
  };
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const clear = () => {
    clearTimeout(deadline);
    clearTimeout(grace);
    signal?.removeEventListener('abort', stop);
  };
  return { signal: controller.signal, clear };
}

/** Before a response: an error of a connection that was not opened says that nothing was sent. */
function wasSent(error: unknown): boolean {
  const code = errorCode(error);
  return !NEVER_SENT.test(code) && !NO_TLS.test(code);
}

function toServiceError(error: unknown, status: number | null): unknown {
  if (error instanceof TransientError || error instanceof RefusedError) return error;
  const reason = errorMessage(error).trim();
  if (status !== null) {
    return new TransientError(`the response broke off (${reason})`, { fault: 'truncated', cause: error });
  }
  const code = errorCode(error);
  const hint = 'check base_url (http or https, host, port), and `key`, `proxy` and `ca` of the account';
  const options = { fault: 'connection', hint, cause: error } as const;
  const message = `no connection (${reason})`;
  return NO_TLS.test(code) ? new RefusedError(message, options) : new TransientError(message, options);
}

async function readAnswer(answer: Dispatcher.ResponseData, attempt: HttpAttempt): Promise<Content> {
  const { statusCode: status, headers, body } = answer;
  const encoding = String(headers['content-encoding'] ?? '');
  if (status >= 200 && status < 300) return readContent(body, encoding, attempt.maxBytes);
  if (status >= 300 && status < 400) {
    await body.dump();
    const host = redirectHost(headers.location, attempt.url);
    const hint = 'name the address it redirects to as base_url, if you trust it';
    const message = `the service redirects to ${host}; redirects are not followed`;
    throw new RefusedError(message, { fault: 'redirect', status, hint });
  }
  const message = `the service answered ${status}${await readErrorText(body, encoding, attempt.hideSecrets)}`;
  const options = { fault: 'status', status } as const;
  const mayRecover = status === 408 || status === 429 || status >= 500;
  throw mayRecover ? new TransientError(message, options) : new RefusedError(message, options);
}

/** Only the host: the rest of the address may hold the key. */
function redirectHost(location: string | string[] | undefined, base: URL): string {
  const target = [location].flat()[0] ?? '';
  return URL.canParse(target, base.href) ? new URL(target, base).host : 'an unreadable address';
}

/**
 * The text of an error page on one line, without its tags. The key, which may look like a tag, is redacted first. Linear time:
 * a pattern that crosses other `<` takes minutes for a page full of them.
 */
async function readErrorText(
  body: Readable,
  encoding: string,
  hideSecrets: HttpAttempt['hideSecrets'],
): Promise<string> {
  try {
    const content = await readContent(body, encoding, ERROR_TEXT_BYTES);
    const text = hideSecrets(Buffer.concat(content).toString('utf8')).replaceAll(/<[^<>]*>/g, ' ');
    const line = text.replaceAll(/\s+/g, ' ').trim();
    return line === '' ? '' : `: ${line}`;
  } catch {
    return '';
  }
}

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Counts decompressed bytes while they stream: a small body may hold a very large one. */
async function readContent(body: Readable, encoding: string, maxBytes: number): Promise<Content> {
  const decoder = DECODERS[encoding.trim().toLowerCase()]?.();
  const source: Readable = decoder ? pipeline(body, decoder, () => undefined) : body;
  const content: Buffer[] = [];
  let bytes = 0;
  for await (const piece of source as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) {
      body.destroy();
      throw new RefusedError(`the response is larger than ${maxBytes} bytes`, {
        fault: 'too_large',
        hint: 'ask for smaller pages: lower page_size',
      });
    }
    content.push(piece);
  }
  return content;
}
