/** Asks one question until it is answered, refused, or has cost its attempts. */
import type { LimitFunction } from 'p-limit';
import type { Agent } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { errorMessage, RefusedError, TransientError } from '../../lib/errors.ts';
import { redact } from '../../lib/redact.ts';
import type { Admission, Budget } from './budget-port.ts';
import type { WithReceivedAt } from './client.ts';
import type { ApiRequest } from './requests.ts';
import { isRestriction, retryDelay, type RetryPolicy } from './retry.ts';
import type { PooledBuffer, BufferPool } from './buffer-pool.ts';
import type { AnswerDates, DateDoubt } from './service-clock.ts';
import { send } from './transport.ts';

/** What all questions of one account share. */
export interface Connection {
  agent: Agent;
  rooms: BufferPool;
  /** Bounds the attempts under way at a time. */
  inFlight: LimitFunction;
  budget: Budget;
  clock: Clock;
  /** Takes the dates of an answer; gives a doubt where the request is to be sent again, once: see ServiceClock. */
  checkDates: (answer: AnswerDates, doubt: DateDoubt | null) => DateDoubt | null;
  /** Milliseconds for one whole attempt, and bytes of decompressed content. */
  deadlineMs: number;
  maxBytes: number;
  retry: RetryPolicy;
  random: () => number;
  /** Texts that no message may hold. */
  secrets: readonly string[];
  /** The code of the refusal that the last question ended with; null after an answer. */
  lastRefusal: string | null;
}

/** How long an attempt under way may go on once the work is to end, in milliseconds. */
const GRACE_MS = 4_000;

/** Of what the service says, at most so many characters are told. */
const MESSAGE_LENGTH = 300;

/** Before a request whose answer had an odd date is sent again, in milliseconds: dates are of whole seconds. */
const DOUBT_PAUSE_MS = 1_100;

type Tried<T> = { answer: WithReceivedAt<T> } | { pauseMs: number; doubt?: DateDoubt };

/** Which attempt it is, from 1 up, and the doubt about a date that an earlier one had. */
interface Tries {
  count: number;
  doubt: DateDoubt | null;
}

/** Reads the content of an answer, which is good until then only. Throws TransientError, RefusedError. */
type Read<T> = (content: Buffer) => T | Promise<T>;

/** Asks, and reads the answer. Throws TransientError (attempts spent), RefusedError, ParkedError. */
export async function execute<T>(
  connection: Connection,
  question: ApiRequest,
  read: Read<T>,
): Promise<WithReceivedAt<T>> {
  let doubt: DateDoubt | null = null;
  for (let count = 1; ; count++) {
    const tries: Tries = { count, doubt };
    const tried: Tried<T> = await connection.inFlight(() => attempt(connection, question, read, tries));
    if ('answer' in tried) return tried.answer;
    doubt = tried.doubt ?? doubt;
    if (tried.pauseMs > 0) await connection.clock.sleep(tried.pauseMs, question.asking.signal);
  }
}

/** A restriction is noted in here, before the next in line has its turn. */
async function attempt<T>(
  connection: Connection,
  question: ApiRequest,
  read: Read<T>,
  { count, doubt }: Tries,
): Promise<Tried<T>> {
  const admission = await admit(connection, question);
  const room = connection.rooms.take();
  try {
    const exchanged = await exchange(connection, question, admission, room);
    const odd = connection.checkDates(exchanged, doubt);
    if (odd !== null) return { pauseMs: DOUBT_PAUSE_MS, doubt: odd };
    const answeredAt = connection.clock.now();
    const answer = { ...(await read(exchanged.content)), answeredAt };
    connection.lastRefusal = null;
    return { answer };
  } catch (error) {
    const told = located(error, question.where, connection.secrets);
    if (isRestriction(told)) {
      admission.restricted({ waitMs: told.retryAfterMs ?? null, reason: reasonOf(told, question) });
    }
    return { pauseMs: pauseAfter(connection, told, count) };
  } finally {
    room.giveBack();
  }
}

/** What the service said, and to which question; the account is known to whoever reads it. */
function reasonOf({ message }: TransientError, { where }: ApiRequest): string {
  return message.slice(where.indexOf(', ') + 2);
}

function admit({ budget, deadlineMs }: Connection, { asking, packageId, page }: ApiRequest) {
  const { purpose, runId, signal } = asking;
  return budget.admit({ purpose, runId, packageId, page, deadlineMs }, signal);
}

async function exchange(
  { agent, clock, deadlineMs, maxBytes }: Connection,
  { asking, url, headers }: ApiRequest,
  admission: Admission,
  room: PooledBuffer,
): Promise<AnswerDates & { content: Buffer }> {
  const limits = { deadlineMs, maxBytes, graceMs: GRACE_MS };
  const { signal } = asking;
  const sentAt = clock.now();
  const outcome = await send(agent, room, { url, headers, ...limits, now: sentAt, signal });
  admission.answered(outcome);
  if ('error' in outcome.result) throw outcome.result.error;
  const { dateMs, ageMs, result } = outcome;
  const waitedMs = Math.min(deadlineMs, Math.max(0, clock.now() - sentAt));
  return { content: result.content, dateMs, ageMs, waitedMs };
}

/**
 * Milliseconds before the next attempt; throws where there is none. A restriction is waited out in the budget. A code
 * that the question before was refused with, twice, is not asked again: a wrong key must not cost many requests.
 */
function pauseAfter(connection: Connection, error: unknown, count: number): number {
  const { retry, random, lastRefusal } = connection;
  const code = error instanceof RefusedError && error.fault === 'refused' ? (error.code ?? '') : null;
  const isKnown = code !== null && code === lastRefusal;
  const delay = isKnown ? null : retryDelay(error, count, random(), retry);
  if (delay !== null) return isRestriction(error) ? 0 : delay;
  if (code !== null) connection.lastRefusal = code;
  throw error;
}

/** The same error with the place in front, and without the key wherever it came from: half of one would stay. */
function located(error: unknown, where: string, secrets: readonly string[]): unknown {
  const message = shorten(redact(`${where}: ${errorMessage(error)}`, secrets));
  if (error instanceof TransientError) {
    return new TransientError(message, {
      fault: error.fault,
      status: error.status,
      retryAfterMs: error.retryAfterMs,
    });
  }
  if (error instanceof RefusedError) {
    const { fault, status, code, hint } = error;
    return new RefusedError(message, { fault, status, code: code && redact(code, secrets), hint });
  }
  return error;
}

function shorten(text: string): string {
  return text.length > MESSAGE_LENGTH ? `${text.slice(0, MESSAGE_LENGTH)}…` : text;
}
