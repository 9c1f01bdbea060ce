/** The request budget of one account: windows that slide, and a ledger that every process shares. */
import type { Clock } from '../lib/clock.ts';
import { toTimestamp } from '../lib/clock.ts';
import { ParkedError } from '../lib/errors.ts';
import type { Db } from '../database/connection.ts';
import { createPauses, rampShare, type Pause, type Restriction } from './pauses.ts';
import type { Purpose } from '../database/schema/runs.ts';
import { prepareInsertRequest, preparePullBack, prepareSettleRequest } from './statements/request.ts';
import { transact } from '../database/transaction.ts';
import { createWindowCounts, WINDOWS, type Window } from './windows.ts';

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
  /** What came of it. Called once. */
  answered(result: RequestResult): void;
  /** The answer is a sign of restriction: nothing is admitted before its pause is over, in any process. */
  restricted(restriction: Restriction): void;
}

/** Called with why a request waits long, once a wait. */
export type OnWait = (words: string) => void;

/** A wait that is worth a word, in milliseconds. */
const LONG_WAIT_MS = 10_000;
/** Another process may free a place at any time: nobody sleeps longer than this without looking again. */
const LOOK_AGAIN_MS = 200;
/** Whoever only asks whether there is room takes no request for one of a clock that was ahead, but after this. */
const SHORT_DEADLINE_MS = 600_000;
/** A pause is looked at again after this: a machine may sleep meanwhile, and timers know no more than 24 days. */
const LOOK_AT_PAUSE_MS = 600_000;

/**
 * The budget of one account. `admit` resolves once the request is in the ledger and may be sent; it rejects with
 * ParkedError where that would take longer than `maxWaitMs`, not counting the time that only answers are waited for.
 * Waiting callers are served in their order.
 */
export function createBudget(
  db: Db,
  account: string,
  limits: Limits,
  clock: Clock,
  onWait: OnWait = () => undefined,
) {
  const ledger = createLedger(db, account);
  let turn: Promise<unknown> = Promise.resolve();
  let lastWarnedUntil = 0;

  /** Whoever waits long is told once why. */
  function tell(untilMs: number, words: string): void {
    if (untilMs <= lastWarnedUntil) return;
    lastWarnedUntil = untilMs;
    onWait(words);
  }

  async function waitForPlace(note: RequestNote, signal: AbortSignal | undefined): Promise<Admission> {
    let giveUpAt = clock.now() + limits.maxWaitMs;
    for (;;) {
      signal?.throwIfAborted();
      const now = clock.now();
      const attempt = transact(db, () => tryAdmit(ledger, limits, note, now));
      if ('requestId' in attempt) return admitted(attempt.requestId, now, note.deadlineMs);
      if ('pause' in attempt) {
        const { untilMs } = attempt.pause;
        if (untilMs - now > limits.maxWaitMs) throw paused(account, attempt.pause);
        giveUpAt = untilMs + limits.maxWaitMs;
        tell(untilMs, paused(account, attempt.pause).message);
        await clock.sleep(Math.min(untilMs - now, LOOK_AT_PAUSE_MS), signal);
        continue;
      }
      if (attempt.inFlight) giveUpAt = now + limits.maxWaitMs;
      else if (attempt.freeAt > giveUpAt) throw spent(account, attempt.window.words, attempt.freeAt);
      if (attempt.freeAt - now >= LONG_WAIT_MS) {
        tell(attempt.freeAt, spent(account, attempt.window.words, attempt.freeAt).message);
      }
      await clock.sleep(Math.min(Math.max(1, attempt.freeAt - now), LOOK_AGAIN_MS), signal);
    }
  }

  /**
   * A request that was sent and never answered may reach the service until its deadline. One that is answered after it
   * was sent by a machine that slept: it counts until then.
   */
  function admitted(requestId: number, at: number, deadlineMs: number): Admission {
    return {
      answered: ({ status, bytes, sent }) => {
        const now = clock.now();
        const spentUntil = sent && status === null ? at + deadlineMs : now;
        const answeredAt = status === null ? null : now;
        transact(db, () => ledger.settle({ requestId, now, answeredAt, status, bytes, spentUntil }));
      },
      restricted: (restriction) => {
        ledger.pauses.note(restriction, at, clock.now());
      },
    };
  }

  return {
    /** Why a request would be parked that were asked for now; null where it may be sent soon enough. */
    whyParked(): ParkedError | null {
      const now = clock.now();
      const blocked = transact(db, () => findBlock(ledger, limits, SHORT_DEADLINE_MS, now));
      if (!blocked) return null;
      if ('pause' in blocked) {
        return blocked.pause.untilMs - now > limits.maxWaitMs ? paused(account, blocked.pause) : null;
      }
      const isLong = !blocked.inFlight && blocked.freeAt - now > limits.maxWaitMs;
      return isLong ? spent(account, blocked.window.words, blocked.freeAt) : null;
    },
    admit(note: RequestNote, signal?: AbortSignal): Promise<Admission> {
      const admission = turn.then(() => waitForPlace(note, signal));
      turn = admission.catch(() => undefined);
      return admission;
    },
  };
}

