/** Asks the service: both operations of service.md 4, within the budget, with retries. */
import pLimit from 'p-limit';
import { Agent } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { ParkedError, RefusedError, TransientError, messageOf } from '../../lib/errors.ts';
import { redact } from '../../lib/redact.ts';
import { STORAGE_PATH } from '../storage.ts';
import { VIDEO_LIST_PATH, type SortDirection } from '../videos.ts';
import { readStorageDays, readVideoPage, type Codes, type StorageDays, type VideoPage } from './answers.ts';
import type { Admission, Budget, Purpose, RequestNote } from './budget.ts';
import { createRooms } from './room.ts';
import { RETRY_POLICY, retryDelay, type RetryPolicy } from './retry.ts';
import { send } from './transport.ts';

/** What the client must know of an account. */
export interface ServiceAccount {
  name: string;
  videoList: { baseUrl: string; key: string };
  /** `auth` says where the key goes; service.md 5 does not show it. */
  storage: { baseUrl: string; auth: 'none' | 'query' | { header: string }; key: string } | null;
  /** Requests in flight at most. */
  concurrency: number;
  /** Longest pause that a run waits out, in milliseconds. */
  maxWaitMs: number;
  codes: Codes;
}

export interface ClientOptions {
  account: ServiceAccount;
  budget: Budget;
  clock: Clock;
  /** Milliseconds for one whole attempt. */
  deadlineMs?: number;
  /** Bytes of decompressed content. */
  maxBytes?: number;
  retry?: RetryPolicy;
  /** From 0 to 1, for jitter. */
  random?: () => number;
}

/** On whose behalf a request is made. */
export interface Asking {
  purpose: Purpose;
  runId: number | null;
  signal?: AbortSignal | undefined;
}

/** One page of one package, sorted by id. `pageSize` is asked for; the answer says which is in effect. */
export interface PageRequest extends Asking {
  packageId: number;
  page: number;
  pageSize: number;
  direction?: SortDirection;
}

/** An answer, and when it was there in milliseconds since 1970. */
export type Answered<T> = T & { answeredAt: number };

export interface ServiceClient {
  /** Service.md 4.1. Throws TransientError (retries spent), RefusedError, ParkedError. */
  videoPage(request: PageRequest): Promise<Answered<VideoPage>>;
  /** Service.md 4.2, days `yyyy-mm-dd`, both included. Throws as above. */
  storageDays(request: Asking & { from: string; to: string }): Promise<Answered<StorageDays>>;
  close(): Promise<void>;
}

/** How long an attempt under way may go on once the work is to end, in milliseconds. */
const GRACE_MS = 4_000;

interface Question {
  asking: Asking;
  url: URL;
  headers: Record<string, string>;
  /** Whom and what it is about, for messages. */
  where: string;
  packageId: number | null;
  page: number | null;
}

