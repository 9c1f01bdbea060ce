/** One attempt over HTTP: one deadline, a limit on the size, no redirects. */
import { maxHeaderSize } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, inflateRaw, unzip } from 'node:zlib';
import { errors, type Dispatcher } from 'undici';
import { errorCode, errorMessage, isWithoutTls, RefusedError, TransientError } from '../../lib/errors.ts';
import { requestUntilAborted } from '../../lib/http/agent.ts';
import type { RequestResult } from '../../budget/request-budget.ts';
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

/** How much of an error page is read. */
const ERROR_TEXT_BYTES = 65_536;

/**
 * Sends one GET and reads its response. Ends at the deadline, whatever the library does. Never throws: an
 * error is part of the outcome.
 */
export async function send(agent: Dispatcher, attempt: HttpAttempt): Promise<AttemptOutcome> {
  const outcome: AttemptOutcome = {
    status: null,
    bytes: null,
    sent: true,
    dateMs: null,
    retryAfterMs: null,
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
    const isUnsent = [NEVER_SENT, NO_TLS].some((codes) => codes.test(errorCode(error)));
    outcome.sent = outcome.status !== null || signal.aborted || !isUnsent;
    const failure: unknown = signal.aborted ? signal.reason : toServiceError(error, outcome.status, attempt);
    outcome.result = { error: failure };
  } finally {
    clear();
  }
  return outcome;
}

/**
 * Aborts the attempt at its deadline, or a little after the caller's signal, with the error that it then
 * fails with.
 */
function createAttemptSignal({ deadlineMs, signal, graceMs }: HttpAttempt) {
  const controller = new AbortController();
  const message = `no complete response within ${deadlineMs / 1000} s`;
  const end = () => controller.abort(new TransientError(message, { fault: 'timeout' }));
  const timers = [setTimeout(end, deadlineMs)];
  const stop = () => void timers.push(setTimeout(() => controller.abort(signal?.reason), graceMs));
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const clear = () => {
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  };
  return { signal: controller.signal, clear };
}

/**
 * Codes of an attempt for which no connection was opened; `UND_ERR_ABORTED`: a proxy opened no tunnel. Its
 * request was not sent.
 */
const NEVER_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_(?:CONNECT_TIMEOUT|HEADERS_TIMEOUT|INVALID_ARG|ABORTED))$/;
/** Codes of a failed TLS handshake: the request was not sent, and a retry would fail, too. */
const NO_TLS = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/;

function toServiceError(error: unknown, status: number | null, { maxBytes }: HttpAttempt): unknown {
  if (error instanceof TransientError || error instanceof RefusedError) return error;
  const [code, reason] = [errorCode(error), errorMessage(error).trim()];
  if (/EXCEEDED_MAX_SIZE|BUFFER_TOO_LARGE/.test(code)) {
    const hint = 'ask for smaller pages: lower page_size';
    return new RefusedError(`the response is larger than ${maxBytes} bytes`, { fault: 'too_large', hint });
  }
  if (status !== null) {
    return new TransientError(`the response broke off (${reason})`, { fault: 'truncated', cause: error });
  }
  if (error instanceof errors.HeadersOverflowError) {
    const hint = 'NODE_OPTIONS=--max-http-header-size=65536 lets vodhouse read more; a proxy may add them';
    const message = `the headers of the answer are larger than ${maxHeaderSize} bytes`;
    return new RefusedError(message, { fault: 'too_large', hint });
  }
  const [what, hint] = explainNoAnswer(error);
  const options = { fault: 'connection', hint, cause: error } as const;
  const message = `${what} (${reason})`;
  return NO_TLS.test(code) ? new RefusedError(message, options) : new TransientError(message, options);
}

/** What happened before there was an answer, and what to do. */
function explainNoAnswer(error: unknown): [what: string, hint: string] {
  const { HTTPParserError, ResponseContentLengthMismatchError, SocketError } = errors;
  const { syscall } = error as NodeJS.ErrnoException; // any other error lacks it
  if (isWithoutTls(error))
    return ['no connection', 'write http:// in base_url (or in `proxy`), or check its port'];
  if (error instanceof HTTPParserError || error instanceof ResponseContentLengthMismatchError)
    return ['the answer is not HTTP', 'check http or https and the port in base_url, and `proxy`'];
  if (error instanceof SocketError || syscall === 'read' || syscall === 'write')
    return ['the connection broke off before an answer', 'check the port in base_url, and `proxy`'];
  return ['no connection', 'check base_url (http or https, host, port), and `proxy` and `ca` of the account'];
}

