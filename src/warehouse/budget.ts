/** The request budget of one account: windows that slide, and a ledger that every process shares. */
import { and, asc, count, eq, gt, sql } from 'drizzle-orm';
import type { Clock } from '../lib/clock.ts';
import { toTimestamp } from '../lib/clock.ts';
import { ParkedError } from '../lib/errors.ts';
import type { Db, Tx } from './file.ts';
import { request, type Purpose } from './schema/runs.ts';
import { transact } from './transact.ts';

/** How many requests fit into a sliding window; null for no limit. */
export interface Limits {
  perSecond: number | null;
  perMinute: number | null;
  perDay: number | null;
  /** Longest wait for a place, in milliseconds; what would wait longer is parked. */
  maxWaitMs: number;
}

/** What a request is for; written to the ledger before it is sent. */
export interface RequestNote {
  purpose: Purpose;
  packageId: number | null;
  page: number | null;
  runId: number | null;
  /** How long the request may take, in milliseconds. Until then it may still reach the service. */
  deadlineMs: number;
}

/** What came of a request. */
export interface RequestResult {
  /** HTTP status; null where no answer came. */
  status: number | null;
  /** Size of the content, decompressed; null where none was read. */
  bytes: number | null;
  /** False where it is certain that nothing reached the service: no connection was made. */
  sent: boolean;
}

/** A request that may be sent now. */
export interface Admission {
  answered(result: RequestResult): void;
}

const WINDOWS = [
  { name: 'perSecond', ms: 1_000, words: 'second' },
  { name: 'perMinute', ms: 60_000, words: 'minute' },
  { name: 'perDay', ms: 86_400_000, words: 'day' },
] as const;

/** Another process may free a place at any time: nobody sleeps longer than this without looking again. */
const LOOK_AGAIN_MS = 200;

/**
 * The budget of one account. `admit` resolves once the request is in the ledger and may be sent; it rejects with
 * ParkedError where that would take longer than `maxWaitMs`. Waiting callers are served in their order.
 */
export function createBudget(db: Db, account: string, limits: Limits, clock: Clock) {
  let turn: Promise<unknown> = Promise.resolve();

  async function waitForPlace(note: RequestNote, signal: AbortSignal | undefined): Promise<Admission> {
    const giveUpAt = clock.now() + limits.maxWaitMs;
    for (;;) {
      signal?.throwIfAborted();
      const now = clock.now();
      const attempt = transact(db, (tx) => tryAdmit(tx, account, limits, note, now));
      if ('requestId' in attempt) return admitted(attempt.requestId, now + note.deadlineMs);
      if (attempt.freeAt > giveUpAt && !attempt.inFlight)
        throw parked(account, attempt.words, attempt.freeAt);
      await clock.sleep(Math.min(Math.max(1, attempt.freeAt - now), LOOK_AGAIN_MS), signal);
    }
  }

  function admitted(requestId: number, deadline: number): Admission {
    return { answered: (result) => settle(db, requestId, result, deadline, clock.now()) };
  }

  return {
    admit(note: RequestNote, signal?: AbortSignal): Promise<Admission> {
      const admission = turn.then(() => waitForPlace(note, signal));
      turn = admission.catch(() => undefined);
      return admission;
    },
  };
}

function parked(account: string, words: string, freeAt: number): ParkedError {
  const until = `${toTimestamp(freeAt)} UTC`;
  return new ParkedError(`the budget of account ${account} per ${words} is spent until ${until}`, freeAt);
}

type Attempt = { requestId: number } | { freeAt: number; words: string; inFlight: boolean };

function tryAdmit(tx: Tx, account: string, limits: Limits, note: RequestNote, now: number): Attempt {
  for (const window of WINDOWS) {
    const limit = limits[window.name];
    if (limit === null) continue;
    const used = countSince(tx, account, now - window.ms);
    if (used < limit) continue;
    const oldest = nthSince(tx, account, now - window.ms, used - limit);
    return { freeAt: oldest + window.ms + 1, words: window.words, inFlight: oldest > now };
  }
  return { requestId: insertRequest(tx, account, note, now) };
}

/** How many requests may have reached the service after the moment? */
function countSince(tx: Tx, account: string, ms: number): number {
  const row = tx
    .select({ count: count() })
    .from(request)
    .where(and(eq(request.account, account), gt(request.spent_until_ms, ms)))
    .get();
  return row?.count ?? 0;
}

/** Until when was the n-th request after the moment on its way? */
function nthSince(tx: Tx, account: string, ms: number, n: number): number {
  const row = tx
    .select({ until: request.spent_until_ms })
    .from(request)
    .where(and(eq(request.account, account), gt(request.spent_until_ms, ms)))
    .orderBy(asc(request.spent_until_ms))
    .limit(1)
    .offset(n)
    .get();
  return row?.until ?? ms;
}

function insertRequest(tx: Tx, account: string, note: RequestNote, now: number): number {
  return tx
    .insert(request)
    .values({
      account,
      at_ms: now,
      purpose: note.purpose,
      run_id: note.runId,
      package_id: note.packageId,
      page: note.page,
      spent_until_ms: now + note.deadlineMs,
    })
    .returning({ id: request.request_id })
    .get().id;
}

/** A request that was sent and never answered may reach the service until its deadline. */
function settle(db: Db, requestId: number, result: RequestResult, deadline: number, now: number): void {
  const mayStillArrive = result.sent && result.status === null;
  db.update(request)
    .set({
      answered_at_ms: result.status === null ? null : now,
      duration_ms: sql`${now} - ${request.at_ms}`,
      status: result.status,
      bytes: result.bytes,
      spent_until_ms: mayStillArrive ? deadline : now,
    })
    .where(eq(request.request_id, requestId))
    .run();
}
