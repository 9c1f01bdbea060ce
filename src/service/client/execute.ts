/** Sends one request until it is answered, rejected, or has used up its attempts. */
import type { LimitFunction } from 'p-limit';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { errorMessage, RefusedError, TransientError } from '../../lib/errors.ts';
import { redact } from '../../lib/redact.ts';
import type { Budget, Purpose, RequestEntry, Restriction } from '../../budget/request-budget.ts';
import type { WithReceivedAt } from './parse-response.ts';
import { retryDelay, type RetryPolicy } from './retry.ts';
import { send, type Content } from './transport.ts';

/** What a request is for. An aborted signal ends it. */
export interface RequestContext {
  purpose: Purpose;
  runId: number | null;
  signal?: AbortSignal | undefined;
  /**
   * Called before a failed attempt is repeated: resolves when it may be, or throws the error that the request
   * ends with.
   */
  beforeRetry?: ((failure: unknown) => Promise<void>) | undefined;
}

/** One HTTP request, and what it is about. */
export interface ApiRequest {
  context: RequestContext;
  url: URL;
  headers: Record<string, string>;
  /** For messages: the account, and the package and page or the days. */
  account: string;
  target: string;
  packageId: number | null;
  page: number | null;
}

/** What all requests of one account share. */
export interface Connection {
  agent: Dispatcher;
  /** Bounds the attempts in flight. */
  inFlight: LimitFunction;
  budget: Budget;
  clock: Clock;
  /** Takes the `Date` of each response, in milliseconds since 1970; null if it is missing or unreadable. */
  onDated: (dateMs: number | null) => void;
  /** Milliseconds for one complete attempt. */
  deadlineMs: number;
  /** Bytes of decompressed content. */
  maxBytes: number;
  retry: RetryPolicy;
  /** From 0 to 1, for jitter. */
  random: () => number;
  /** Called after each attempt. */
  onSent: (sent: SentRequest) => void;
  /** Texts that no message may hold. */
  secrets: readonly string[];
}

/** An attempt, and how it ended. */
export interface SentRequest extends Pick<RequestEntry, 'purpose' | 'runId' | 'packageId' | 'page'> {
  /** HTTP status; null without a response. */
  status: number | null;
  /** Size of the content, decompressed; null if none was read. */
  bytes: number | null;
  durationMs: number;
}

/** How long an attempt in flight may continue after the signal has aborted, in milliseconds. */
const GRACE_MS = 4_000;

const SLOW_PAGE_HINT = 'if this happens again, ask for smaller pages: lower page_size';

/** Characters of an error message that are kept. */
const MESSAGE_LENGTH = 300;

type AttemptResult<T> = { answer: WithReceivedAt<T> } | { failure: unknown; pauseMs: number };

/** Reads the content of a response. Throws TransientError, RefusedError. */
type Read<T> = (content: Content) => T;

/**
 * Sends the request and reads the response. Throws TransientError (attempts used up), RefusedError,
 * ParkedError.
 */
export async function execute<T>(
  connection: Connection,
  request: ApiRequest,
  read: Read<T>,
): Promise<WithReceivedAt<T>> {
  for (let count = 1; ; count++) {
    const result = await connection.inFlight(() => attempt(connection, request, read, count));
    if ('answer' in result) return result.answer;
    await request.context.beforeRetry?.(result.failure);
    if (result.pauseMs > 0) await connection.clock.sleep(result.pauseMs, request.context.signal);
  }
}

/**
 * Makes one attempt; `count` is its number, from 1 up. Any answer may ask to wait, also one that is used,
 * where the time that it names is still to come.
 */
async function attempt<T>(
  { agent, budget, clock, deadlineMs, maxBytes, retry, random, secrets, onDated, onSent }: Connection,
  request: ApiRequest,
  read: Read<T>,
  count: number,
): Promise<AttemptResult<T>> {
  const { url, headers, packageId, page, target } = request;
  const { purpose, runId, signal } = request.context;
  const about = { purpose, runId, packageId, page };
  const admission = await budget.admit({ ...about, deadlineMs }, signal);
  const now = clock.now();
  const hideSecrets = (text: string) => redact(text, secrets);
  const limits = { deadlineMs, maxBytes, graceMs: GRACE_MS };
  const outcome = await send(agent, { url, headers, signal, now, hideSecrets, ...limits });
  const { result, status, bytes, dateMs, retryAfterMs: waitMs } = outcome;
  const answeredAt = clock.now();
  let restriction: Restriction | null = null;
  try {
    onSent({ ...about, status, bytes, durationMs: answeredAt - now });
    if ('error' in result) throw result.error;
    onDated(dateMs);
    const answer = { ...read(result.content), answeredAt };
    if (waitMs) restriction = { waitMs, reason: `${target}: the answer asks to wait`, served: true };
    return { answer };
  } catch (error) {
    const failure = withTarget(error, request, secrets);
    const fault = failure instanceof TransientError ? failure.fault : null;
    if (waitMs !== null || status === 429 || fault === 'restricted')
      restriction = { waitMs, reason: describeFailure(target, error, secrets), served: false };
    // not repeated, because a person waits for the answer
    if (purpose === 'check' && fault === 'connection') throw failure;
    const pauseMs = retryDelay(failure, count, random(), retry, restriction !== null);
    if (pauseMs === null) throw failure;
    return { failure, pauseMs };
  } finally {
    admission.answered(outcome, restriction);
  }
}

/** The same error, with account and target before its message, and without secrets. */
function withTarget(
  error: unknown,
  { account, target, page }: ApiRequest,
  secrets: readonly string[],
): unknown {
  if (!(error instanceof TransientError || error instanceof RefusedError)) return error;
  const message = describeFailure(`account ${account}, ${target}`, error, secrets);
  const { fault, status, code } = error;
  const hint = error.hint ?? (fault === 'timeout' && page !== null ? SLOW_PAGE_HINT : undefined);
  const options = { fault, status, hint, code: code && redact(code, secrets) };
  return error instanceof TransientError
    ? new TransientError(message, options)
    : new RefusedError(message, options);
}

/** Secrets are removed before the text is shortened: a truncated secret would not be found. */
function describeFailure(subject: string, error: unknown, secrets: readonly string[]): string {
  const text = redact(`${subject}: ${errorMessage(error)}`, secrets);
  return text.length > MESSAGE_LENGTH ? `${text.slice(0, MESSAGE_LENGTH)}…` : text;
}
