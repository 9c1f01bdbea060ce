/** One attempt over HTTP: one deadline, a limit on the size, no redirects. */
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { request, type Dispatcher } from 'undici';
import { errorCode, errorMessage, RefusedError, TransientError } from '../../lib/errors.ts';
import { proxyHost, type Proxy } from '../../lib/http/proxy.ts';
import { toProxyFailure, toProxyRefusal } from '../../lib/http/proxy-failure.ts';
import { toTlsFailure, type Peer } from '../../lib/http/tls-failure.ts';
import { speaksTls, toPlainHttpFailure } from '../../lib/http/tls-probe.ts';
import type { RequestResult } from '../../lib/request-budget.ts';
import { errorPageText } from './error-page-text.ts';
import { retryAfterMs } from './retry.ts';
import type { PooledBuffer } from './buffer-pool.ts';

interface HttpAttempt {
  /** Takes the secrets out of a text of the service. */
  hideSecrets: (text: string) => string;
  url: URL;
  headers: Record<string, string>;
  /** The proxy that the agent sends it to; null for none. */
  proxy: Proxy | null;
  /** There was no response from this address before: it may be misunderstood. */
  isFirst: boolean;
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
  /** The `Date` of the response in milliseconds since 1970 (null: missing or unreadable), and its `Age`. */
  dateMs: number | null;
  ageMs: number;
  /** The content is valid until its buffer is released. */
  result: { content: Buffer } | { error: unknown };
}

const NEVER_SENT = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_INVALID_ARG'],
]);
const ERROR_TEXT_BYTES = 65_536;

