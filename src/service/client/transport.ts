/** One attempt over HTTP: a deadline over all of it, a cap on what is read, no redirects. */
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { request, type Agent, type Dispatcher } from 'undici';
import { errorMessage, RefusedError, TransientError } from '../../lib/errors.ts';
import { errorPageText } from './error-page-text.ts';
import { retryAfterMs } from './retry.ts';
import type { PooledBuffer } from './buffer-pool.ts';

export interface Attempt {
  url: URL;
  headers: Record<string, string>;
  /** Milliseconds for the whole attempt: connecting, waiting, reading. */
  deadlineMs: number;
  /** Bytes of decompressed content. */
  maxBytes: number;
  now: number;
  /** The work is to end: an attempt under way may still take `graceMs`. */
  signal: AbortSignal | undefined;
  graceMs: number;
}

/** What one attempt came to; the error is for whoever decides about retrying. */
export interface Outcome {
  status: number | null;
  bytes: number | null;
  sent: boolean;
  /** The `Date` of the answer in milliseconds since 1970 (null: none that can be read), and its `Age`. */
  dateMs: number | null;
  ageMs: number;
  /** The content is good until its room is given back. */
  result: { content: Buffer } | { error: unknown };
}

const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
]);
const ERROR_SNIPPET_BYTES = 65_536;

/** Sends one GET and reads its answer into the room. Never throws: what went wrong is in the outcome. */
export async function send(agent: Agent, room: PooledBuffer, attempt: Attempt): Promise<Outcome> {
  const undated = { dateMs: null, ageMs: 0 };
  const outcome: Outcome = { status: null, bytes: null, sent: true, ...undated, result: { error: null } };
  const ending = createEnding(attempt);
  try {
    const answer = await request(attempt.url, {
      dispatcher: agent,
      headers: { accept: 'application/json', 'accept-encoding': 'gzip, deflate, br', ...attempt.headers },
      signal: ending.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    outcome.status = answer.statusCode;
    outcome.dateMs = readDate(answer.headers.date);
    outcome.ageMs = readSeconds(answer.headers.age) * 1000;
    const content = await readAnswer(answer, attempt, room);
    outcome.bytes = content.length;
    outcome.result = { content };
  } catch (error) {
    outcome.sent = !NEVER_SENT.has(codeOf(error));
    outcome.result = { error: ending.explain(error) ?? asTransient(error, outcome.status !== null) };
  } finally {
    ending.clear();
  }
  return outcome;
}

/** Ends the attempt at its deadline, or a little after the caller's signal, and tells which of the two it was. */
function createEnding({ deadlineMs, signal, graceMs }: Attempt) {
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
      return new TransientError(`no whole answer within ${deadlineMs / 1000} s`, {
        fault: 'timeout',
        cause: error,
      });
    },
  };
}

function codeOf(error: unknown): string {
  return (error as { code?: string } | null)?.code ?? '';
}

function asTransient(error: unknown, duringBody: boolean): unknown {
  if (error instanceof TransientError || error instanceof RefusedError) return error;
  if (duringBody) {
    return new TransientError(`the answer broke off (${wordsOf(error)})`, {
      fault: 'truncated',
      cause: error,
    });
  }
  if (codeOf(error) === 'UND_ERR_INVALID_ARG') {
    return new RefusedError('the request cannot be made: the key does not fit into a header', {
      fault: 'final',
      hint: 'use `auth: query`, or a key of plain characters',
    });
  }
  return new TransientError(`no connection (${wordsOf(error)})`, { fault: 'connection', cause: error });
}

/** Of a name with several addresses each one has failed, and the error around them says nothing. */
function wordsOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(errorMessage).join(', ') : errorMessage(error);
}

async function readAnswer(
  answer: Dispatcher.ResponseData,
  attempt: Attempt,
  room: PooledBuffer,
): Promise<Buffer> {
  const { statusCode: status, headers, body } = answer;
  const encoding = String(headers['content-encoding'] ?? '');
  if (status >= 200 && status < 300) return readContent(body, encoding, attempt.maxBytes, room);
  if (status >= 300 && status < 400) {
    await body.dump();
    throw new RefusedError(
      `the service redirects to ${hostOf(headers.location, attempt.url)}; redirects are not followed`,
      {
        fault: 'redirect',
        status,
        hint: 'name the address it redirects to as base_url, if you trust it',
      },
    );
  }
  const message = `the service answered ${status}${await snippet(body, encoding, room)}`;
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

/** The host alone: the rest of the address may hold the key. */
function hostOf(location: string | string[] | undefined, base: URL): string {
  const target = [location].flat()[0] ?? '';
  return URL.canParse(target, base.href) ? new URL(target, base).host : 'an unreadable address';
}

/** What an error page says, whole: only who takes the key out of it may shorten it. */
async function snippet(body: Readable, encoding: string, room: PooledBuffer): Promise<string> {
  try {
    const content = await readContent(body, encoding, ERROR_SNIPPET_BYTES, room);
    const words = errorPageText(content.toString('utf8'));
    return words === '' ? '' : `: ${words}`;
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
  room: PooledBuffer,
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
    bytes = room.append(chunk, bytes);
  }
  return room.content(bytes);
}
