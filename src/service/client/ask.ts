/** Asks one question until it is answered, refused, or has cost its attempts. */
import type { LimitFunction } from 'p-limit';
import type { Agent } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { messageOf, RefusedError, TransientError } from '../../lib/errors.ts';
import { redact } from '../../lib/redact.ts';
import type { Admission, Budget, RequestNote } from './budget.ts';
import type { Answered } from './client.ts';
import type { Question } from './questions.ts';
import type { Quiet } from './quiet.ts';
import { retryDelay, type RetryPolicy } from './retry.ts';
import type { Room, Rooms } from './room.ts';
import { send } from './transport.ts';

/** What all questions of one account share. */
export interface Connection {
  agent: Agent;
  rooms: Rooms;
  /** Bounds the attempts under way at a time. */
  inFlight: LimitFunction;
  budget: Budget;
  quiet: Quiet;
  clock: Clock;
  /** Milliseconds for one whole attempt, and bytes of decompressed content. */
  deadlineMs: number;
  maxBytes: number;
  retry: RetryPolicy;
  random: () => number;
  /** Texts that no message may hold. */
  secrets: readonly string[];
}

/** How long an attempt under way may go on once the work is to end, in milliseconds. */
const GRACE_MS = 4_000;

/** Of what the service says, at most so many characters are told. */
const MESSAGE_LENGTH = 300;

type Tried<T> = { answer: Answered<T> } | { pauseMs: number };

/** Reads the content of an answer, which is good until then only. Throws TransientError, RefusedError. */
type Read<T> = (content: Buffer) => T | Promise<T>;

/** Asks, and reads the answer. Throws TransientError (attempts spent), RefusedError, ParkedError. */
export async function ask<T>(
  connection: Connection,
  question: Question,
  read: Read<T>,
): Promise<Answered<T>> {
  for (let count = 1; ; count++) {
    const tried = await connection.inFlight(() => attempt(connection, question, read, count));
    if ('answer' in tried) return tried.answer;
    if (tried.pauseMs > 0) await connection.clock.sleep(tried.pauseMs, question.asking.signal);
  }
}

/** A pause that concerns the whole account begins in here, before the next in line has its turn. */
async function attempt<T>(
  connection: Connection,
  question: Question,
  read: Read<T>,
  count: number,
): Promise<Tried<T>> {
  const room = connection.rooms.take();
  try {
    const content = await exchange(connection, question, room);
    const answeredAt = connection.clock.now();
    return { answer: { ...(await read(content)), answeredAt } };
  } catch (error) {
    return { pauseMs: pauseAfter(connection, question, error, count) };
  } finally {
    room.giveBack();
  }
}

async function exchange(connection: Connection, question: Question, room: Room): Promise<Buffer> {
  const { agent, clock, deadlineMs, maxBytes } = connection;
  const { asking, url, headers, packageId, page } = question;
  const note = { purpose: asking.purpose, runId: asking.runId, packageId, page, deadlineMs };
  const admission = await admit(connection, note, asking.signal);
  const limits = { deadlineMs, maxBytes, graceMs: GRACE_MS };
  const outcome = await send(agent, room, {
    url,
    headers,
    ...limits,
    now: clock.now(),
    signal: asking.signal,
  });
  admission.answered(outcome);
  if ('error' in outcome.result) throw outcome.result.error;
  return outcome.result.content;
}

/** A place in the budget, outside of a pause: one that began while the place was waited for gives it back. */
async function admit(
  { quiet, budget }: Connection,
  note: RequestNote,
  signal: AbortSignal | undefined,
): Promise<Admission> {
  for (;;) {
    await quiet.keep(signal);
    const admission = await budget.admit(note, signal);
    if (!quiet.isKept()) return admission;
    admission.answered({ status: null, bytes: null, sent: false });
  }
}

/** Milliseconds before the next attempt; throws where there is none. */
function pauseAfter(
  { retry, random, quiet, secrets }: Connection,
  { where }: Question,
  error: unknown,
  count: number,
): number {
  const delay = retryDelay(error, count, random(), retry);
  const isPauseOfAll = isAskedToWait(error);
  if (isPauseOfAll) quiet.begin(delay ?? error.retryAfterMs ?? 0);
  if (delay === null) throw located(error, where, secrets);
  return isPauseOfAll ? 0 : delay;
}

function isAskedToWait(error: unknown): error is TransientError {
  return error instanceof TransientError && (error.status === 429 || error.retryAfterMs !== undefined);
}

/** The same error with the place in front, and without the key wherever it came from: half of one would stay. */
function located(error: unknown, where: string, secrets: readonly string[]): unknown {
  const message = shorten(redact(`${where}: ${messageOf(error)}`, secrets));
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
