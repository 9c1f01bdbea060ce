/** One attempt over HTTP: one deadline, a limit on the size, no redirects. */
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { request, type Agent, type Dispatcher } from 'undici';
import { errorCode, errorMessage, RefusedError, TransientError } from '../../lib/errors.ts';
import { errorPageText } from './error-page-text.ts';
import { retryAfterMs } from './retry.ts';
import type { PooledBuffer } from './buffer-pool.ts';

export interface HttpAttempt {
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
export interface AttemptOutcome {
  status: number | null;
  bytes: number | null;
  sent: boolean;
  /** The `Date` of the answer in milliseconds since 1970 (null: missing or unreadable), and its `Age`. */
  dateMs: number | null;
  ageMs: number;
  /** The content is valid until its buffer is released. */
  result: { content: Buffer } | { error: unknown };
}

const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
]);
const ERROR_TEXT_BYTES = 65_536;

/** Sends one GET and reads its answer into the buffer. Never throws: an error is part of the outcome. */
export async function send(
  agent: Agent,
  buffer: PooledBuffer,
  attempt: HttpAttempt,
): Promise<AttemptOutcome> {
  const undated = { dateMs: null, ageMs: 0 };
  const outcome: AttemptOutcome = {
    status: null,
    bytes: null,
    sent: true,
    ...undated,
    result: { error: null },
  };
  const abort = createAttemptSignal(attempt);
  try {
    const answer = await request(attempt.url, {
      dispatcher: agent,
      headers: { accept: 'application/json', 'accept-encoding': 'gzip, deflate, br', ...attempt.headers },
      signal: abort.signal,
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
    outcome.sent = !NEVER_SENT.has(errorCode(error));
    outcome.result = { error: abort.explain(error) ?? toServiceError(error, outcome.status !== null) };
  } finally {
    abort.clear();
  }
  return outcome;
}

/** Aborts the attempt at its deadline, or a little after the caller's signal; `explain` tells which of the two it was. */
function createAttemptSignal({ deadlineMs, signal, graceMs }: HttpAttempt) {
  const controller = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, deadlineMs);
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    grace = setTimeout(() => controller.abort(), graceMs);
  };
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      clearTimeout(grace);
      signal?.removeEventListener('abort', stop);
    },
    explain: (error: unknown): unknown => {
      if (!controller.signal.aborted) return null;
      if (!late) return signal?.reason;
      return new TransientError(`no complete answer within ${deadlineMs / 1000} s`, {
        fault: 'timeout',
        cause: error,
      });
    },
  };
}

function toServiceError(error: unknown, duringBody: boolean): unknown {
  if (error instanceof TransientError || error instanceof RefusedError) return error;
  if (duringBody) {
    return new TransientError(`the answer broke off (${failureText(error)})`, {
      fault: 'truncated',
      cause: error,
    });
  }
  if (errorCode(error) === 'UND_ERR_INVALID_ARG') {
    return new RefusedError('the request cannot be made: the key does not fit into a header', {
      fault: 'final',
      hint: 'use `auth: query`, or a key of plain characters',
    });
  }
  return new TransientError(`no connection (${failureText(error)})`, { fault: 'connection', cause: error });
}

/** For a host with several addresses, Node wraps their errors in one that has no message. */
function failureText(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(errorMessage).join(', ') : errorMessage(error);
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
    throw new RefusedError(
      `the service redirects to ${redirectHost(headers.location, attempt.url)}; redirects are not followed`,
      {
        fault: 'redirect',
        status,
        hint: 'name the address it redirects to as base_url, if you trust it',
      },
    );
  }
  const message = `the service answered ${status}${await readErrorText(body, encoding, buffer)}`;
  if (status === 408 || status === 429 || status >= 500) {
    const wait = retryAfterMs(headers['retry-after'], readDate(headers.date) ?? attempt.now);
    throw new TransientError(message, { fault: 'status', status, retryAfterMs: wait });
  }
  throw new RefusedError(message, { fault: 'status', status });
}

/** Milliseconds since 1970 of a `Date` header; null where there is none that can be read. */
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

/** The text of an error page. Not shortened here: the key must be taken out first. */
async function readErrorText(body: Readable, encoding: string, buffer: PooledBuffer): Promise<string> {
  try {
    const content = await readContent(body, encoding, ERROR_TEXT_BYTES, buffer);
    const text = errorPageText(content.toString('utf8'));
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
      throw new RefusedError(`the answer is larger than ${maxBytes} bytes`, {
        fault: 'too_large',
        hint: 'ask for smaller pages: lower page_size',
      });
    }
    bytes = buffer.append(chunk, bytes);
  }
  return buffer.content(bytes);
}