async function readAnswer(answer: Dispatcher.ResponseData, attempt: HttpAttempt): Promise<Content> {
  const { statusCode: status, headers, body } = answer;
  if (status >= 200 && status < 300) return readContent(answer, attempt.maxBytes);
  if (status >= 300 && status < 400) {
    await body.dump();
    const host = redirectHost(headers.location, attempt.url);
    const hint = 'name the address it redirects to as base_url, if you trust it';
    const message = `the service redirects to ${host}; redirects are not followed`;
    throw new RefusedError(message, { fault: 'redirect', status, hint });
  }
  const message = `the service answered ${status}${await readErrorText(answer, attempt)}`;
  const options = { fault: 'status', status } as const;
  const mayRecover = status === 408 || status === 429 || status >= 500;
  throw mayRecover ? new TransientError(message, options) : new RefusedError(message, options);
}

/** The host that a redirect leads to. The rest of the address is not shown, because it may hold the key. */
function redirectHost(location: string | string[] | undefined, base: URL): string {
  const target = [location].flat()[0] ?? '';
  return URL.canParse(target, base.href) ? new URL(target, base).host : 'an unreadable address';
}

/**
 * The text of an error page on one line, without its tags. The key may look like a tag, so secrets are hidden
 * first. The pattern of a tag crosses no other `<`: one that does takes minutes for a page full of them.
 */
async function readErrorText(answer: Dispatcher.ResponseData, { hideSecrets }: HttpAttempt): Promise<string> {
  try {
    const content = await readContent(answer, ERROR_TEXT_BYTES);
    const text = hideSecrets(Buffer.concat(content).toString('utf8')).replaceAll(/<[^<>]*>/g, ' ');
    const line = text.replaceAll(/\s+/g, ' ').trim();
    return line === '' ? '' : `: ${line}`;
  } catch {
    return '';
  }
}

/** Values of servers that encode nothing; some name the encoding of the characters. */
const NO_CODING = /^(?:identity|none|utf-?8)?$/;
/** The low four bits of the first byte of a zlib header (RFC 1950): the method `deflate`. */
const ZLIB_METHOD = 8;
const CODINGS = ['gzip', 'x-gzip', 'deflate', 'br'];
/** The most codings that a response may have one after the other: each takes time and memory to undo. */
const MOST_CODINGS = 5;
/**
 * The size of the pieces that a response is decompressed into. With it, a page of 1.7 MB takes 2.1 ms; with
 * Node's own size of 16 kB it takes 4.8 ms (Node 20).
 */
const DECODED_PIECE_BYTES = 65_536;

/**
 * Reads and decompresses a response. The size is limited after each coding, because a small body may hold a
 * huge one.
 */
async function readContent({ headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<Content> {
  const header = [headers['content-encoding']].flat().join(',').toLowerCase();
  const names = header.split(',').map((name) => name.trim());
  const codings = names.filter((name) => !NO_CODING.test(name)).reverse();
  if (codings.length > MOST_CODINGS || !codings.every((name) => CODINGS.includes(name))) {
    body.on('error', () => undefined).destroy();
    const hint = 'vodhouse asks for gzip, deflate or br: check what changes responses on their way (a proxy)';
    const message = `the response has the Content-Encoding ${header}, which vodhouse does not read`;
    throw new RefusedError(message, { fault: 'encoding', hint });
  }
  let content: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new errors.ResponseExceededMaxSizeError();
    content.push(piece);
  }
  for (const coding of codings) {
    const encoded = Buffer.concat(content);
    // some servers send `deflate` without the header of zlib, and browsers accept that
    const hasHeader = (encoded[0] ?? 0) % 16 === ZLIB_METHOD;
    const decode =
      coding === 'br' ? brotliDecompress : coding !== 'deflate' || hasHeader ? unzip : inflateRaw;
    const options = { maxOutputLength: maxBytes, chunkSize: DECODED_PIECE_BYTES };
    content = [await promisify<Buffer, typeof options, Buffer>(decode)(encoded, options)];
  }
  return content;
}
