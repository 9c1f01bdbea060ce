/** The request budget of one account: sliding windows over a ledger that all processes share. */
import pLimit from 'p-limit';
import { DAY_MS, MINUTE_MS, toTimestamp, type Clock } from '../lib/clock.ts';
import { ParkedError } from '../lib/errors.ts';
import type { AccountBudget, Admission, RequestEntry } from './request-budget.ts';
import type { Db } from '../database/connection.ts';
import { currentPause, rampShare, recordRestriction, type Pause } from './pauses.ts';
import * as requests from './statements/request.ts';
import { transact } from '../database/transaction.ts';

/** A request is in a window while its `spent_until_ms` is less than one window ago. */
const WINDOWS = [
  { name: 'perSecond', ms: 1_000, words: 'second' },
  { name: 'perMinute', ms: MINUTE_MS, words: 'minute' },
  { name: 'perDay', ms: DAY_MS, words: 'day' },
] as const;
type Window = (typeof WINDOWS)[number];

/** How many requests a sliding window may hold; null for no limit. */
export interface Limits {
  perSecond: number | null;
  perMinute: number | null;
  perDay: number | null;
  /** The longest wait for a slot, in milliseconds; what would wait longer is parked. */
  maxWaitMs: number;
}

/** A request that must wait. */
export interface Wait {
  reason: string;
  waitMs: number;
  /** It takes so long that a person would ask why. */
  isLong: boolean;
}

/** Called for the first request that waits until a time, and for every short wait. */
export type OnWait = (wait: Wait) => void;

/** A wait is long from this time on. */
const LONG_WAIT_MS = 10_000;
/** The windows are counted again after this time, because another process may free a slot. */
const POLL_MS = 200;
/** A pause is checked again after this time: a machine may sleep, and timers are limited to 24 days. */
const POLL_PAUSE_MS = 10 * MINUTE_MS;
/**
 * `whyParked` sends no request, so it has no deadline for one: entries of the ledger that are further ahead
 * than this count as written by a clock that was ahead.
 */
const PEEK_DEADLINE_MS = 10 * MINUTE_MS;

/**
 * The most requests in flight, of all accounts together. One thread reads the responses, so more of them
 * would only wait in memory.
 */
const MOST_IN_FLIGHT = 64;

/** Waits for a place among the requests in flight; the returned function leaves it. */
type TakePlace = () => Promise<() => void>;

/** Creates the places that all budgets of a process share. */
export function createPlaces(): TakePlace {
  const limit = pLimit(MOST_IN_FLIGHT);
  return () => new Promise((enter) => void limit(() => new Promise<void>((leave) => enter(leave))));
}

/** What the budget of an account works with. */
interface Ledger {
  db: Db;
  account: string;
  limits: Limits;
  clock: Clock;
  takePlace: TakePlace;
  /**
   * Reports a wait until this time, in milliseconds since 1970, unless one until then was reported before.
   */
  reportOnce: (untilMs: number, wait: Wait) => void;
}

/** Creates the budget of one account in the file of `db`. */
export function createBudget(
  db: Db,
  account: string,
  limits: Limits,
  clock: Clock,
  { takePlace, onWait = () => undefined }: { takePlace: TakePlace; onWait?: OnWait | undefined },
): AccountBudget {
  let queue: Promise<unknown> = Promise.resolve();
  let lastReportedUntil = 0;
  const reportOnce = (untilMs: number, wait: Wait) => {
    if (untilMs <= lastReportedUntil) return;
    lastReportedUntil = untilMs;
    onWait(wait);
  };
  const ledger: Ledger = { db, account, limits, clock, takePlace, reportOnce };
  return {
    whyParked() {
      const now = clock.now();
      const blocked = transact(db, () => findBlock(ledger, PEEK_DEADLINE_MS, now));
      const isLong = blocked !== null && !blocked.inFlight && blocked.freeAt - now > limits.maxWaitMs;
      return isLong ? new ParkedError(blocked.reason, blocked.freeAt) : null;
    },
    admit(entry, signal) {
      const admission = queue.then(() => waitForSlot(ledger, entry, signal));
      queue = admission.catch(() => undefined);
      return admission;
    },
  };
}

type Signal = AbortSignal | undefined;

/**
 * Waits until the request may be sent. Throws ParkedError if the wait is longer than the limits allow. The
 * time is counted again from 0 after a pause, and while the request that must leave its window is in flight.
 */
async function waitForSlot(ledger: Ledger, entry: RequestEntry, signal: Signal): Promise<Admission> {
  const { clock, reportOnce } = ledger;
  const { maxWaitMs } = ledger.limits;
  let giveUpAt = clock.now() + maxWaitMs;
  for (;;) {
    signal?.throwIfAborted();
    const askedAt = clock.now();
    const attempt = await tryInPlace(ledger, entry, signal);
    if ('answered' in attempt) return attempt;
    const { freeAt, isPause, inFlight, reason } = attempt;
    const now = clock.now();
    giveUpAt += now - askedAt; // the wait for a place does not count
    const waitMs = freeAt - now;
    if (isPause ? waitMs > maxWaitMs : !inFlight && freeAt > giveUpAt) throw new ParkedError(reason, freeAt);
    if (isPause) giveUpAt = freeAt + maxWaitMs;
    else if (inFlight) giveUpAt = now + maxWaitMs;
    reportOnce(freeAt, { reason, waitMs, isLong: isPause || waitMs >= LONG_WAIT_MS });
    const sleepMs = isPause ? Math.min(waitMs, POLL_PAUSE_MS) : Math.min(Math.max(1, waitMs), POLL_MS);
    await clock.sleep(sleepMs, signal);
  }
}

