/** The request budget of one account: windows that slide, and a ledger that every process shares. */
import type { Clock } from '../lib/clock.ts';
import { toTimestamp } from '../lib/clock.ts';
import { ParkedError } from '../lib/errors.ts';
import type { Db } from './file.ts';
import type { Purpose } from './schema/runs.ts';
import {
  prepareCountSince,
  prepareInsertRequest,
  prepareNthSince,
  preparePullBack,
  prepareSettleRequest,
} from './statements/request.ts';
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
 * ParkedError where that would take longer than `maxWaitMs`, not counting the time that only answers are waited for.
 * Waiting callers are served in their order.
 */
export function createBudget(db: Db, account: string, limits: Limits, clock: Clock) {
  const statements = prepareStatements(db);
  let turn: Promise<unknown> = Promise.resolve();

  async function waitForPlace(note: RequestNote, signal: AbortSignal | undefined): Promise<Admission> {
    let giveUpAt = clock.now() + limits.maxWaitMs;
    for (;;) {
      signal?.throwIfAborted();
      const now = clock.now();
      const attempt = transact(db, () => tryAdmit(statements, account, limits, note, now));
      if ('requestId' in attempt) return admitted(attempt.requestId, now + note.deadlineMs);
      if (attempt.inFlight) giveUpAt = now + limits.maxWaitMs;
      else if (attempt.freeAt > giveUpAt) throw parked(account, attempt.words, attempt.freeAt);
      await clock.sleep(Math.min(Math.max(1, attempt.freeAt - now), LOOK_AGAIN_MS), signal);
    }
  }

  /** A request that was sent and never answered may reach the service until its deadline. */
  function admitted(requestId: number, deadline: number): Admission {
    return {
      answered: ({ status, bytes, sent }) => {
        const now = clock.now();
        const spentUntil = sent && status === null ? deadline : now;
        const answeredAt = status === null ? null : now;
        transact(db, () => statements.settle({ requestId, now, answeredAt, status, bytes, spentUntil }));
      },
    };
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

function prepareStatements(db: Db) {
  return {
    countSince: prepareCountSince(db),
    nthSince: prepareNthSince(db),
    insert: prepareInsertRequest(db),
    settle: prepareSettleRequest(db),
    pullBack: preparePullBack(db),
  };
}

type Statements = ReturnType<typeof prepareStatements>;

function tryAdmit(
  { countSince, nthSince, insert, pullBack }: Statements,
  account: string,
  limits: Limits,
  note: RequestNote,
  now: number,
): Attempt {
  for (const window of WINDOWS) {
    const limit = limits[window.name];
    if (limit === null) continue;
    const used = countSince(account, now - window.ms);
    if (used < limit) continue;
    pullBack(account, now + note.deadlineMs);
    const oldest = nthSince(account, now - window.ms, used - limit);
    const inFlight = oldest > now && oldest <= now + note.deadlineMs; // later: the clock went back
    return { freeAt: oldest + window.ms + 1, words: window.words, inFlight };
  }
  const { purpose, runId: run_id, packageId: package_id, page } = note;
  const sent = { account, at_ms: now, spent_until_ms: now + note.deadlineMs };
  return { requestId: insert({ ...sent, purpose, run_id, package_id, page }) };
}