/** Sends one GET and reads its response into the buffer. Never throws: an error is part of the outcome. */
export async function send(
  agent: Dispatcher,
  buffer: PooledBuffer,
  attempt: HttpAttempt,
): Promise<AttemptOutcome> {
  const outcome: AttemptOutcome = {
    status: null,
    bytes: null,
    sent: true,
    dateMs: null,
    ageMs: 0,
    result: { error: null },
  };
  const { signal, clear } = createAttemptSignal(attempt);
  try {
    const answer = await request(attempt.url, {
      dispatcher: agent,
      headers: { accept: 'application/json', 'accept-encoding': 'gzip, deflate, br', ...attempt.headers },
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    outcome.status = answer.statusCode;
    outcome.dateMs = readDate(answer.headers.date);
    outcome.ageMs = readSeconds(answer.headers.age) * 1000;
    const content = await readAnswer(answer, attempt, buffer);
    outcome.bytes = content.length;
    outcome.result = { content };
  } catch (error) {
    outcome.sent = outcome.status !== null || signal.aborted || wasSent(error);
    const failure = signal.aborted ? (signal.reason as unknown) : toServiceError(error, outcome, attempt);
    const isForTls = !signal.aborted && mayBeForTls(outcome, attempt) && (await speaksTls(attempt.url));
    outcome.result = { error: isForTls ? toPlainHttpFailure(toPeer(attempt.url)) : failure };
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

/** Before a response: an error of the proxy, or of a connection that was not opened, says that nothing was sent. */
function wasSent(error: unknown): boolean {
  return !isOwn(error) && !NEVER_SENT.has(errorCode(error));
}

function isOwn(error: unknown): boolean {
  return error instanceof TransientError || error instanceof RefusedError;
}

/** A service behind TLS closes a plain connection, or answers 400. */
function mayBeForTls({ sent, status }: AttemptOutcome, { url, proxy, isFirst }: HttpAttempt): boolean {
  const isPlain = url.protocol === 'http:' && proxy === null;
  return isFirst && isPlain && sent && (status === null || status === 400);
}

function toServiceError(error: unknown, { status }: AttemptOutcome, attempt: HttpAttempt): unknown {
  if (isOwn(error)) return error;
  if (status !== null) {
    const message = `the response broke off (${errorMessage(error)})`;
    return new TransientError(message, { fault: 'truncated', cause: error });
  }
  if (errorCode(error) === 'UND_ERR_INVALID_ARG') {
    return new RefusedError('the request cannot be made: the key does not fit into a header', {
      fault: 'final',
      hint: 'use `auth: query`, or a key of plain characters',
    });
  }
  const forwarder = getForwarder(attempt);
  if (forwarder) return toProxyFailure(error, forwarder);
  const tlsFailure = toTlsFailure(error, toPeer(attempt.url));
  if (tlsFailure) return tlsFailure;
  return new TransientError(`no connection (${errorMessage(error)})`, { fault: 'connection', cause: error });
}

/** The service as the other end of a connection. */
function toPeer({ host }: URL): Peer {
  return { prefix: '', host, setting: 'base_url' };
}

/** The proxy at the other end of the connection, where there is no tunnel through it. */
function getForwarder({ url, proxy }: HttpAttempt): Proxy | null {
  return url.protocol === 'http:' ? proxy : null;
}

async function readAnswer(
  answer: Dispatcher.ResponseData,
  attempt: HttpAttempt,
  buffer: PooledBuffer,
): Promise<Buffer> {
  const { statusCode: status, headers, body } = answer;
  const encoding = String(headers['content-encoding'] ?? '');
  if (status >= 200 && status < 300) return readContent(body, encoding, attempt.maxBytes, buffer);
  if (status >= 300 && status < 400) {
    await body.dump();
    const host = redirectHost(headers.location, attempt.url);
    const hint = 'name the address it redirects to as base_url, if you trust it';
    const message = `the service redirects to ${host}; redirects are not followed`;
    throw new RefusedError(message, { fault: 'redirect', status, hint });
  }
  const forwarder = getForwarder(attempt);
  if (status === 407 && forwarder) {
    await body.dump();
    const authenticate = String(headers['proxy-authenticate'] ?? '');
    throw toProxyRefusal({ status, authenticate }, forwarder, attempt.url.host);
  }
  const by = forwarder ? ` (by the proxy ${proxyHost(forwarder)})` : '';
  const message = `the service${by} answered ${status}${await readErrorText(body, encoding, buffer, attempt.hideSecrets)}`;
  if (status === 408 || status === 429 || status >= 500) {
    const wait = retryAfterMs(headers['retry-after'], readDate(headers.date) ?? attempt.now);
    throw new TransientError(message, { fault: 'status', status, retryAfterMs: wait });
  }
  throw new RefusedError(message, { fault: 'status', status });
}

/** Milliseconds since 1970 of a `Date` header; null if it is missing or unreadable. */
function readDate(header: string | string[] | undefined): number | null {
  const date = Date.parse([header].flat()[0] ?? '');
  return Number.isNaN(date) ? null : date;
}

function readSeconds(header: string | string[] | undefined): number {
  const text = [header].flat()[0] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Only the host: the rest of the address may hold the key. */
function redirectHost(location: string | string[] | undefined, base: URL): string {
  const target = [location].flat()[0] ?? '';
  return URL.canParse(target, base.href) ? new URL(target, base).host : 'an unreadable address';
}

/** The text of an error page. The key is taken out before tags and spaces are, which it may look like. */
async function readErrorText(
  body: Readable,
  encoding: string,
  buffer: PooledBuffer,
  hideSecrets: HttpAttempt['hideSecrets'],
): Promise<string> {
  try {
    const content = await readContent(body, encoding, ERROR_TEXT_BYTES, buffer);
    const text = errorPageText(hideSecrets(content.toString('utf8')));
    return text === '' ? '' : `: ${text}`;
  } catch {
    return '';
  }
}

function createDecoder(encoding: string) {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  return null;
}

/** Counts decompressed bytes while they stream: a small body may hold a very large one. */
async function readContent(
  body: Readable,
  encoding: string,
  maxBytes: number,
  buffer: PooledBuffer,
): Promise<Buffer> {
  const decoder = createDecoder(encoding.trim().toLowerCase());
  const source: Readable = decoder ? pipeline(body, decoder, () => undefined) : body;
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    if (bytes + chunk.length > maxBytes) {
      body.destroy();
      throw new RefusedError(`the response is larger than ${maxBytes} bytes`, {
        fault: 'too_large',
        hint: 'ask for smaller pages: lower page_size',
      });
    }
    bytes = buffer.append(chunk, bytes);
  }
  return buffer.content(bytes);
}