/**
 * Takes a place, and admits the request or finds out why it must wait. An admitted request keeps its place
 * until it is answered; one that must wait for the budget gives it back.
 */
async function tryInPlace(ledger: Ledger, entry: RequestEntry, signal: Signal): Promise<Admission | Blocked> {
  const { db, account, clock, takePlace } = ledger;
  const leave = await takePlace();
  try {
    signal?.throwIfAborted();
    const now = clock.now();
    const { deadlineMs, ...row } = entry;
    const spentUntil = now + deadlineMs;
    const attempt = transact(
      db,
      () =>
        findBlock(ledger, deadlineMs, now) ??
        requests.insertRequest(db, { ...row, account, now, spentUntil }),
    );
    if ('id' in attempt) return createAdmission(ledger, attempt.id, spentUntil, now, leave);
    leave();
    return attempt;
  } catch (error) {
    leave();
    throw error;
  }
}

/**
 * A request without a response may reach the service until its deadline, `deadlineAt`. A response may come
 * after the deadline if the machine slept: the request counts until then.
 */
function createAdmission(
  { db, account, clock }: Ledger,
  requestId: number,
  deadlineAt: number,
  admittedAt: number,
  leave: () => void,
): Admission {
  return {
    answered: ({ status, bytes, sent }, restriction) => {
      const now = clock.now();
      const spentUntil = sent && status === null ? deadlineAt : now;
      const answeredAt = status === null ? null : now;
      try {
        transact(db, (tx) => {
          requests.settleRequest(tx, { requestId, now, answeredAt, status, bytes, spentUntil });
          if (restriction) recordRestriction(tx, account, restriction, admittedAt, now);
        });
      } finally {
        leave(); // after the pause is stored, so that the next request in this place finds it
      }
    },
  };
}

/**
 * Why a request must wait, and until when. `inFlight`: the request that must leave its window may still be
 * answered.
 */
interface Blocked {
  freeAt: number;
  isPause: boolean;
  inFlight: boolean;
  reason: string;
}

/** What a request would have to wait for now; null if it may be sent. */
function findBlock(ledger: Ledger, deadlineMs: number, now: number): Blocked | null {
  const { db, account, limits } = ledger;
  const pause = currentPause(db, account, now);
  if (pause && pause.untilMs > now) {
    const reason = `account ${account} is paused until ${toTimestamp(pause.untilMs)} UTC: ${pause.reason}`;
    return { freeAt: pause.untilMs, isPause: true, inFlight: false, reason };
  }
  const full = findFullWindow(ledger, limitsNow(limits, pause, now), deadlineMs, now);
  if (!full) return null;
  const freeAt = pause ? Math.min(full.freeAt, nextSlotAt(full, limits, pause)) : full.freeAt;
  const until = `${toTimestamp(freeAt)} UTC`;
  const reason = `the budget of account ${account} per ${full.window.words} is spent until ${until}`;
  return { freeAt, isPause: false, inFlight: full.inFlight, reason };
}

type Rates = Pick<Limits, Window['name']>;

/** Windows without a limit ramp up to this rate after a pause. */
const RETURN_TO = { perSecond: 5, perMinute: 120, perDay: Infinity };

/** The limits; reduced while the rate returns after a pause, but at least 1. */
function limitsNow(limits: Rates, pause: Pause | null, now: number): Rates {
  if (!pause) return limits;
  const share = rampShare(pause, now);
  const part = (name: 'perSecond' | 'perMinute') =>
    Math.max(1, Math.floor((limits[name] ?? RETURN_TO[name]) * share));
  return { perSecond: part('perSecond'), perMinute: part('perMinute'), perDay: limits.perDay };
}

/**
 * A window without a free slot: when its oldest request leaves it, and whether that may still be answered.
 */
interface FullWindow {
  window: Window;
  used: number;
  freeAt: number;
  inFlight: boolean;
}

/**
 * The time (ms) at which the rate that rises after a pause allows one more request; Infinity if it never
 * does, and only the window frees a slot.
 */
function nextSlotAt(
  { window: { name }, used }: FullWindow,
  limits: Rates,
  { untilMs, fullRateAtMs }: Pause,
): number {
  const fullRate = limits[name] ?? RETURN_TO[name];
  if (used >= fullRate) return Infinity;
  return untilMs + Math.ceil(((used + 1) / fullRate) * (fullRateAtMs - untilMs));
}

/** The first window without a free slot; null if all have one. */
function findFullWindow(
  { db, account }: Ledger,
  limits: Rates,
  deadlineMs: number,
  now: number,
): FullWindow | null {
  for (const window of WINDOWS) {
    const limit = limits[window.name];
    if (limit === null) continue;
    const since = { account, ms: now - window.ms };
    const used = requests.countSince(db, since);
    if (used < limit) continue;
    requests.clampFutureRequests(db, { account, latest: now + deadlineMs });
    const { until: oldest } = requests.findNthSince(db, { ...since, n: used - limit });
    return { window, used, freeAt: oldest + window.ms + 1, inFlight: oldest > now };
  }
  return null;
}