/** Creates the client of one account; its connections are kept open between requests. */
export function createServiceClient(options: ClientOptions): ServiceClient {
  const { account, budget, clock } = options;
  const {
    deadlineMs = 30_000,
    maxBytes = 32 * 1024 * 1024,
    retry = RETRY_POLICY,
    random = Math.random,
  } = options;
  const agent = new Agent({
    connections: account.concurrency,
    connect: { timeout: 10_000 },
    keepAliveTimeout: 30_000,
  });
  const rooms = createRooms();
  const inFlight = pLimit(account.concurrency);
  const secrets = [account.videoList.key, account.storage?.key ?? ''];
  let quietUntil = 0;

  /** A service that asks this account to wait is asked nothing else meanwhile. */
  async function keepQuiet(signal: AbortSignal | undefined): Promise<void> {
    for (let wait; (wait = quietUntil - clock.now()) > 0;) {
      if (wait > account.maxWaitMs) throw new ParkedError(waitWords(account.name, quietUntil), quietUntil);
      await clock.sleep(wait, signal);
    }
  }

  /** A place in the budget, outside of a pause: one that began while the place was waited for gives it back. */
  async function admit(note: RequestNote, signal: AbortSignal | undefined): Promise<Admission> {
    for (;;) {
      await keepQuiet(signal);
      const admission = await budget.admit(note, signal);
      if (quietUntil <= clock.now()) return admission;
      admission.answered({ status: null, bytes: null, sent: false });
    }
  }

  async function attempt<T>(question: Question, read: (text: string) => T): Promise<Answered<T>> {
    const { asking, url, headers, packageId, page } = question;
    const note = { purpose: asking.purpose, runId: asking.runId, packageId, page, deadlineMs };
    const admission = await admit(note, asking.signal);
    const limits = { deadlineMs, maxBytes, graceMs: GRACE_MS };
    const outcome = await send(agent, rooms, {
      url,
      headers,
      ...limits,
      now: clock.now(),
      signal: asking.signal,
    });
    admission.answered(outcome);
    if ('error' in outcome.result) throw outcome.result.error;
    return { ...read(outcome.result.text), answeredAt: clock.now() };
  }

  /** Gives the pause before the next attempt; throws where there is none. */
  function pauseAfter(error: unknown, count: number, where: string): number {
    const delay = retryDelay(error, count, random(), retry);
    const isPauseOfAll = isAskedToWait(error);
    if (isPauseOfAll) {
      quietUntil = Math.max(quietUntil, clock.now() + (delay ?? error.retryAfterMs ?? 0));
    }
    if (delay === null) throw located(error, where, secrets);
    return isPauseOfAll ? 0 : delay;
  }

  async function ask<T>(question: Question, read: (text: string) => T): Promise<Answered<T>> {
    for (let count = 1; ; count++) {
      const answer = await inFlight(async () => {
        try {
          return await attempt(question, read);
        } catch (error) {
          return pauseAfter(error, count, question.where); // in here: the next in line must know of it
        }
      });
      if (typeof answer !== 'number') return answer;
      if (answer > 0) await clock.sleep(answer, question.asking.signal);
    }
  }

  return {
    videoPage: (request) => ask(pageQuestion(account, request), (text) => readVideoPage(text, account.codes)),
    storageDays: (request) =>
      ask(storageQuestion(account, request), (text) => readStorageDays(text, account.codes)),
    close: () => agent.destroy(),
  };
}

function isAskedToWait(error: unknown): error is TransientError {
  return error instanceof TransientError && (error.status === 429 || error.retryAfterMs !== undefined);
}

function waitWords(account: string, until: number): string {
  return `the service asked account ${account} to wait until ${toTimestamp(until)} UTC`;
}

function pageQuestion(account: ServiceAccount, request: PageRequest): Question {
  const { packageId, page, pageSize, direction = 'asc' } = request;
  const url = new URL(account.videoList.baseUrl + VIDEO_LIST_PATH);
  const query = { pkg: packageId, sort_item: 'id', sort_direction: direction, pagesize: pageSize, page };
  url.searchParams.set('key', account.videoList.key);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const where = `account ${account.name}, package ${packageId}, page ${page}`;
  return { asking: request, url, headers: {}, where, packageId, page };
}

function storageQuestion(account: ServiceAccount, request: Asking & { from: string; to: string }): Question {
  if (!account.storage) throw new RangeError(`account ${account.name} has no storage statistics`);
  const { baseUrl, auth, key } = account.storage;
  const url = new URL(baseUrl + STORAGE_PATH);
  url.searchParams.set('sdate', request.from);
  url.searchParams.set('edate', request.to);
  url.searchParams.set('sort_direction', 'asc');
  if (auth === 'query') url.searchParams.set('key', key);
  const headers = typeof auth === 'object' ? { [auth.header]: key } : {};
  const where = `account ${account.name}, storage ${request.from} to ${request.to}`;
  return { asking: request, url, headers, where, packageId: null, page: null };
}

/** Of what the service says, at most so many characters are told. */
const MESSAGE_LENGTH = 300;

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