function spent(account: string, words: string, freeAt: number): ParkedError {
  const until = `${toTimestamp(freeAt)} UTC`;
  return new ParkedError(`the budget of account ${account} per ${words} is spent until ${until}`, freeAt);
}

function paused(account: string, { untilMs, reason }: Pause): ParkedError {
  const until = `${toTimestamp(untilMs)} UTC`;
  return new ParkedError(`account ${account} is paused until ${until}: ${reason}`, untilMs);
}

/** A window without a place: when its oldest request leaves it, and whether that is still on its way. */
interface Exhausted {
  window: Window;
  used: number;
  freeAt: number;
  inFlight: boolean;
}

type Blocked = { pause: Pause } | Exhausted;
type Attempt = { requestId: number } | Blocked;

function createLedger(db: Db, account: string) {
  return {
    account,
    windows: createWindowCounts(db, account),
    pauses: createPauses(db, account),
    insert: prepareInsertRequest(db),
    settle: prepareSettleRequest(db),
    clampFutureRequests: preparePullBack(db),
  };
}

type Ledger = ReturnType<typeof createLedger>;

/** What a request would have to wait for now; null where it may be sent. */
function findBlock(ledger: Ledger, limits: Limits, deadlineMs: number, now: number): Blocked | null {
  const pause = ledger.pauses.current(now);
  if (pause && pause.untilMs > now) return { pause };
  const full = findFull(ledger, limitsNow(limits, pause, now), deadlineMs, now);
  return full && pause ? { ...full, freeAt: Math.min(full.freeAt, nextSlotAt(full, limits, pause)) } : full;
}

function tryAdmit(ledger: Ledger, limits: Limits, note: RequestNote, now: number): Attempt {
  const blocked = findBlock(ledger, limits, note.deadlineMs, now);
  if (blocked) return blocked;
  const { purpose, runId: run_id, packageId: package_id, page } = note;
  const sent = { account: ledger.account, at_ms: now, spent_until_ms: now + note.deadlineMs };
  return { requestId: ledger.insert({ ...sent, purpose, run_id, package_id, page }) };
}

type Rates = Pick<Limits, Window['name']>;

/** Where a window is off, the rate comes back to this one first. */
const RETURN_TO = { perSecond: 5, perMinute: 120 };

/** The limits as they are; less while the rate comes back after a pause, but never nothing. */
function limitsNow(limits: Rates, pause: Pause | null, now: number): Rates {
  if (!pause) return limits;
  const share = rampShare(pause, now);
  const part = (name: keyof typeof RETURN_TO) =>
    Math.max(1, Math.floor((limits[name] ?? RETURN_TO[name]) * share));
  return { perSecond: part('perSecond'), perMinute: part('perMinute'), perDay: limits.perDay };
}

/** When a rate that comes back has one place more than are used; never, where the whole one has none. */
function nextSlotAt(
  { window: { name }, used }: Exhausted,
  limits: Rates,
  { untilMs, fullRateAtMs }: Pause,
): number {
  if (name === 'perDay') return Infinity;
  const whole = limits[name] ?? RETURN_TO[name];
  if (used < whole) return untilMs + Math.ceil(((used + 1) / whole) * (fullRateAtMs - untilMs));
  return limits[name] === null ? fullRateAtMs : Infinity;
}

/** The first window that has no place, and when it has one; null where all have. */
function findFull(ledger: Ledger, limits: Rates, deadlineMs: number, now: number): Exhausted | null {
  const limited = WINDOWS.flatMap((window) => {
    const limit = limits[window.name];
    return limit === null ? [] : [{ window, limit }];
  });
  for (const { window, limit } of limited) {
    if (ledger.windows.used(window, now) < limit) continue;
    const full = lookAgain(ledger, { window, limit }, deadlineMs, now);
    if (full) return full;
  }
  return null;
}

/** A window that is full by what was counted on is counted anew. */
function lookAgain(
  { windows, clampFutureRequests, account }: Ledger,
  { window, limit }: { window: Window; limit: number },
  deadlineMs: number,
  now: number,
): Exhausted | null {
  clampFutureRequests(account, now + deadlineMs);
  const used = windows.recount(window, now);
  if (used < limit) return null;
  const oldest = windows.oldest(window, now, used, limit);
  const inFlight = oldest > now && oldest <= now + deadlineMs; // later: the clock went back
  return { window, used, freeAt: oldest + window.ms + 1, inFlight };
}
